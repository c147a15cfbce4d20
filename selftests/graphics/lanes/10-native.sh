#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: pictures on the simulated GPU, each scene compared with the CPU's
# timeout: 900

exec selftests/graphics/scenes.sh --sim
