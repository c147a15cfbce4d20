#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: every allocation in the life of a vGPU fails in turn
# timeout: 7200

make -s -C selftests debug O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --kernel debug --mem 1536M --timeout 7100 --env TESSERA_IOMMUFD=1 -- \
	selftests/debug/clean.sh out/selftests/debug/nth_mdev
