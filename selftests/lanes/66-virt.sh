#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: stock mdevctl and libvirt: devices with blueprints, live changes, a domain that computes
# timeout: 1400
# beside: yes

export PYTHONDONTWRITEBYTECODE=1
status=0
make -s -C selftests virt mdev O="$PWD/out/selftests" >&2 || exit 1
make -s -C tools/mdevctl O="$PWD/out/tools/mdevctl" >&2 || exit 1
python3 selftests/virt/callout_test.py out/selftests/virt/asan/tessera || status=1
scripts/vm host --timeout 1300 -- python3 selftests/virt/main.py || status=1
exit $status
