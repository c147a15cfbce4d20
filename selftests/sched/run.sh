#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh TEST...: tests of time-sharing that need no guest; runs in a host VM whose GPU
# follows wall time.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
status=0
modprobe vfio_iommu_type1 || exit 1
for t; do
	[ "$t" != vcpu ] || modprobe kvm_amd || modprobe kvm_intel || status=1
	"out/selftests/sched/$t" || status=1
done
exit $status
