#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: KVM guests with vGPUs: attacks from inside, two at once, reboot, kill, removal; containers beside one
# timeout: 1500
# beside: yes
# backend: any

make -s -C selftests mdev containers O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --timeout 1450 -- sh -c "selftests/mdev/guests.sh; status=\$?
	python3 selftests/containers/containers.py && exit \$status"
