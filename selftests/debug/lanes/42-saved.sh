#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs that go to another host, and the log of what they write meanwhile
# timeout: 5400
# beside: yes

make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --gpus 2 --timeout 5300 --env TESSERA_IOMMUFD=1 \
	--env TESSERA_PATIENCE=6 -- selftests/mdev/run.sh logging saved precopy lost
