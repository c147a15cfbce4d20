#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: pictures on a GPU, and the same ones on a vGPU in a guest
# timeout: 1200

exec scripts/vm host --with graphics --timeout 1100 -- selftests/graphics/guest.sh
