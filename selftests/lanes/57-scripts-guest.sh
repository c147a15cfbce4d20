#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the test machinery itself: what mends TCG's KVM, vm guest, vm pair
# timeout: 2200
# beside: no
# only: full

status=0
make -s -C selftests/tcg O="$PWD/out/selftests/tcg" >&2 || exit 1
sh selftests/scripts/test_tcg.sh || status=1
scripts/vm host --bare --gpus 0 --timeout 1200 -- sh selftests/scripts/test_guest.sh || status=1
sh selftests/scripts/test_pair.sh || status=1
exit $status
