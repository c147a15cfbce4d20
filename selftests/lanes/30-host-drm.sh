#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: DRM interface in the host VM: uAPI, submission, faults, unbind; on 7.2, a choice on 6.12
# timeout: 900
# backend: any

status=0
for kernel in 6.12 7.2; do
	echo "# Linux $kernel"
	set --
	# What kernels do differently
	[ $kernel = 7.2 ] || [ -n "${TESSERA_FULL:-}" ] ||
		set -- abi_1_0 query memory evict prime bind queue submit sync lifetime
	scripts/vm host --kernel $kernel --gpus 2 --timeout 400 -- selftests/drm/run.sh "$@" || status=1
done
exit $status
