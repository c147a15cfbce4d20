#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/graphics/scenes.sh [--sim] [--quick] [--pictures FILE]
#
# Pictures by OpenGL ES, of which the GPU draws every scene; the CPU, with the code that the GPU
# has, draws the same. On the first GPU, or on the simulated one. TAP. --quick leaves out what is
# slow in a virtual machine; --pictures compares with the checksums in FILE, or writes them.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
graphics_gpu=
quick=
pictures=
while [ $# -gt 0 ]; do
	case $1 in
	--sim) graphics_gpu=sim ;;
	--quick) quick=1 ;;
	--pictures) pictures=$2; shift ;;
	*) echo "scenes.sh: what is $1?" >&2; exit 2 ;;
	esac
	shift
done
dir=$(mktemp -d)
export MESA_SHADER_CACHE_DIR="$dir/shaders"
# shellcheck source=selftests/graphics/env.sh
. selftests/graphics/env.sh

# Into $dir/NAME.sums and $dir/NAME.said: draw NAME DEBUG ARGUMENT...
draw()
{
	name=$1
	export TESSERA_DEBUG="$2"
	shift 2
	out/tools/mesa/scenes "$@" >"$dir/$name.sums" 2>"$dir/$name.said"
	status=$?
	cat "$dir/$name.sums" "$dir/$name.said"
	return "$status"
}

# A number of "tessera: scenes 23 gpu 23 cpu 0 ...", by the word in front of it
number()
{
	sed -n "s/^tessera: scenes.* $2 \([0-9]*\).*/\1/p; s/^tessera: $2 \([0-9]*\).*/\1/p" \
		"$dir/$1.said" | head -n 1
}

all_on_gpu()
{
	[ "$(number "$1" gpu)" -gt 0 ] && [ "$(number "$1" cpu)" -eq 0 ]
}

all_on_cpu()
{
	[ "$(number "$1" gpu)" -eq 0 ] && [ "$(number "$1" cpu)" -gt 0 ]
}

all_cached()
{
	[ "$(number "$1" compiled)" -eq 0 ] && [ "$(number "$1" cached)" -gt 0 ]
}

no_difference()
{
	grep -E '^tessera: compared [1-9][0-9]* pixels, 0 differ$' "$dir/$1.said"
}

same_pictures()
{
	cmp "$dir/$1.sums" "$2"
}

ktap_begin
check "the GPU draws" draw gpu stats
check "all scenes" all_on_gpu gpu
check "the CPU draws" draw cpu stats,cpu
check "all scenes, too" all_on_cpu cpu
check "the same pictures" same_pictures gpu "$dir/cpu.sums"
check "again" draw again stats
check "without a compilation" all_cached again
check "the same pictures as before" same_pictures again "$dir/gpu.sums"
if [ -z "$quick" ]; then
	check "on both at a time" draw both compare
	check "no pixel differs" no_difference both
	check "four samples, on both" draw samples compare --samples 4 flat lit-cube triangles stencilled depth
	check "all scenes by the GPU" all_on_gpu samples
	check "no sample differs" no_difference samples
fi
if [ -n "$pictures" ] && [ -e "$pictures" ]; then
	check "the same pictures as elsewhere" same_pictures gpu "$pictures"
elif [ -n "$pictures" ]; then
	cp "$dir/gpu.sums" "$pictures"
fi
rm -rf "$dir"
ktap_end
