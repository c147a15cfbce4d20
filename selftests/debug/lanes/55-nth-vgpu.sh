#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: every allocation in the life of a vGPU fails in turn
# timeout: 7200
# beside: yes
# only: by name

make -s -C selftests debug O="$PWD/out/selftests" >&2 || exit 1
# udev would look at every device that comes and goes, and nobody needs what it does
exec selftests/debug/vm.sh --mem 1536M --timeout 7100 --env TESSERA_IOMMUFD=1 -- sh -c \
	"udevadm control --exit && exec out/selftests/debug/nth_mdev"
