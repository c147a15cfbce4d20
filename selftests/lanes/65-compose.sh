#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs recomposed while they work: results, throughput, standstill, books of the pool
# timeout: 400
# beside: no
# backend: any

make -s -C selftests compose O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --model-args "--clock ${TESSERA_CLOCK:-nominal}" --timeout 360 -- \
	selftests/compose/run.sh live scale blackout transact
