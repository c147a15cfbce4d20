#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: clean.sh CMD [ARG...]
#
# Runs CMD in a host VM with the debug kernel and then asks the kernel what is left: memory
# that nobody knows, and marks of trouble (Documentation/admin-guide/tainted-kernels.rst).
# What lockdep recorded goes to the file TESSERA_CHAINS; it loses the locks of unloaded modules.
# Splats in the kernel log are for scripts/vm to find.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
leaks=/sys/kernel/debug/kmemleak
# Modules that are not part of the kernel, and KUnit
expected=$((1 << 12 | 1 << 18))

untainted()
{
	taint=$(cat /proc/sys/kernel/tainted)
	echo "taint: $taint"
	[ $((taint & ~expected)) -eq 0 ]
}

# An object counts after it was found lost twice and is five seconds old.
no_leaks()
{
	sleep 6
	echo scan >"$leaks" && echo scan >"$leaks" && cat "$leaks" && [ -z "$(cat "$leaks")" ]
}

# The kernel's own scans, at times of its choosing, would only take time
echo scan=off >"$leaks" || exit 1
status=0
"$@" || status=1
[ ! -d /sys/module/tessera ] || cat /proc/lockdep_chains >"$TESSERA_CHAINS"
# shellcheck source-path=SCRIPTDIR source=../../scripts/ktap.sh
. scripts/ktap.sh
ktap_begin
check "no memory is left behind" no_leaks
check "the kernel is not tainted" untainted
[ $status -eq 0 ] || ktap_failed=1
ktap_end
