#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.sh KERNEL SECONDS SEED [TARGET [EPISODE]]: clients that do anything, in a host VM with
# that kernel; each target for so long. TAP.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
kernel=${1:?} seconds=${2:?}
shift
make -s -C selftests fuzz O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --kernel "$kernel" --timeout $((150 + 4 * seconds)) -- \
	sh -c 'modprobe vfio_iommu_type1 && exec out/selftests/fuzz/kernel_fuzz "$@"' sh "$@"
