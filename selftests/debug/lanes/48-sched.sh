#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: time-sharing: slices that fail, parked clients, VMMs that are killed, many at once
# timeout: 3600
# beside: no

make -s -C selftests sched O="$PWD/out/selftests" >&2 || exit 1
# Each failure comes once, in the first two tests
exec selftests/debug/vm.sh --mem 1536M --timeout 3500 \
	--model-args "--clock nominal --stuck-slice 0:1 --damage-context 1:1" \
	--env TESSERA_IOMMUFD=1 --env TESSERA_PATIENCE=6 \
	--env TESS_STUCK_SLICE=0 --env TESS_DAMAGED_SLICE=1 -- \
	selftests/sched/run.sh stuck damaged life
