#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/graphics/scenes.sh [--sim] [--short] [--quick] [--pictures FILE]
#
# Pictures by OpenGL ES, of which the GPU draws every scene; the CPU, with the code that the GPU
# has, draws the same. On the first GPU, or on the simulated one. TAP. --short draws a few, no more;
# --quick leaves out what is slow in a virtual machine; --pictures compares with the checksums in FILE,
# or writes them.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,9s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
graphics_gpu=
short=
quick=
pictures=
while [ $# -gt 0 ]; do
	case $1 in
	--sim) graphics_gpu=sim ;;
	--short) short=1 ;;
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

# fewer NAME OTHER: instructions
fewer()
{
	[ "$(number "$1" instructions)" -gt 0 ] &&
		[ "$(number "$1" instructions)" -lt "$(number "$2" instructions)" ]
}

all_cached()
{
	[ "$(number "$1" compiled)" -eq 0 ] && [ "$(number "$1" cached)" -gt 0 ]
}

no_difference()
{
	grep -E '^tessera: compared [1-9][0-9]* pixels, 0 differ$' "$dir/$1.said"
}

# Far from what the driver allows to a dispatch: 60 seconds of 4 million cycles
in_short_dispatches()
{
	grep '^tessera: dispatches' "$dir/$1.said"
	[ "$(number "$1" dispatches)" -gt 8 ] && [ "$(number "$1" dispatches.*longest)" -lt 60000000 ]
}

# faulty NAME INSTRUCTIONS SCENE...: work-groups are stopped after so many
faulty()
{
	faulty_name=$1
	export TESSERA_SIM_HANG="$2"
	shift 2
	draw "$faulty_name" stats "$@"
	faulty_status=$?
	unset TESSERA_SIM_HANG
	return "$faulty_status"
}

# scenes_are NAME GPU CPU
scenes_are()
{
	[ "$(number "$1" gpu)" -eq "$2" ] && [ "$(number "$1" cpu)" -eq "$3" ]
}

# Pictures of some scenes are among those of all
known_pictures()
{
	[ -s "$dir/$1.sums" ] && ! grep -vxFf "$dir/cpu.sums" "$dir/$1.sums"
}

# What a program is told of each counter is what was counted
told_of()
{
	for counter in gpu-scenes cpu-scenes gpu-instructions gpu-cycles; do
		grep "^scenes: $counter " "$dir/$1.said" || return 1
	done
	told() { sed -n "s/^scenes: $2 //p" "$dir/$1.said"; }
	[ "$(told "$1" gpu-scenes)" -eq "$(number "$1" gpu)" ] &&
		[ "$(told "$1" cpu-scenes)" -eq "$(number "$1" cpu)" ] &&
		[ "$(told "$1" gpu-instructions)" -eq "$(number "$1" instructions)" ] &&
		[ "$(told "$1" gpu-cycles)" -eq "$(number "$1" cycles)" ]
}

says_once()
{
	[ "$(grep -c "$2" "$dir/$1.said")" -eq 1 ]
}

same_pictures()
{
	cmp "$dir/$1.sums" "$2"
}

ktap_begin
if [ -n "$short" ]; then
	check "on both at a time" draw both stats,compare bilinear lit-cube compressed
	check "all scenes by the GPU" all_on_gpu both
	check "no pixel differs" no_difference both
	rm -rf "$dir"
	ktap_end
fi
check "the GPU draws" draw gpu stats
check "all scenes" all_on_gpu gpu
check "again" draw again stats
check "without a compilation" all_cached again
check "the same pictures as before" same_pictures again "$dir/gpu.sums"
check "the CPU draws" draw cpu stats,cpu
check "all scenes, too" all_on_cpu cpu
check "the same pictures" same_pictures gpu "$dir/cpu.sums"
check "a program that closes nothing" draw left stats --leave flat
check "its scene is counted, too" scenes_are left 1 0
check "once" says_once left '^tessera: scenes'
check "counters of the driver" draw counted stats --count flat lit-cube
check "tell what was counted" told_of counted
if [ -z "$quick" ]; then
	check "on both at a time" draw both compare
	check "no pixel differs" no_difference both
	check "four samples, on both" draw samples compare --samples 4 flat lit-cube triangles stencilled depth
	check "all scenes by the GPU" all_on_gpu samples
	check "no sample differs" no_difference samples
	check "a scene that takes long, on both" draw long stats,compare long
	check "by the GPU" all_on_gpu long
	check "in many dispatches" in_short_dispatches long
	check "no pixel differs in it" no_difference long
fi
if [ "$graphics_gpu" = sim ] && [ -z "$quick" ]; then
	export TESSERA_SIM_UNITS=0x33
	check "on slices with units and without, and the CPU" draw some compare
	check "no pixel differs there" no_difference some
	export TESSERA_SIM_UNITS=0xff
	check "on slices that all have units" draw units stats
	check "all scenes there" all_on_gpu units
	check "the same pictures as where some have" same_pictures units "$dir/some.sums"
	check "with fewer instructions than without units" fewer units gpu
	check "with units, which are not used" draw aside stats,nounits
	check "the pictures of a GPU without" same_pictures aside "$dir/gpu.sums"
	unset TESSERA_SIM_UNITS
	check "a scene hangs" faulty hung 2000000 flat long discarded
	check "the CPU draws that one, and the GPU the next" scenes_are hung 2 1
	check "all scenes hang" faulty all 1000 flat gouraud nearest bilinear blended
	check "the CPU draws them" scenes_are all 0 5
	check "as it does without a GPU" known_pictures all
	check "after three the GPU is not asked again" says_once all "the CPU draws from now on"
fi
if [ -n "$pictures" ] && [ -e "$pictures" ]; then
	check "the same pictures as elsewhere" same_pictures gpu "$pictures"
elif [ -n "$pictures" ]; then
	cp "$dir/gpu.sums" "$pictures"
fi
rm -rf "$dir"
ktap_end
