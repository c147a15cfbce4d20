#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: Linux 7.2 as the host of a guest without KVM, with a vGPU
# timeout: 3000
# beside: yes

# An emulator in an emulator: the guest boots for minutes, on one processor, so others run meanwhile
exec scripts/vm host --kernel 7.2 --timeout 2900 --env GUEST_TIMEOUT=2700 \
	--env GUEST_WORK='out/examples/sgemm --size 32 && out/examples/reduce --count 10000' -- \
	selftests/mdev/guests.sh one
