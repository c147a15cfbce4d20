#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: programs that others wrote for displays, on the head of a vGPU in a guest
# timeout: 1200
# beside: yes

scripts/layer-made view
case $? in
0) ;;
4) exit 0 ;;
*) exit 1 ;;
esac
exec scripts/vm host --kernel 7.2 --with displays --mem 3G --timeout 900 -- selftests/displays/host.sh
