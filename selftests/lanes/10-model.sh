#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the GPU model: unit tests with ASan and UBSan, its BARs in a host VM
# timeout: 1500

status=0
out=$PWD/out/tools/model
make -s -j"$(nproc)" -C tools/model O="$out" all tests >&2 || exit 1
make -s -C tools/model O="$out" test || status=1
echo "TAP version 13"
scripts/vm host --bare --timeout 200 -- "$out/bar_test" || status=1
exit $status
