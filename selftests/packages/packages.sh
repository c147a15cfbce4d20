#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/packages/packages.sh DIR
#
# In a virtual machine: installs the packages of DIR, and modules that DKMS has built elsewhere.

set -eu
given=$1
mkdir -p /etc/dkms
touch /etc/dkms/no-autoinstall
rm -f /var/lib/man-db/auto-update
dpkg --install "$given"/*.deb
dkms ldtarball --archive "$given/modules.dkms.tar.gz"
for dir in /usr/src/tessera-*; do
	dkms install -m tessera -v "${dir##*/tessera-}" -k "$(uname -r)"
done
modinfo -F filename tessera | grep /updates/dkms/
