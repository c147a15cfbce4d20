#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: hostile guests, processes and strings, a few seconds each, beside a vGPU at work
# timeout: 300
# beside: yes

exec selftests/fuzz/kernel.sh 6.12 4 1
