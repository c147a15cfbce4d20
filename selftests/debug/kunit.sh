#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the KUnit tests, which a module does as it is loaded, in a host VM with the debug kernel.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
insmod "out/modules/$(uname -r)/tessera_kunit.ko" || exit 1
status=0
for results in /sys/kernel/debug/kunit/tessera_*/results; do
	cat "$results"
	! grep -q "^ *not ok" "$results" || status=1
done
rmmod tessera_kunit || exit 1
exit $status
