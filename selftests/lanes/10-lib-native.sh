#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: libtessera, tessera-run and the examples on a simulated GPU, with sanitizers
# timeout: 900

status=0
for dir in tools/lib tools/run examples; do
	make -s -C $dir O="$PWD/out/$dir" test || status=1
done
make -s -C tools/lib O="$PWD/out/tools/lib" test-tsan || status=1
exit $status
