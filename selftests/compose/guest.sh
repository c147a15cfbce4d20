#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A KVM guest that computes while its vGPU is composed anew, TESS_RECOMPOSITIONS times. By
# hand: all passes but the ratio of SGEMM on four slices to one in a vGPU that was made with
# two and grew, which is 2.7 and not 3.6 (4.0 on the host's own four slices).

make -s -C selftests/compose -f guest.mk O="$PWD/out/selftests/compose" guest >&2 || exit 1
exec scripts/vm host --model-args "--clock nominal" --timeout "${HOST_TIMEOUT:-350}" \
	--env TESS_RECOMPOSITIONS="${TESS_RECOMPOSITIONS:-12}" -- \
	python3 selftests/compose/guest.py
