#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: vm.sh OPTION... -- CMD [ARG...]
#
# Runs CMD in a host VM with the debug kernel; the options are those of scripts/vm host. Then
# tells what is left there (clean.sh) and in which orders locks were taken.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
mkdir -p out/lockdep
chains=out/lockdep/$$
begun=
for arg; do
	shift
	set -- "$@" "$arg"
	[ "$begun$arg" = -- ] || continue
	begun=yes
	set -- "$@" selftests/debug/clean.sh
done

status=0
scripts/vm host --kernel debug --env TESSERA_CHAINS=$chains "$@" || status=1
# Here, because it takes minutes in the VM
# shellcheck source-path=SCRIPTDIR source=../../scripts/ktap.sh
. scripts/ktap.sh
ktap_begin
if [ -s $chains ]; then
	check "locks were taken in the documented order" scripts/lockorder $chains
	rm -f $chains
else
	skip "locks were taken in the documented order" "no record of modules that are still loaded"
fi
[ $status -eq 0 ] || ktap_failed=1
ktap_end
