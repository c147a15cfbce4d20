#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/graphics/guest.sh [--short]
#
# In a host VM with the layer "graphics": pictures by OpenGL ES on the host's GPU and in a KVM
# guest on a vGPU, which are the same. TAP. --short: a few, in the guest alone.

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
ctl=out/tools/cli/tesseractl
sums=$(mktemp)
rm "$sums"
read -r uuid </proc/sys/kernel/random/uuid

in_guest()
{
	scripts/vm guest --mem 1G --timeout 700 --vgpu "$uuid" -- selftests/graphics/scenes.sh "$@"
}

# A file of the host that a guest sees may be an older one: it gets what is in it
same_in_guest()
{
	cp "$sums" out/graphics.sums
	in_guest --quick --pictures out/graphics.sums
}

modprobe vfio_iommu_type1 || exit 1
ktap_begin
[ "${1:-}" = --short ] ||
	check "pictures on the host's GPU" selftests/graphics/scenes.sh --quick --pictures "$sums"
check "a vGPU of two slices" "$ctl" create --uuid "$uuid" slices=2 min=1 max=4 kind=mixed memory=16M
if [ "${1:-}" = --short ]; then
	check "pictures in a guest" in_guest --short
else
	check "the same pictures in a guest" same_in_guest
fi
rm -f "$sums"
ktap_end
