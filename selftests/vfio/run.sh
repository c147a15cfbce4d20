#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of VFIO with vGPUs: exclusive slices, shared ones, one with a head; runs in a host VM.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=selftests/mdev/lib.sh
. selftests/mdev/lib.sh
modprobe vfio_iommu_type1 || exit 1
status=0
for type; do
	uuid=$(create "$type") || exit 1
	VFIO_DEVICE=/sys/bus/mdev/devices/$uuid out/selftests/vfio/migration || status=1
	remove "$uuid"
done
exit $status
