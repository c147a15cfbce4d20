#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a bare guest: its packages, then work on its vGPU.

set -eu
"$(dirname "$0")/packages.sh" "$1"
cd /
modprobe -a tessera_pci tessera_drm
tessera-info
/usr/lib/tessera/examples/sgemm --size 64
