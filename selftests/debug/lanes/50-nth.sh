#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: every allocation of the DRM node's ioctls fails in turn
# timeout: 3600
# beside: yes

make -s -C selftests debug O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --timeout 3500 -- \
	out/selftests/debug/nth_drm
