#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: pool in the host VM: files, ownership, exact availability, unbind, reset, hotplug, a skeleton of a back-end; on 7.2
# timeout: 900
# backend: any

status=0
for kernel in ${TESSERA_FULL:+6.12} 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel "$kernel" --gpus 2 --timeout 400 -- selftests/pool/pool.sh || status=1
	scripts/vm host --kernel "$kernel" --gpus 0 --timeout 200 -- selftests/pool/skeleton.sh || status=1
done
exit $status
