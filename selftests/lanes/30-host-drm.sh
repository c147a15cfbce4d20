#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: DRM interface in the host VM: uAPI, submission, faults, unbind; on 7.2, with FULL=1 on 6.12, too
# timeout: 900
# backend: any

status=0
for kernel in ${TESSERA_FULL:+6.12} 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel "$kernel" --gpus 2 --timeout 400 -- selftests/drm/run.sh || status=1
done
exit $status
