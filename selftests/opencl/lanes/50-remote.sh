#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: API remoting: guests without a GPU, two at once, a server that is killed
# timeout: 1800

exec scripts/vm host --with opencl --timeout 1750 -- selftests/opencl/remote.sh
