#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: hostile guests, processes, strings and servers of GPUs, a few seconds each, beside a vGPU at work
# timeout: 500
# beside: yes
# backend: any

status=0
selftests/fuzz/kernel.sh 6.12 4 1 || status=1
selftests/fuzz/kernel.sh 6.12 4 1 server || status=1
exit $status
