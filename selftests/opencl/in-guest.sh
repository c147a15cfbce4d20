#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/in-guest.sh [--change] VRAM MEMORY CMD...
#
# In a host VM with the layer "opencl": CMD, which prints TAP, in a guest of MEMORY, with a vGPU of
# four slices, each with VRAM. --change: the vGPU is recomposed and moved again and again, which fails
# if one of the changes does; needs two GPUs.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
# shellcheck source=selftests/opencl/change.sh
. selftests/opencl/change.sh
changes=
if [ "$1" = --change ]; then
	changes=yes
	shift
fi
vram=$1 memory=$2
shift 2
stop=$(mktemp -u)
read -r uuid </proc/sys/kernel/random/uuid
modprobe vfio_iommu_type1 || exit 1
tesseractl create --uuid "$uuid" slices=4 min=1 max=4 kind=compute memory="$vram" || exit 1
if [ -n "$changes" ]; then
	change "$uuid" "$stop" 20 &
fi
status=0
scripts/vm guest --mem "$memory" --timeout 5000 --vgpu "$uuid" -- "$@" || status=$?
: >"$stop"
[ -z "$changes" ] || wait $! || { echo "# a change failed"; status=1; }
rm -f "$stop"
exit "$status"
