#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs without guests: types, VFIO device, isolation, memory, ends; on 7.2, with FULL=1 on 6.12, too
# timeout: 2200
# beside: yes
# backend: any

status=0
make -s -C selftests mdev vfio O="$PWD/out/selftests" >&2 || exit 1
for kernel in ${TESSERA_FULL:+6.12} 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel "$kernel" --timeout 900 -- selftests/mdev/run.sh || status=1
	scripts/vm host --kernel "$kernel" --backend pci --gpus 2 --iommu --timeout 200 -- \
		sh -c "modprobe -a vfio_iommu_type1 vfio-pci && out/selftests/mdev/assigned" || status=1
done
echo "# As many slices as there can be"
scripts/vm host --model-args "--slices 64" --timeout 200 -- \
	out/selftests/mdev/blueprint -r pool.composition_of_many || status=1
exit $status
