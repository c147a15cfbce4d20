#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: charts, completion routing, exits per dispatch and speed of a served GPU, as make bench and bench-user, in short; races of the event index
# timeout: 900
# beside: no

status=0
python3 selftests/bench/test_chart.py || status=1
make -s -C selftests bench O="$PWD/out/selftests" >&2 || exit 1
make -s -C tools/bench/gpu O="$PWD/out/tools/bench/gpu" >&2 || exit 1
out/selftests/bench/race || status=1
scripts/vm host --timeout 500 -- python3 selftests/bench/gate.py || status=1
selftests/bench/served.sh || status=1
exit $status
