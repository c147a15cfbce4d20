#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of scripts/check on lanes made for the purpose, as TAP.
#
# shellcheck disable=SC2016,SC2317 # scripts for other shells; functions called by name

. scripts/ktap.sh

lane()
{
	printf '#!/bin/sh\n# lane: probe\n%s\n' "$2" >"$lanes/$1.sh"
	chmod +x "$lanes/$1.sh"
}

# totals WANTED-LAST-LINE WANTED-STATUS
totals()
{
	scripts/check --lanes-dir "$lanes" >"$lanes/output"
	status=$?
	rm -f "$lanes"/*.sh
	last=$(tail -n 1 "$lanes/output")
	echo "status $status, last line: $last"
	[ "$last" = "$1" ] && [ "$status" -eq "$2" ]
}

# on_terminal V: what is said there, a line for each time that it is printed
on_terminal()
{
	TERM=vt100 V=$1 script -qec "scripts/check --lanes-dir $lanes" /dev/null </dev/null |
		tr '\r' '\n' | sed "s/$(printf '\033')\[K//" >"$lanes/output"
	cat -v "$lanes/output"
}

shows_progress()
{
	on_terminal ""
	grep -q '^\[0 of 1 lanes\] a: 1 tests, 0 failed' "$lanes/output" &&
		grep -q '^a: not ok: y$' "$lanes/output" &&
		grep -q '^    # why$' "$lanes/output" && ! grep -q '^\[a .*ok 1' "$lanes/output" &&
		grep -qx '1 passed, 1 failed' "$lanes/output"
}

shows_all()
{
	on_terminal 1
	rm -f "$lanes"/*.sh
	grep -q '^\[a .*\] ok 1 x' "$lanes/output"
}

says_why()
{
	scripts/check --lanes-dir "$lanes" >"$lanes/output"
	rm -f "$lanes"/*.sh
	sed -n '/^failed:/,$p' "$lanes/output" >"$lanes/summary"
	cat "$lanes/summary"
	grep -q '# probe.c:1: expected 1 == 2' "$lanes/summary" && ! grep -q 'fine' "$lanes/summary"
}

# And not what it said before the last test
says_why_lane()
{
	scripts/check --lanes-dir "$lanes" >"$lanes/output"
	rm -f "$lanes"/*.sh
	sed -n '/^failed:/,$p' "$lanes/output" >"$lanes/summary"
	cat "$lanes/summary"
	grep -A 1 'a: lane ended with status 3' "$lanes/summary" | grep -q 'no such thing' &&
		! grep -q 'fine' "$lanes/summary"
}

# A machine of it ended badly, and one after that passed
says_why_machine()
{
	scripts/check --lanes-dir "$lanes" >"$lanes/output"
	rm -f "$lanes"/*.sh
	sed -n '/^failed:/,$p' "$lanes/output" >"$lanes/summary"
	cat "$lanes/summary"
	grep -A 2 'a: lane ended with status 1' "$lanes/summary" >"$lanes/told"
	grep -q 'vm: host: the kernel complained:' "$lanes/told" &&
		grep -q 'vm: host: | WARNING: x' "$lanes/told" && ! grep -q 'Call' "$lanes/summary"
}

lists_retries()
{
	totals "1 passed, 0 failed" 0 && grep -q '^  a: x: it was slow$' "$lanes/output"
}

# The second time it finds what the first one left
gets_fresh_machine()
{
	totals "1 passed, 0 failed" 0 && grep -q '^  a: the lane: vm: guest: emulator lost' "$lanes/output"
}

lists_stillborn()
{
	totals "1 passed, 0 failed" 0 && grep -q "^  a: a $1 that died" "$lanes/output"
}

by_name()
{
	scripts/check --lanes-dir "$lanes" --list | grep 'only by name' &&
		scripts/check --lanes-dir "$lanes" b >"$lanes/output" && grep '^== b:' "$lanes/output" &&
		! grep '^== a:' "$lanes/output"
}

# Instead of running them, which takes an hour
make_lists()
{
	timeout 60 make -s check-debug LIST=1 >"$lanes/output" && grep '^kunit  ' "$lanes/output" &&
		! grep 'passed' "$lanes/output"
}

by_backend()
{
	scripts/check --lanes-dir "$lanes" --backend user >"$lanes/output"
	cat "$lanes/output"
	grep '^== b:' "$lanes/output" && ! grep '^== a:' "$lanes/output" &&
		tail -n 1 "$lanes/output" | grep -x "1 passed, 0 failed" || return 1
	totals "1 passed, 1 failed" 1
}

once()
{
	totals "0 passed, 1 failed" 1 && ! grep -q 'once more' "$lanes/output"
}

kills_lane()
{
	totals "1 passed, 1 failed" 1 && ! pgrep -f 'sleep 87654' >/dev/null
}

say()
{
	echo "printf '%s' '$1' >>$lanes/order"
}

# The lane "first" waits for the one beside it, and the one that is alone for both
runs_beside()
{
	totals "3 passed, 0 failed" 0 && [ "$(cat "$lanes/order")" = "beside first last alone" ]
}

# Each of the two waits for the other
runs_two()
{
	totals "3 passed, 0 failed" 0 && [ "$(tail -c 6 "$lanes/order")" = " alone" ]
}

ends_beside()
{
	scripts/check --lanes-dir "$lanes" >"$lanes/output" &
	pid=$!
	until [ -e "$lanes/started" ]; do sleep 0.1; done
	kill -TERM "$pid"
	! wait "$pid" && ! pgrep -f 'sleep 87653' >/dev/null
}

lanes=$(mktemp -d)
ktap_begin
trap 'rm -rf "$lanes" "$ktap_output"' EXIT

lane 10-a 'echo ok 1 x; echo ok 2 y'
lane 20-b 'echo ok 1 z "# SKIP why"'
check "sums over lanes" totals "2 passed, 0 failed, 1 skipped" 0
lane 10-a 'echo ok 1 x; echo not ok 2 y; exit 1'
check "a failing test fails the run, once" totals "1 passed, 1 failed" 1
lane 10-a 'echo "# fine"; echo ok 1 x; echo "# probe.c:1: expected 1 == 2"; echo not ok 2 y'
check "the summary repeats what a failing test said" says_why
lane 10-a 'echo ok 1 x; sleep 1; echo "# why"; echo not ok 2 y'
check "a terminal shows what runs, and what fails" shows_progress
check "V=1: and all that lanes print" shows_all
lane 10-a 'echo ok 1 x "# RETRIED it was slow"'
check "what passed at the second try only is listed" lists_retries
lost='[ -e "$0.left" ] && { echo ok 1 x; exit 0; }; touch "$0.left"
echo "vm: guest: emulator lost this machine: it has the host registers"; echo not ok 1 x; exit 1'
lane 10-a "$lost"
check "a lane whose machine the emulator lost gets a fresh one, and it is said" gets_fresh_machine
rm -f "$lanes"/*.left
lane 10-a 'echo "vm: host: emulator lost this machine: x"; echo not ok 1 x; exit 1'
check "but only one" totals "0 passed, 1 failed" 1
check "and has had it" grep -q "^== a: once more, it lost a machine" "$lanes/output"
for what in "host: no end after 600 s" "guest: no end after 600 s" "guest: no sign of life for 180 s" \
	"host: died before the command ended (emulator status 0)" \
	"guest: died before the command ended (emulator status 0)"; do
	lane 10-a "echo 'vm: $what'; echo not ok 1 x; exit 1"
	check "none without proof: $what" once
done
for role in guest host; do
	lane 10-a "echo 'vm: $role: stillborn: booting it again'; echo ok 1 x"
	check "a $role that was booted again is listed" lists_stillborn $role
done
lane 10-a 'echo ok 1 x; exit 3'
check "a lane with a bad status and no failing test" totals "1 passed, 1 failed" 1
lane 10-a 'echo "# fine"; echo ok 1 x; echo "no such thing"; exit 3'
check "the summary repeats what such a lane said" says_why_lane
lane 10-a 'echo ok 1 x; echo "vm: host: the kernel complained:"
for l in WARNING:\ x Call\ Trace: y; do echo "vm: host: | $l"; done; echo ok 1 z; exit 1'
check "and how a machine ended, when a later one passed" says_why_machine
lane 10-a 'echo hello'
check "a lane without tests" totals "0 passed, 1 failed" 1
lane 10-a 'echo 1..3; echo ok 1 x; exit 0'
check "a lane that stops early" totals "1 passed, 1 failed" 1
lane 10-a 'echo ok 1 a "# SKIP no"'
check "nothing but skips is no success" totals "0 passed, 0 failed, 1 skipped" 1
lane 10-a '# timeout: 1
echo ok 1 x; sleep 87654 & wait'
check "a lane that takes too long is ended with all it started" kills_lane
lane 10-a "# timeout: 60
until [ -s $lanes/order ]; do sleep 0.1; done; $(say ' first'); echo ok 1 x"
lane 20-b "# beside: yes
$(say beside); until grep -q first $lanes/order; do sleep 0.1; done
sleep 1; $(say ' last'); echo ok 1 x"
lane 05-c "# beside: no
$(say ' alone'); echo ok 1 x"
check "a lane beside others, and one that nothing runs beside" runs_beside
rm -f "$lanes/order"
lane 10-a "# beside: yes
# timeout: 30
touch $lanes/a; until [ -e $lanes/b ]; do sleep 0.1; done; $(say a); echo ok 1 x"
lane 20-b "# beside: yes
# timeout: 30
touch $lanes/b; until [ -e $lanes/a ]; do sleep 0.1; done; $(say b); echo ok 1 x"
lane 05-c "# beside: no
$(say ' alone'); echo ok 1 x"
check "two that may run beside others, when nothing else is left" runs_two
lane 10-a "# beside: yes
touch $lanes/started; sleep 87653 & wait"
lane 20-b 'sleep 87653'
check "SIGTERM ends all lanes" ends_beside
rm -f "$lanes"/*.sh
only='# only: by name
echo ok 1 x'
lane 10-a 'echo ok 1 x'
lane 20-b "$only"
check "a lane that runs only if it is asked for does not" totals "1 passed, 0 failed" 0
lane 10-a 'echo ok 1 x'
lane 20-b "$only"
check "and does if it is" by_name
full='# only: full
echo ok 1 x'
lane 10-a 'echo ok 1 x'
lane 20-b "$full"
check "one that runs only with everything does not" env -u TESSERA_FULL sh -c \
	"scripts/check --lanes-dir $lanes | grep -x '1 passed, 0 failed'"
check "and does with everything" env TESSERA_FULL=1 sh -c \
	"scripts/check --lanes-dir $lanes | grep -x '2 passed, 0 failed'"
lane 10-a 'echo ok 1 x'
lane 20-b '# backend: any
[ "$TESSERA_BACKEND" = user ] && echo ok 1 x || echo not ok 1 x'
check "a back-end: of the lanes for any, and for these" by_backend
check "LIST=1 names lanes, and runs none" make_lists
lane 10-a 'echo ok 1 x'
expect "an unknown lane" 1 scripts/check --lanes-dir "$lanes" nosuch
ktap_end
