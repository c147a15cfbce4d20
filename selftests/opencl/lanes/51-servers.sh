#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: API remoting: one client on two servers, each with a simulated GPU
# timeout: 900

exec selftests/opencl/servers.sh --sim
