#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: PoCL's own tests on a simulated GPU
# timeout: 3600

selftests/opencl/pocl-build.sh || exit
exec selftests/opencl/pocl.py --sim
