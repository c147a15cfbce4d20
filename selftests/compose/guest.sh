#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A KVM guest that computes while its vGPU is composed anew, TESS_RECOMPOSITIONS times, also
# on another GPU: make bench-compose ONLY=guest

n=${TESS_RECOMPOSITIONS:-12}
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
make -s -C selftests/compose -f guest.mk O="$PWD/out/selftests/compose" guest >&2 || exit 1
exec scripts/vm host --gpus 2 --model-args "--clock nominal" --timeout "${HOST_TIMEOUT:-$((350 + 4 * n))}" \
	--env TESS_RECOMPOSITIONS="$n" -- python3 selftests/compose/guest.py
