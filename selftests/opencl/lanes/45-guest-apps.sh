#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: programs that others wrote, on OpenCL in a guest whose vGPU is recomposed and moved
# timeout: 5400

# Not hashcat, which takes more than a quarter of an hour to compile its kernels there
exec scripts/vm host --with opencl --gpus 2 --mem 5G --timeout 5300 -- \
	selftests/opencl/in-guest.sh --change 48M 2G \
	selftests/opencl/apps.sh --short demo pyopencl clblast clpeak
