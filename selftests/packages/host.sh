#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a bare host VM: its packages, a vGPU, and a guest with packages that computes on it.

set -eu
given=$1
tree=$PWD
cd /
"$tree/selftests/packages/packages.sh" "$given"
cp /usr/share/tessera/modprobe.conf /etc/modprobe.d/tessera.conf
modprobe tessera_pci
for m in tessera_chip tessera_drm tessera_mdev; do
	[ -d "/sys/module/$m" ] || { echo "no $m"; exit 1; }
done
tesseractl list
read -r uuid </proc/sys/kernel/random/uuid
tesseractl create --uuid "$uuid" slices=2 max=4 kind=compute memory=16M
"$tree/scripts/vm" guest --bare --mem 768M --timeout 900 --vgpu "$uuid" -- \
	sh "$tree/selftests/packages/guest.sh" "$given"
tesseractl remove "$uuid"
modprobe -r tessera_mdev tessera_drm tessera_pci
