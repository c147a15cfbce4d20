#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM with the layer "gl-apps" and two GPUs: programs that others wrote, in windows of a
# compositor without a screen, on the host and in a KVM guest with a whole GPU. TAP.

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh

modprobe -a vfio_iommu_type1 vfio-pci || exit 1
selftests/graphics/programs.sh windows
host=$?
second=$(basename "$(readlink -f /sys/class/tessera/gpu1/device)")
scripts/vm guest --mem 2G --timeout 1500 --host "$second" -- selftests/graphics/programs.sh windows
guest=$?
ktap_begin
check "programs on the host" test "$host" -eq 0
check "programs in a guest with a whole GPU" test "$guest" -eq 0
ktap_end
