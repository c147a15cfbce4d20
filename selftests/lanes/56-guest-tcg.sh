#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: Linux 7.2 as the host of a guest without KVM, with a vGPU
# timeout: 1500

make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --kernel 7.2 --timeout 1450 --env GUEST_TIMEOUT=1200 -- \
	selftests/mdev/guests.sh one
