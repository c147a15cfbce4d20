#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: every allocation of vGPUs that are saved and loaded fails in turn
# timeout: 3600
# beside: yes
# only: by name

make -s -C selftests mdev debug O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --timeout 3500 --env TESSERA_IOMMUFD=1 -- \
	out/selftests/debug/nth_saved
