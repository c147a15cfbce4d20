#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/run.sh [--sim] [NAME...]
#
# Runs the tests of the OpenCL driver (tools/opencl/tests), or some of them, on the first GPU:
# in a host VM with the layer "opencl" or in a guest of one. --sim: on a simulated GPU.

cd "$(dirname "$0")/../.." || exit 1
opencl_gpu=
case ${1:-} in
-h | --help) sed -n '4,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
--sim) opencl_gpu=sim; shift ;;
esac
# shellcheck source=selftests/opencl/env.sh
. selftests/opencl/env.sh
if [ $# -eq 0 ]; then
	set -- device kernels errors events memory programs
	# Two programs on one GPU: a simulated one is a program's own
	[ -n "$opencl_gpu" ] || set -- "$@" clients
fi

status=0
for test; do
	echo "TAP version 13"
	echo "# opencl: $test"
	"$opencl/test_$test" || status=1
done
exit $status
