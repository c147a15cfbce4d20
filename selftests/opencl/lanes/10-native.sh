#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the OpenCL driver on a simulated GPU
# timeout: 600

exec selftests/opencl/run.sh --sim
