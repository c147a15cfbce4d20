#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh TEST...: tests of faults that need no guest; runs in a host VM whose GPU follows
# wall time. "sleep" has to be the last one.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
status=0
modprobe vfio_iommu_type1 || exit 1
for t; do
	if [ "$t" = sleep ]; then
		# The tree, a 9p file system, does not survive that virtio devices are suspended:
		# nobody may have a file of it open, this script neither
		cp out/selftests/faults/sleep /run/sleep && cd / || exit 1
		exec sh -c '/run/sleep && exit "$1"' sh "$status"
	fi
	"out/selftests/faults/$t" || status=1
done
exit $status
