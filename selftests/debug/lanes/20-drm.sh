#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the DRM node: queries, memory, address spaces
# timeout: 3600
# beside: yes

make -s -C selftests drm O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --timeout 3500 --env TESSERA_PATIENCE=6 -- \
	selftests/drm/run.sh query memory bind
