#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: KVM guests with vGPUs: attacks from inside, two at once, reboot, kill, removal
# timeout: 1200
# beside: no
# backend: any

make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --timeout 1150 -- selftests/mdev/guests.sh
