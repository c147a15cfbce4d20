#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: blueprints, placement of vGPUs, scheduling policy: the kernel's source in user space
# timeout: 300

status=0
make -s -C selftests pool O="$PWD/out/selftests" || exit
for test in out/selftests/pool/*_test.o; do
	"${test%_test.o}" || status=1
done
exit $status
