#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs that go to another GPU while they work, or have slices of two, alike and unlike; on 7.2, with FULL=1 on 6.12, too
# timeout: 1700
# beside: yes

status=0
make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
for kernel in ${TESSERA_FULL:+6.12} 7.2; do
	echo "# Linux $kernel"
	# The last one leaves a process that nobody can end
	scripts/vm host --kernel "$kernel" --gpus 2 --timeout 800 -- \
		selftests/mdev/run.sh heads view_map planes export blueprint span_live span held migrate \
		ahead precopy lost drain stuck || status=1
done
scripts/vm host --gpus 2 --model-args "" \
	--model-args "--slices 4 --kinds compute:3,mixed:1 --vram 32M" --timeout 300 -- \
	sh -c "modprobe vfio_iommu_type1 && exec out/selftests/mdev/unlike" || status=1
scripts/vm host --gpus 4 --model-args "--kinds compute:1,render:1" --model-args "--kinds render:1" \
	--model-args "--kinds compute:5,render:3" --model-args "--kinds render:4" --timeout 200 -- \
	selftests/mdev/elsewhere.sh || status=1
exit $status
