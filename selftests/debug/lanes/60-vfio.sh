#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the kernel's own VFIO selftests, with vGPUs and with a whole GPU
# timeout: 3600
# beside: yes
# only: by name

ktests=$(scripts/kernel tests) || exit 1
make -s -C selftests/debug vfio O="$PWD/out/selftests/debug" KTESTS="$ktests" >&2 || exit 1
exec selftests/debug/vm.sh --iommu --gpus 2 --mem 2G --timeout 3500 -- \
	unshare --mount selftests/debug/vfio.sh
