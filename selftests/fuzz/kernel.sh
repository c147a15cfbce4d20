#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# kernel.sh KERNEL SECONDS SEED [TARGET [EPISODE]]: clients that do anything, in a host VM with
# that kernel; each target for so long. TAP. TESSERA_BACKEND=user: the GPU is served by a process of
# the host VM, as target "server" wants it.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
kernel=${1:?} seconds=${2:?}
[ "${4-}" != server ] || export TESSERA_BACKEND=user
shift
make -s -C selftests fuzz O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --kernel "$kernel" --timeout $((200 + 6 * seconds)) -- \
	sh -c 'modprobe vfio_iommu_type1 && exec out/selftests/fuzz/kernel_fuzz "$@"' sh "$@"
