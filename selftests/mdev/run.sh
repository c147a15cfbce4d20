#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# All tests of the mdev front-end that need no guest; runs in a host VM.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
status=0
modprobe vfio_iommu_type1 || exit 1
selftests/mdev/types.sh || status=1
for t in device regs irq memory isolation life shared blueprint recompose; do
	out/selftests/mdev/$t || status=1
done
exit $status
