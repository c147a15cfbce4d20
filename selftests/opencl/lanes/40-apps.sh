#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: programs that others wrote, on OpenCL in the host VM
# timeout: 3600

# hashcat wants more than 256 MiB of VRAM
exec scripts/vm host --with opencl --model-args "--vram 1G" --timeout 3500 -- \
	selftests/opencl/apps.sh
