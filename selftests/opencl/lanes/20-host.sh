#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the OpenCL driver and clinfo in the host VM; 6.12 and 7.2
# timeout: 3600

status=0
for kernel in 6.12 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel $kernel --with opencl --timeout 1750 -- sh -c \
		"selftests/opencl/clinfo.sh; status=\$?; selftests/opencl/run.sh && exit \$status" ||
		status=1
done
exit $status
