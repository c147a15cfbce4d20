#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: OpenGL in short: pictures on a GPU, and the same ones on a vGPU in a guest
# timeout: 900
# beside: yes
# only: by name

if [ -e out/graphics.missing ]; then
	echo "1..0 # SKIP $(cat out/graphics.missing)"
	exit 0
fi
exec scripts/vm host --with graphics --timeout 850 -- selftests/graphics/guest.sh
