#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: a choice of PoCL's own tests in the host VM, and in a guest with a vGPU
# timeout: 5400

selftests/opencl/pocl-build.sh || exit
exec scripts/vm host --with opencl --mem 4G --timeout 5300 -- sh -c "
	selftests/opencl/pocl.py quick
	status=\$?
	selftests/opencl/in-guest.sh 48M 1G selftests/opencl/pocl.py quick && exit \$status"
