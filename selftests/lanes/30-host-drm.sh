#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: DRM interface in the host VM: uAPI, submission, faults, unbind; 6.12 and 7.2
# timeout: 900
# backend: any

status=0
for kernel in 6.12 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel $kernel --gpus 2 --timeout 400 -- selftests/drm/run.sh || status=1
done
exit $status
