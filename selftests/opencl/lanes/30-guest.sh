#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: OpenCL in a KVM guest whose vGPU is recomposed and moved while kernels run
# timeout: 3600

exec scripts/vm host --with opencl --gpus 2 --mem 4G --timeout 3500 -- selftests/opencl/guest.sh
