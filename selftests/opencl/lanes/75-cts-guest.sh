#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: Khronos' conformance tests of OpenCL, a build of them in $TESSERA_CTS: some in a KVM guest with a vGPU
# timeout: 3600

if [ -z "${TESSERA_CTS:-}" ]; then
	echo "1..0 # SKIP TESSERA_CTS does not name a build of OpenCL-CTS (Documentation/opencl.rst)"
	exit 0
fi
exec scripts/vm host --with opencl --env TESSERA_CTS="$TESSERA_CTS" --timeout 3500 -- \
	selftests/opencl/cts_guest.sh
