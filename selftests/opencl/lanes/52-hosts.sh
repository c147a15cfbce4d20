#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: API remoting: a guest of one host computes on the GPUs of two hosts
# timeout: 1800

exec selftests/opencl/hosts.sh
