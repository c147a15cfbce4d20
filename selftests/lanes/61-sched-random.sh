#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: random kernels, preempted and moved between slices; on 7.2
# timeout: 600
# backend: any

make -s -C selftests sched O="$PWD/out/selftests" >&2 || exit 1
status=0
for kernel in ${TESSERA_FULL:+6.12} 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel "$kernel" --model-args "--clock ${TESSERA_CLOCK:-nominal}" --timeout 280 -- \
		selftests/sched/run.sh random || status=1
done
exit $status
