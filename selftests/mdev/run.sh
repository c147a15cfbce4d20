#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All tests of the mdev front-end that need no guest, in a host VM; with names of programs
# only those.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
status=0
modprobe vfio_iommu_type1 || exit 1
[ $# -gt 0 ] || set -- types vfio device regs irq memory isolation life shared blueprint recompose heads damage cursor monitor view view_map export shown saved dirty evict
for t; do
	case $t in
	types) selftests/mdev/types.sh ;;
	vfio) selftests/vfio/run.sh C2 C1S R2 ;;
	*) out/selftests/mdev/"$t" ;;
	esac || status=1
done
exit $status
