#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs that go to another GPU while they work, or have slices of two, alike and unlike; on 7.2, a choice on 6.12
# timeout: 1700
# beside: yes

status=0
make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
for kernel in 6.12 7.2; do
	echo "# Linux $kernel"
	set -- drain
	# The last one leaves a process that nobody can end
	[ $kernel = 6.12 ] && [ -z "${TESSERA_FULL:-}" ] ||
		set -- heads view_map blueprint span_live span held migrate ahead precopy lost drain stuck
	scripts/vm host --kernel $kernel --gpus 2 --timeout 800 -- \
		selftests/mdev/run.sh "$@" || status=1
done
scripts/vm host --gpus 2 --model-args "" \
	--model-args "--slices 4 --kinds compute:3,mixed:1 --vram 32M" --timeout 300 -- \
	sh -c "modprobe vfio_iommu_type1 && exec out/selftests/mdev/unlike" || status=1
exit $status
