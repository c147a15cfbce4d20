#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: time-sharing: shares of vGPUs and of processes, hostile clients, parked clients, settings, the swapper, automatic sizes
# timeout: 1300
# beside: no
# backend: any

make -s -C selftests sched O="$PWD/out/selftests" >&2 || exit 1
nominal="--clock ${TESSERA_CLOCK:-nominal}"
status=0
scripts/vm host --model-args "$nominal" --timeout 500 -- \
	selftests/sched/run.sh fair sgemm hostile life vcpu knobs swap adapt || status=1
scripts/vm host --model-args "$nominal" --timeout 300 --env TESS_WINDOW_MS=800 -- \
	selftests/sched/run.sh processes || status=1
# Two hangs for the first test, one for the second
scripts/vm host --model-args "$nominal --stuck-slice 0:3" --timeout 120 \
	--env TESS_STUCK_SLICE=0 -- sh -c "out/selftests/sched/processes -r hang.again_and_again_is_banned &&
		out/selftests/sched/processes -r hang.banned_queue_ends_in_order" || status=1
scripts/vm host --model-args "$nominal --stuck-slice 0:1" --timeout 120 \
	--env TESS_STUCK_SLICE=0 -- out/selftests/drm/dump -r dump.not_preempted || status=1
scripts/vm host --model-args "$nominal --stuck-slice 0:1 --damage-context 1:1" \
	--timeout 180 --env TESS_STUCK_SLICE=0 --env TESS_DAMAGED_SLICE=1 -- \
	selftests/sched/run.sh stuck damaged || status=1
exit $status
