#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh SECONDS SEED: the soak; runs in a host VM whose GPU follows wall time.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
modprobe vfio_iommu_type1 || exit 1
exec out/selftests/soak/soak "$@"
