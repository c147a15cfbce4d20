#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: programs that others wrote, on OpenCL in the host VM
# timeout: 3600

exec scripts/vm host --with opencl --timeout 3500 -- selftests/opencl/apps.sh
