#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: tesseractl: pieces, made-up sysfs trees with sanitizers, host VM; 6.12 and 7.2
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
	scripts/vm host --kernel $kernel --timeout 420 -- sh -c \
		"python3 selftests/cli/compose_host.py; status=\$?
		 python3 selftests/cli/host_test.py && exit \$status" || status=1
done
exit $status
