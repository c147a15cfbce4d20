#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the DRM node: queues, jobs, faults, lives and ends
# timeout: 3600
# beside: yes

make -s -C selftests drm O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --timeout 3500 --env TESSERA_PATIENCE=6 -- \
	selftests/drm/run.sh \
	queue submit spread sync fault dump stress elastic evict turns lifetime held nodes
