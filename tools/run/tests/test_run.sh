#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# test_run.sh DIR KERNELS.elf: test tessera-run and tessera-info in DIR on whatever GPU
# their library finds. TAP.

. "$(dirname "$0")/../../../scripts/ktap.sh"

run=$1/tessera-run
info=$1/tessera-info
elf=$2
ktap_begin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp" "$ktap_output"' EXIT

# fails STATUS WORD COMMAND...: exit status and a word of the message
fails()
{
	want=$1
	word=$2
	shift 2
	"$@" >"$tmp/out" 2>&1
	got=$?
	cat "$tmp/out"
	echo "exit status $got"
	[ "$got" -eq "$want" ] && grep -q -- "$word" "$tmp/out"
}

numbers()
{
	python3 -c 'import struct, sys
sys.stdout.buffer.write(struct.pack("<%dI" % len(sys.argv[1:]), *map(int, sys.argv[1:])))' "$@"
}

run_all()
{
	"$run" "$elf" --kernel all --grid 8 --group 4 --arg in:"$tmp/in" --arg out:"$tmp/out1":32 \
		--arg inout:"$tmp/inout" --arg u32:8 --arg f32:1.5 --arg f64:0.25 --arg i64:-100 "$@"
}

all_kinds()
{
	numbers 1 2 3 4 5 6 7 8 >"$tmp/in"
	numbers 9 9 9 9 9 9 9 9 >"$tmp/inout"
	run_all "$@" || return 1
	numbers 105 106 107 108 109 110 111 112 | cmp - "$tmp/out1" || return 1
	numbers 10 10 10 10 10 10 10 10 | cmp - "$tmp/inout"
}

local_memory()
{
	"$run" "$elf" --kernel memory --grid 16 --group 16 --arg out:"$tmp/out2":32 \
		--arg local:64 --arg zero:64 --local 128 || return 1
	python3 -c 'import struct, sys
v = struct.unpack("<4Q", open(sys.argv[1], "rb").read())
print(v)
sys.exit(v != (0xffffffffffff0010, 16 + 64 + 128, 15, 0))' "$tmp/out2"
}

json_result()
{
	all_kinds --json --repeat 3 >"$tmp/json" && cat "$tmp/json" && python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not (r["kernel"] == "all" and r["runs"] == 3 and r["groups"] == 6 and r["cycles"] > 0
	and r["instructions"] > 0 and r["flops"] > 0 and 0 < r["best_cycles"] <= r["cycles"]))' "$tmp/json"
}

json_error()
{
	"$run" --json "$tmp/nothing.elf" --grid 1 >"$tmp/json"
	[ $? -eq 1 ] && python3 -c 'import json, sys
sys.exit("nothing.elf" not in json.load(open(sys.argv[1]))["error"])' "$tmp/json"
}

pipe()
{
	numbers 1 2 3 4 5 6 7 8 >"$tmp/in"
	numbers 0 0 0 0 0 0 0 0 >"$tmp/inout"
	"$run" "$elf" --kernel all --grid 8 --arg in:- --arg out:-:32 --arg inout:"$tmp/inout" \
		--arg u32:8 --arg f32:0 --arg f64:0 --arg i64:0 <"$tmp/in" >"$tmp/piped" &&
		cmp "$tmp/in" "$tmp/piped"
}

info_json()
{
	"$info" --json >"$tmp/json" && cat "$tmp/json" && python3 -c 'import json, sys
g = json.load(open(sys.argv[1]))
sys.exit(not (len(g) >= 1 and g[0]["slices"] and g[0]["slices"][0]["cores"] > 0
	and "compute" in g[0]["slices"][0]["engines"] and g[0]["vram_size"] > 0))' "$tmp/json"
}

head -c 100 /dev/urandom >"$tmp/noise"

check "all kinds of arguments" all_kinds
check "one slice" all_kinds --slices 1
check "system memory" all_kinds --system
check "repeated" all_kinds --repeat 5
check "local memory" local_memory
check "--json" json_result
check "errors with --json" json_error
check "standard input and output" pipe
check "a fault" fails 1 'wild+' "$run" "$elf" --kernel wild --grid 1
check "no kernel named" fails 1 'name one' "$run" "$elf" --grid 1
check "no such kernel" fails 1 'no kernel "x"' "$run" "$elf" --kernel x --grid 1
check "no such program" fails 1 'No such file' "$run" "$tmp/nothing" --grid 1
check "no program at all" fails 1 'not an ELF' "$run" "$tmp/noise" --grid 1
check "not for this machine" fails 1 'cannot load' "$run" "$run" --grid 1
check "no such input" fails 1 'cannot open' "$run" "$elf" --kernel all --grid 1 --arg in:"$tmp/none"
check "a group that is too large" fails 1 'allows' "$run" "$elf" --kernel wild --grid 1 --group 999
check "no such GPU" fails 1 'GPU' "$run" "$elf" --grid 1 --device 77
check "no grid" fails 2 '--grid' "$run" "$elf"
check "a bad grid" fails 2 'dimension' "$run" "$elf" --grid 0
check "a bad argument" fails 2 'unknown kind' "$run" "$elf" --grid 1 --arg x:y
check "no program given" fails 2 'program' "$run" --grid 1
check "two programs" fails 2 'one program' "$run" "$elf" "$elf" --grid 1
check "an unknown option" fails 2 'help' "$run" --what
check "help" fails 0 'usage: tessera-run' "$run" --help
check "tessera-info" fails 0 'slice' "$info"
check "tessera-info --device 0" fails 0 'cores' "$info" --device 0
check "tessera-info --json" info_json
check "tessera-info: no such GPU" fails 1 'GPU' "$info" --device 77
check "tessera-info: usage" fails 2 'usage' "$info" something
ktap_end
