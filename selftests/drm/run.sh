#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the tests of the DRM interface, in a host VM or a guest with the modules loaded;
# with names of programs only those. "lifetime" needs the right to unbind the GPU.

cd "$(dirname "$0")/../.." || exit 1
dir=out/selftests/drm
[ $# -gt 0 ] || set -- abi_1_0 query memory evict prime bind queue submit spread sync fault dump isolation \
	stress fdinfo elastic nodes turns lifetime held torn

status=0
for test; do
	echo "# drm: $test"
	"$dir/$test" || status=1
done
exit $status
