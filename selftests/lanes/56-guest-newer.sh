#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: Linux 7.2 as the host of a KVM guest with a vGPU
# timeout: 800
# beside: yes
# only: full
# backend: any

exec scripts/vm host --kernel 7.2 --timeout 750 -- selftests/mdev/guests.sh one
