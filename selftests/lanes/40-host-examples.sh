#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: libtessera, tessera-run and all examples on the GPU, in the host VM; 6.12 and 7.2
# timeout: 1200

make -s -C tools/lib O="$PWD/out/tools/lib" test-device || exit 1
make -s -C tools/run O="$PWD/out/tools/run" test-kernels || exit 1
status=0
echo "# Linux 6.12"
scripts/vm host --kernel 6.12 --timeout 800 -- sh -c \
	"sh selftests/examples/run.sh; status=\$?
	 sh selftests/examples/elastic.sh && exit \$status" || status=1
echo "# Linux 7.2"
scripts/vm host --kernel 7.2 --timeout 500 -- sh selftests/examples/run.sh || status=1
exit $status
