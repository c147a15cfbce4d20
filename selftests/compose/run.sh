#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh TEST...: tests of recomposition that need no guest; runs in a host VM whose GPU
# follows wall time.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
status=0
modprobe vfio_iommu_type1 || exit 1
for t; do
	"out/selftests/compose/$t" || status=1
done
exit $status
