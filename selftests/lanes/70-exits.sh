#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: KVM exits per submitted dispatch, counted in a guest with an exclusive vGPU; with FULL=1 on both back-ends
# timeout: 1100
# beside: yes

make -s -C selftests/exits O="$PWD/out/selftests/exits" || exit 1
status=0
for backend in pci ${TESSERA_FULL:+user}; do
	echo "# Back-end $backend"
	scripts/vm host --backend "$backend" --timeout 540 -- \
		python3 selftests/exits/exits.py || status=1
done
exit $status
