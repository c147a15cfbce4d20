#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs recomposed while they work: results, books of the pool
# timeout: 3600
# beside: yes
# only: by name

make -s -C selftests compose O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --model-args "--clock nominal" --timeout 3500 \
	--env TESSERA_IOMMUFD=1 --env TESSERA_PATIENCE=6 --env TESS_RECOMPOSITIONS=30 \
	--env TESS_TRANSACTIONS=120 -- selftests/compose/run.sh live transact
