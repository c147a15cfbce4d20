#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh DIR: test the examples in DIR on whatever GPU their library finds. TAP.
# TESSERA_EXAMPLE_FILES: more files for sha256.

. "$(dirname "$0")/../../scripts/ktap.sh"

dir=$1
ktap_begin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp" "$ktap_output"' EXIT

# says WORD COMMAND...: the command must succeed and print WORD
says()
{
	word=$1
	shift
	"$@" >"$tmp/out" 2>&1 || { cat "$tmp/out"; return 1; }
	cat "$tmp/out"
	grep -q -- "$word" "$tmp/out"
}

json()
{
	"$@" >"$tmp/json" || return 1
	cat "$tmp/json"
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); r = r.get("result", r)
sys.exit(not (r["ok"] and r["verified"] and r["cycles"] > 0 and r["dispatches"] > 0))' "$tmp/json"
}

# Lengths around the block size, where padding goes wrong; one empty; one of many pieces
: >"$tmp/empty"
for size in 1 55 56 57 63 64 65 119 120 128 131071 131072 131073; do
	head -c "$size" /dev/urandom >"$tmp/file-$size"
done
head -c 300000 /dev/urandom >"$tmp/file with spaces"
printf x >"$tmp/back\\slash"

same_as_sha256sum()
{
	"$dir/sha256" "$@" >"$tmp/ours" || return 1
	sha256sum "$@" >"$tmp/theirs" || return 1
	diff "$tmp/ours" "$tmp/theirs" && sha256sum --quiet -c "$tmp/ours"
}

from_stdin()
{
	"$dir/sha256" - <"$tmp/file-65" >"$tmp/ours" && sha256sum - <"$tmp/file-65" | diff "$tmp/ours" -
}

picture()
{
	says 'mandelbrot: ok' "$dir/mandelbrot" --width 80 --height 60 --output "$tmp/m.png" &&
		[ "$(od -An -tx1 -N8 "$tmp/m.png" | tr -d ' ')" = 89504e470d0a1a0a ]
}

# scene MASK: the pictures are the same everywhere. MASK: simulated slices that have units
scene()
{
	SIM_UNITS=$1 "$dir/scene" --width 100 --height 75 --output "$tmp/d.png" \
		--traced "$tmp/t.png" >"$tmp/out" 2>&1 || { cat "$tmp/out"; return 1; }
	cat "$tmp/out"
	grep -q 'd.png (100x75, 949774bc)' "$tmp/out" && grep -q 't.png (100x75, 33d0a748)' "$tmp/out" &&
		grep -q 'scene: ok' "$tmp/out"
}

check "sgemm" says 'sgemm: ok' "$dir/sgemm"
check "sgemm, a size that is no multiple of the tile" says 'sgemm: ok' "$dir/sgemm" --size 37
check "sgemm, one slice" says ' 1 slices' "$dir/sgemm" --size 64 --slices 1
check "reduce" says 'reduce: ok' "$dir/reduce" --count 100003
check "reduce, one element" says 'reduce: ok' "$dir/reduce" --count 1
check "mandelbrot writes a PNG" picture
check "scene: these pictures on every GPU" scene 0
check "scene, all simulated slices with units" scene 0xff
check "scene, some" scene 0x5a
check "bandwidth" says 'bandwidth: ok' "$dir/bandwidth" --size 1M
check "bandwidth, an odd size" says 'bandwidth: ok' "$dir/bandwidth" --size 100004
# shellcheck disable=SC2086 # a list
check "sha256 agrees with sha256sum" same_as_sha256sum "$tmp/empty" "$tmp"/file* \
	"$tmp/back\\slash" "$dir/sha256" ${TESSERA_EXAMPLE_FILES:-}
check "sha256 of standard input" from_stdin
check "sha256 --json" json "$dir/sha256" --json "$tmp/file-64"
check "reduce --json" json "$dir/reduce" --json --count 1000
expect "no such file" 1 "$dir/sha256" "$tmp/nothing"
expect "no file" 2 "$dir/sha256"
expect "unknown option" 2 "$dir/sgemm" --what
expect "not a number" 2 "$dir/sgemm" --size ten
expect "superfluous operand" 2 "$dir/reduce" 5
expect "no such GPU" 1 "$dir/reduce" --device 9
check "help" says 'usage: sgemm' "$dir/sgemm" --help
ktap_end
