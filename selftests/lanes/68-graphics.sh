#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: OpenGL in short: pictures on a vGPU in a guest are those of the CPU
# timeout: 1500
# beside: yes

scripts/layer-made graphics
case $? in
0) ;;
4) exit 0 ;;
*) exit 1 ;;
esac
exec scripts/vm host --with graphics --timeout 850 -- selftests/graphics/guest.sh --short
