#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: GPUs that a process serves: the interface, bad servers, and the tests of PCI GPUs on them
# timeout: 1900
# beside: yes

status=0
make -s -C selftests user mdev O="$PWD/out/selftests" >&2 || exit 1
for kernel in 6.12 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel $kernel --backend user --gpus 0 --mem 1G --timeout 500 -- \
		sh -c "out/selftests/user/device; a=\$?; selftests/user/run.sh && exit \$a" || status=1
done
scripts/vm host --kernel 7.2 --backend user --timeout 500 -- selftests/drm/run.sh || status=1
scripts/vm host --kernel 6.12 --backend user --timeout 900 -- selftests/mdev/run.sh || status=1
scripts/vm host --kernel 7.2 --backend user --gpus 2 --timeout 500 -- \
	selftests/pool/pool.sh || status=1
scripts/vm host --kernel 7.2 --backend user --timeout 500 -- \
	selftests/mdev/guests.sh one || status=1
scripts/vm host --kernel 7.2 --backend user --gpus 0 --timeout 600 -- \
	selftests/user/run.sh replaced_under_guest || status=1
exit $status
