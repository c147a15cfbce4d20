#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: Khronos' conformance tests of OpenCL, a build of them in $TESSERA_CTS: on a simulated GPU
# timeout: 7200

if [ -z "${TESSERA_CTS:-}" ]; then
	echo "1..0 # SKIP TESSERA_CTS does not name a build of OpenCL-CTS (Documentation/opencl.rst)"
	exit 0
fi
# What some tests need: images of 128 MiB
export TESSERA_SIM_VRAM=1024
export opencl_gpu=sim
# shellcheck source=selftests/opencl/env.sh
. selftests/opencl/env.sh
exec selftests/opencl/cts.py "$TESSERA_CTS"
