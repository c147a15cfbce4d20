#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: GPUs that a process serves: servers that do anything, with clients of both kinds
# timeout: 1800
# beside: yes

make -s -C selftests fuzz O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --backend user --mem 2G --timeout 1700 \
	--env TESSERA_IOMMUFD=1 --env TESSERA_PATIENCE=6 -- \
	out/selftests/fuzz/kernel_fuzz 60 1 server
