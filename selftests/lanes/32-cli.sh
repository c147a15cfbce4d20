#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: tesseractl: pieces, made-up sysfs trees with sanitizers, host VM; on 7.2, in short on 6.12
# timeout: 1200
# beside: yes

export PYTHONDONTWRITEBYTECODE=1
status=0
make -s -C tools/cli O="$PWD/out/tools/cli" >&2 || exit 1
make -s -C selftests cli O="$PWD/out/selftests" >&2 || exit 1
out/selftests/cli/unit || status=1
python3 selftests/cli/native_test.py out/selftests/cli/asan/tesseractl || status=1
python3 selftests/cli/operate_test.py out/selftests/cli/asan/tesseractl || status=1
python3 selftests/cli/compose_test.py out/selftests/cli/asan/tesseractl || status=1
for kernel in 6.12 7.2; do
	echo "# Linux $kernel"
	tests="compose_host host_test"
	[ $kernel = 7.2 ] || [ -n "${TESSERA_FULL:-}" ] || tests=compose_host
	# shellcheck disable=SC2016,SC2086 # for the host VM; a list
	scripts/vm host --kernel $kernel --timeout 420 -- sh -c 'status=0
		for t; do python3 "selftests/cli/$t.py" || status=1; done
		exit $status' sh $tests || status=1
done
exit $status
