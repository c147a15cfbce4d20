#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of "scripts/vm guest", as TAP; runs in a host VM without GPU.
#
# shellcheck disable=SC2016,SC2086,SC2317 # scripts for other shells; functions called by name

. scripts/ktap.sh
guest='scripts/vm guest --bare --timeout 450'

plain()
{
	$guest -- sh -c 'echo "$1 $PWD"; grep -c "^flags.* hypervisor" /proc/cpuinfo; exit 5' \
		sh 'a b' >out/guest-out
	[ $? -eq 5 ] && [ "$(cat out/guest-out)" = "a b $PWD
1" ]
}

reboots()
{
	$guest --allow-reboot -- sh -c 'echo "boot $TESSERA_BOOT"
		[ "$TESSERA_BOOT" = 2 ] || { reboot; sleep 100; }; exit 9' >out/guest-out
	[ $? -eq 9 ] && [ "$(cat out/guest-out)" = "boot 1
boot 2" ]
}

# One that never gets far enough is given up twice, then waited for
born_again()
{
	[ "$(TESSERA_BIRTH=2 $guest -- echo alive 2>out/guest-err)" = alive ] &&
		[ "$(grep -c '^vm: guest: stillborn' out/guest-err)" -eq 2 ]
}

# Its kernel has its processor fault without a handler: that is no proof against the emulator
shuts_down()
{
	$guest -- sh -c 'echo triple >/sys/kernel/reboot/type
		echo b >/proc/sysrq-trigger; sleep 100' >out/guest-out 2>&1
	[ $? -eq 125 ] && grep -q 'its processor shut down at 0xf' out/guest-out &&
		! grep 'emulator lost' out/guest-out
}

waits()
{
	scripts/vm wait b >out/guest-out 2>&1
	[ $? -eq 4 ] && [ "$(cat out/guest-out)" = "from b" ]
}

# Lines go to a guest and come from it while it runs, each as it is
converses()
{
	$guest --detach c --listen -- sh -c \
		'echo ready; while read -r line; do echo "heard $line"; [ "$line" != end ] || exit 6; done' ||
		return 1
	scripts/vm tell c "one  two" && scripts/vm tell c three || return 1
	left=600
	until grep -q '^heard three$' /run/tessera/guests/c/stdout; do
		left=$((left - 1))
		[ $left -gt 0 ] || { cat /run/tessera/guests/c/stdout; return 1; }
		sleep 0.1
	done
	n=0
	while [ $n -lt 6 ]; do
		scripts/vm tell c "line $n" || return 1
		n=$((n + 1))
	done
	scripts/vm tell c end
	scripts/vm wait c --timeout 300 >out/guest-out
	[ $? -eq 6 ] && [ "$(cat out/guest-out)" = "ready
heard one  two
heard three
$(n=0; while [ $n -lt 6 ]; do echo "heard line $n"; n=$((n + 1)); done)
heard end" ]
}

# It was well: nothing says that the emulator lost it
gives_up()
{
	$guest --detach d -- sleep 1000 && scripts/vm give-up d || return 1
	scripts/vm wait d --timeout 200 >out/guest-out 2>&1
	[ $? -eq 124 ] && grep -q '^vm: guest: given up after [0-9]* s$' out/guest-out &&
		grep -q 'RIP=' out/guest-out && ! grep -q 'emulator lost' out/guest-out
}

ktap_begin
$guest --timeout 7 -- sleep 1000 2>/dev/null &
late=$!
check "arguments, directory, output and exit status" plain
expect "out of time" 124 wait "$late"
expect "a panic" 126 $guest -- sh -c 'echo c >/proc/sysrq-trigger; sleep 100'
check "a reboot runs the command again" reboots
if grep -q "^ACCEL=.*tcg" /run/tessera/config; then
	check "a guest that does not come up is booted again" born_again
	check "a guest that dies without a word: where it stood" shuts_down
else
	skip "a guest that does not come up is booted again" "guests are not booted again on KVM proper"
	skip "a guest that dies without a word: where it stood" "guests are not traced on KVM proper"
fi
check "two at once: first" $guest --detach a -- sleep 1000
check "two at once: second" $guest --detach b -- sh -c 'echo from b; exit 4'
expect "name in use" 125 $guest --detach a -- true
check "output and status of a detached guest" waits
expect "waiting too short" 124 scripts/vm wait a --timeout 1
check "console of a detached guest" sh -c 'scripts/vm console a | grep -q .'
check "kill" scripts/vm kill a -9
expect "status of a killed guest" 137 scripts/vm wait a
check "a guest is given up, which tells what it did" gives_up
check "a guest is told lines while it runs" converses
expect "telling a guest that is gone" 125 scripts/vm tell c more
expect "telling one that does not listen" 125 scripts/vm tell a more
expect "no guest of that name" 125 scripts/vm pid nosuch
expect "no such vGPU" 125 $guest --vgpu 00000000-0000-0000-0000-000000000000 -- true
expect "no such PCI device" 125 $guest --host 0000:7f:00.0 -- true
check "nothing is left" sh -c '! pgrep qemu-system && [ -z "$(ls /run/tessera-vm)" ]'
rm -f out/guest-out out/guest-err
ktap_end
