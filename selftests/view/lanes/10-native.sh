#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: tessera-view of heads that the test draws: pictures, bytes, access, hostile clients
# timeout: 1500

status=0
make -s -C tools/view O="$PWD/out/tools/view" test || status=1
selftests/view/native.py || status=1
exit $status
