#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/cts_guest.sh [PROGRAM[:TEST,...]...]
#
# In a host VM with the layer "opencl": programs of the build $TESSERA_CTS of OpenCL-CTS in a KVM
# guest with a vGPU, those that are over in minutes there. TAP.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
[ $# -gt 0 ] || set -- computeinfo events atomics:atomic_add,atomic_xchg,atomic_cmpxchg,atomic_add_index
read -r uuid </proc/sys/kernel/random/uuid
modprobe vfio_iommu_type1 || exit 1
out/tools/cli/tesseractl create --uuid "$uuid" slices=2 kind=compute memory=48M >&2 || exit 1
# shellcheck disable=SC2016 # for the guest
exec scripts/vm guest --mem 1G --timeout 3300 --vgpu "$uuid" --env TESSERA_CTS="$TESSERA_CTS" -- \
	sh -c '. selftests/opencl/env.sh && exec selftests/opencl/cts.py "$TESSERA_CTS" "$@"' sh "$@"
