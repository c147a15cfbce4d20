#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the DRM node: isolation, what fdinfo says, buffers of other drivers
# timeout: 3600
# beside: yes
# only: by name

make -s -C selftests drm O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --timeout 3500 --env TESSERA_PATIENCE=6 -- \
	selftests/drm/run.sh isolation fdinfo prime
