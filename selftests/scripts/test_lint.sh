#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The checker of kernel code, as KTAP: what it warns of fails a build.
#
# shellcheck disable=SC2317 # functions are called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

sparse()
{
	echo "$1" >"$dir/file.c"
	scripts/sparse -Wbitwise "$dir/file.c"
}

ktap_begin
expect "sparse: nothing wrong" 0 sparse 'static int a(void) { return 1; } int b(void); int b(void) { return a(); }'
expect "sparse: a symbol nobody declared" 1 sparse 'int a = 1;'
expect "sparse: byte order" 1 sparse 'typedef int __attribute__((bitwise)) le; int b(le a); int b(le a) { return a + 1; }'
ktap_end
