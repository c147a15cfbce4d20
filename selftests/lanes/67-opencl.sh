#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: OpenCL in short: the device, kernels, a program that others wrote, API remoting
# timeout: 1500
# beside: yes

scripts/layer-made opencl
case $? in
0) ;;
4) exit 0 ;;
*) exit 1 ;;
esac
exec scripts/vm host --with opencl --timeout 850 -- sh -c "status=0
	selftests/opencl/clinfo.sh || status=1
	selftests/opencl/run.sh kernels || status=1
	selftests/opencl/apps.sh demo || status=1
	selftests/opencl/remote.sh short || status=1
	exit \$status"
