#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM: makes a mediated vGPU and runs the tests of the DRM interface on it, in a
# KVM guest. The slices must be back afterwards.

uuid=5e1ec7ed-0000-4000-8000-000000000002
gpu=/sys/class/tessera/gpu0
free=$(cat $gpu/slices_free) || exit 1

echo $uuid >$gpu/device/mdev_supported_types/"${TESSERA_DRIVER:-tessera_pci}"-C2/create || exit 1
scripts/vm guest --vgpu $uuid --timeout 600 -- selftests/drm/run.sh query memory bind queue \
	submit sync fault dump isolation fdinfo
status=$?
echo 1 >/sys/bus/mdev/devices/$uuid/remove || status=1
[ "$(cat $gpu/slices_free)" = "$free" ] || {
	echo "not ok 1 all slices are back"
	status=1
}
exit $status
