#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: GPUs that a process serves: the interface, servers that are killed, stopped, replaced, lost
# timeout: 2700
# beside: yes

make -s -C selftests user O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --backend user --gpus 0 --mem 1536M --timeout 2600 \
	--env TESSERA_PATIENCE=6 --env ROUNDS=3 -- sh -c "out/selftests/user/device; a=\$?
	selftests/user/run.sh null_server answers_twice killed recovered stopped replaced abandoned \
		unbound unloaded && exit \$a"
