#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: OpenCL in a KVM guest whose vGPU is recomposed while kernels run
# timeout: 3600

exec scripts/vm host --with opencl --timeout 3500 -- selftests/opencl/guest.sh
