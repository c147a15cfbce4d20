#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of scripts/progress, as TAP.
#
# shellcheck disable=SC2317 # functions called by name

. scripts/ktap.sh

# Runs a step whose output is $1 and whose status is $2; what is printed goes to $said
step()
{
	printf '%b' "$1" >"$dir/lines"
	V='' scripts/progress "the title" sh -c "cat '$dir/lines'; exit $2" >"$said" 2>&1
}

one_line()
{
	step '  CC [M]  a/b.o\n  LD\tout/x\nmake[2]: Nothing to be done for "all".\n' 0
	cat "$said"
	[ "$(sed 's/, [0-9]* s$//' "$said")" = "the title: 2 steps" ]
}

nothing_done()
{
	step 'make: Nothing to be done for "all".\n' 0
	cat "$said"
	[ "$(cat "$said")" = "the title: up to date" ]
}

warnings_stay()
{
	step '  CC      a.o\na.c:1:2: warning: unused\n   1 | int x;\n' 0
	cat "$said"
	grep -qx 'a.c:1:2: warning: unused' "$said" && grep -qx '   1 | int x;' "$said" &&
		! grep -q '^  CC' "$said"
}

failure()
{
	! step '  CC      a.o\na.c:1:2: error: no\n' 7
	cat "$said"
	grep -qx 'a.c:1:2: error: no' "$said" && [ "$(tail -n 1 "$said")" = "the title: failed, see above" ]
}

verbose()
{
	V=1 scripts/progress "the title" echo "  CC      a.o" >"$said"
	cat "$said"
	[ "$(cat "$said")" = "  CC      a.o" ]
}

on_a_terminal()
{
	TERM=vt100 V='' script -qec "scripts/progress title sh -c 'echo \"  CC      a/b.o\"'" \
		/dev/null </dev/null | tr '\r' '\n' >"$said"
	cat -v "$said"
	grep -q 'title: 1, b.o$' "$said"
}

dir=$(mktemp -d)
said=$dir/said
ktap_begin
trap 'rm -rf "$dir" "$ktap_output"' EXIT
check "a step prints one line" one_line
check "and says so if there was nothing to do" nothing_done
check "warnings are printed" warnings_stay
check "errors are printed, the last line says that it failed" failure
expect "and its status is the command's" 7 scripts/progress title sh -c 'exit 7'
check "V=1: the command prints itself" verbose
check "a terminal shows the present file" on_a_terminal
ktap_end
