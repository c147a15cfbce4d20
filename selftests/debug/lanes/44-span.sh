#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs with slices of two GPUs that change while they work
# timeout: 3600
# beside: yes

make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --gpus 2 --timeout 3500 --env TESSERA_IOMMUFD=1 \
	--env TESSERA_PATIENCE=6 -- selftests/mdev/run.sh span_live
