#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: OpenGL programs that others wrote, on the screen of a vGPU in a guest
# timeout: 3600

exec scripts/vm host --with gl-apps --mem 6G --timeout 3500 -- selftests/graphics/apps.sh
