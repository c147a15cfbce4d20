#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/pocl-build.sh
#
# Builds PoCL's own tests, in the layer "opencl", where PoCL was built and of which nothing stays,
# and keeps what running them needs in out/opencl/pocl, for this layer. pocl.py runs them.

case ${1:-} in
-h | --help) sed -n '4,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
cd "$(dirname "$0")/../.." || exit 1
place=/usr/src/opencl
stamp=/etc/tessera-env-opencl
to=$PWD/out/opencl/pocl
log=$to.log
if ! [ -e $stamp ]; then
	echo "pocl-build: this is not the layer: scripts/env --with opencl run $0" >&2
	exit 1
fi
if cmp -s $stamp "$to/made-for"; then
	exit 0
fi
rm -rf "$to"
mkdir -p "$to"
cd $place || exit 1
# Some do not compile (pocl.known); ninja makes all others.
cmake -DENABLE_TESTS=ON build >"$log" && ninja -C build -k 0 >>"$log" 2>&1
tar -c --exclude='*.o' --exclude='*.a' build/{tests,poclu,CTestTestfile.cmake} |
	tar -x --strip-components=1 -C "$to" && cp $stamp "$to/made-for" ||
	{ echo "pocl-build: see $log" >&2; exit 1; }
