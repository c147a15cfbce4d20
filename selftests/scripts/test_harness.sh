#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of what tests in C are written with (selftests/lib/harness.h), as TAP: a program whose
# tests end in every way there is, and all that it has to say.
#
# shellcheck disable=SC2317 # functions called by name

. scripts/ktap.sh
linux=/usr/lib/tessera/linux

wanted()
{
	cat <<'END'
TAP version 13
1..9
# expected 1 == 2
# body goes on after an expectation
not ok 1 expectation
# expected 3 == i
not ok 2 loop
not ok 3 too_long
ok 4 errors
ok 5 skipped.in_setup # SKIP no reason
# teardown with 42
ok 6 torn_down.after_success
# expected 42 == self->value
# teardown with 43
not ok 7 torn_down.after_an_assertion
# teardown with 42
ok 8 torn_down.after_a_skip # SKIP in the body
# expected 1 == 2
not ok 9 broken.in_setup
END
}

# Without what harnesses say around tests, and each in its own way: places, values, time limits,
# the group of tests without a fixture
said()
{
	"$probe" 2>&1 | sed -E '/^# ( |FAILED|Starting|Totals|[a-z_]+: (Test |timed out))/d
		s/^# [^ ]*probe\.c:[0-9]+: ?[a-z_.]+: ?[Ee]xpected/# expected/
		s/ \((0x)?[0-9a-f]+\)//g; s/ global\./ /; s/ +$//'
}

says_all()
{
	wanted >out/harness-wanted
	said >out/harness-said
	diff -u out/harness-wanted out/harness-said
}

one_of_them()
{
	[ "$("$probe" -r torn_down.after_success | grep -c '^1\.\.1$\|^ok 1 torn_down')" -eq 2 ]
}

fails()
{
	! "$probe" >/dev/null 2>&1
}

# A misspelt filter must not run all tests, and call that the one that was asked for
refuses_others()
{
	! "$probe" --only torn_down.after_success >out/harness-said 2>/dev/null &&
		! grep -q '^\(not \)\?ok ' out/harness-said
}

# Twice as long as the test's one second
has_patience()
{
	before=$(date +%s%N)
	! TESSERA_PATIENCE=2 "$probe" -r "$1too_long" >/dev/null 2>&1 &&
		[ $(($(date +%s%N) - before)) -ge 2000000000 ]
}

# harness TITLE GROUP-OF-TESTS-WITHOUT-FIXTURE MAKE-ARGUMENTS...
harness()
{
	title=$1
	group=$2
	shift 2
	check "$title: builds" make -s -C selftests harness O="$out" "$@"
	probe=$out/harness/probe
	check "$title: skips, assertions, teardowns and time limits" says_all
	check "$title: its status tells that tests failed" fails
	check "$title: one test by its name" one_of_them
	check "$title: refuses options that it does not know" refuses_others
	check "$title: TESSERA_PATIENCE times as long" has_patience "$group"
}

ktap_begin
out=$PWD/out/selftests
harness "our harness" ""
out=$PWD/out/selftests-linux
harness "the kernel's harness" global. KSRC=$linux
rm -rf "$out" out/harness-wanted out/harness-said
ktap_end
