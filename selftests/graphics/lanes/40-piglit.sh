#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: every 20th of piglit's tests of OpenGL, by Debian's Mesa and on the simulated GPU
# timeout: 5400

exec selftests/graphics/piglit.py --every 20 --timeout 1800
