#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: run.sh SECONDS [TARGET...]     fuzz each target for so long
#        run.sh check [TARGET...]       replay what is recorded, and a fixed number of runs
#
# Runs in the environment. The corpus is kept in the cache, outside the tree; what breaks a
# target is left in out/fuzz and belongs into selftests/fuzz/seeds/TARGET, as NAME.bin, with
# the fix. TAP.
#
# shellcheck disable=SC2046,SC2317 # lists of words; functions are called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
bin=out/selftests/fuzz
# A run is a whole life of a rig: so many take about two seconds, but for the noise.
declare -A runs=([words]=20000 [spec]=50000 [image]=20000 [mmu]=8000 [packet]=1500
		 [context]=1200 [isa]=1000 [vfu]=1200)
# What an input may be at most: longer ones only take longer.
limits=(-max_len=8192 -timeout=100 -rss_limit_mb=2048)

# fuzz TARGET ARG...
fuzz()
{
	local target=$1 dict=()

	shift
	[ ! -e "selftests/fuzz/$target.dict" ] || dict=("-dict=selftests/fuzz/$target.dict")
	"$bin/${target}_fuzz" "${limits[@]}" "${dict[@]}" "$@" >"out/fuzz/$target.log" 2>&1 && return
	# A failure, then where it was
	grep -n -m 1 -A 40 -E 'does not hold|ERROR: |runtime error' "out/fuzz/$target.log" ||
		tail -n 40 "out/fuzz/$target.log"
	return 1
}

# The last line of figures that libFuzzer printed
figures()
{
	echo "# $1: $(grep -E 'cov: [0-9]+' "out/fuzz/$1.log" | tail -n 1 | tr -s ' \t' ' ')"
}

replay()
{
	"$bin/$1_fuzz" "${limits[@]}" "selftests/fuzz/seeds/$1"/*.bin >"out/fuzz/$1.log" 2>&1 && return
	tail -n 40 "out/fuzz/$1.log"
	return 1
}

# seeds TARGET [new]: directory of its seeds, and one before it for what is new
seeds()
{
	local dir=selftests/fuzz/seeds/$1

	[ -d "$dir" ] || return 0
	[ -z "${2:-}" ] || mktemp -d "$scratch/XXXXXX"
	echo "$dir"
}

check_target()
{
	[ ! -d "selftests/fuzz/seeds/$1" ] || check "$1: recorded inputs" replay "$1"
	# The seeds are where it begins; what it finds is not kept
	check "$1: ${runs[$1]} runs" fuzz "$1" -seed=1 "-runs=${runs[$1]}" \
		"-artifact_prefix=out/fuzz/$1-" $(seeds "$1" new)
	figures "$1"
}

fuzz_target()
{
	local corpus=${TESSERA_CACHE:-out}/fuzz/$1

	mkdir -p "$corpus"
	check "$1: $mode seconds" fuzz "$1" "-max_total_time=$mode" -print_final_stats=1 \
		"-artifact_prefix=out/fuzz/$1-" "$corpus" $(seeds "$1")
	figures "$1"
}

mode=${1:?}
shift
[ $# -gt 0 ] || set -- words spec image mmu packet context isa vfu
mkdir -p out/fuzz
ktap_begin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch" "$ktap_output"' EXIT
for target; do
	[ -x "$bin/${target}_fuzz" ] || { echo "Bail out! no target $target"; exit 1; }
	if [ "$mode" = check ]; then
		check_target "$target"
	else
		fuzz_target "$target"
	fi
done
ktap_end
