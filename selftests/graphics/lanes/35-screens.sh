#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: displays of QEMU that draw by OpenGL take what a vGPU shows as dma-bufs
# timeout: 1800

# shellcheck disable=SC2016 # for the host VM
exec scripts/vm host --kernel 7.2 --with gl-apps --mem 6G --gpus 2 --timeout 1700 -- sh -c '
	. selftests/graphics/env.sh
	selftests/graphics/screens.py; status=$?
	selftests/graphics/libvirt_screen.py && exit $status'
