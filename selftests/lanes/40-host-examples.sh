#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: libtessera, tessera-run and all examples on the GPU, in the host VM; on 7.2
# timeout: 1200

make -s -C tools/lib O="$PWD/out/tools/lib" test-device || exit 1
make -s -C tools/run O="$PWD/out/tools/run" test-kernels || exit 1
status=0
for kernel in ${TESSERA_FULL:+6.12} 7.2; do
	echo "# Linux $kernel"
	scripts/vm host --kernel "$kernel" --timeout 800 -- sh -c \
		"sh selftests/examples/run.sh; status=\$?
		 sh selftests/examples/elastic.sh && exit \$status" || status=1
done
exit $status
