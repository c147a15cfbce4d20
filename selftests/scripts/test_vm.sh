#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of "scripts/vm host", as TAP.
#
# shellcheck disable=SC2016,SC2086,SC2317 # scripts for other shells; functions called by name

. scripts/ktap.sh
vm='scripts/vm host --bare --gpus 0 --mem 1G --timeout 300'

# One boot for everything that needs no boot of its own.
first_boot()
{
	rm -f out/vm-probe
	$vm --env 'PROBE=1 2' -- sh -c 'echo "$1|$PROBE|$PWD|$(id -u)"; echo error >&2
		echo kept >out/vm-probe; exit 42' sh "a 'b'" >out/vm-out 2>out/vm-err
	status=$?
}

# Machines that mostly wait do so while others are at work
wait_for_ends()
{
	$vm --timeout 25 -- sh -c 'mkfifo /tmp/fifo; cat /tmp/fifo' 2>out/vm-late-err &
	late=$!
	TESSERA_STALL=15 $vm -- sh -c 'pkill -STOP -P 1 sh; sleep 99' >out/vm-stall-out 2>&1 &
	stalled=$!
}

# What a kernel would say that took an interrupt while it held interrupts off
lost_machine()
{
	$vm -- sh -c 'for line in "asm_sysvec_apic_timer_interrupt+0x1a/0x20" \
		"RIP: 0010:__svm_vcpu_run+0x98/0x150" "RSP: 0018:ffffc900000c3ed8 EFLAGS: 00010046"
		do echo "<0>$line" >/dev/kmsg; done; echo c >/proc/sysrq-trigger; sleep 100' \
		>out/vm-out 2>&1
	status=$?
	cat out/vm-out
	[ "$status" -eq 126 ] && grep '^vm: host: emulator lost this machine: ' out/vm-out |
		grep 'held off, at __svm_vcpu_run+0x98/0x150$'
}

says_nothing_of_it()
{
	! grep 'emulator lost' "$@"
}

other_kernel()
{
	$vm --kernel 7.2 --allow-splat -- sh -c 'uname -r; echo "BUG: x" >/dev/kmsg; exit 5' \
		>out/vm-out
	[ $? -eq 5 ] && grep '^7\.2\.' out/vm-out
}

# It dies at once, as one does that its emulator loses
born_again()
{
	$vm --qemu-arg -name --qemu-arg vm-born -- echo alive >out/vm-out 2>out/vm-born-err &
	until pgrep -f -- '^qemu.*-name vm-born'; do sleep 0.2; done
	# Then it ends by itself at a signal, and its kernel has just begun
	sleep 1
	pkill -TERM -f -- '^qemu.*-name vm-born'
	wait $! && [ "$(cat out/vm-out)" = alive ] &&
		[ "$(grep -c '^vm: host: stillborn' out/vm-born-err)" -eq 1 ]
}

# Looks for its own: other lanes may begin machines meanwhile
leaves_nothing()
{
	$vm --qemu-arg -name --qemu-arg vm-probe -- sleep 1000 &
	pid=$!
	until pgrep -f -- '-name vm-probe'; do sleep 0.2; done
	sleep 2
	dir=$(pgrep -af -- '-name vm-probe' | grep -o '/run/tessera-vm/[^/]*' | sort -u)
	[ -d "$dir" ] && kill -TERM "$pid"
	wait "$pid"
	[ $? -eq 143 ] && ! pgrep -f -- '-name vm-probe' && [ ! -e "$dir" ]
}

ktap_begin
mkdir -p out
first_boot
expect "exit status of the command" 0 test "$status" -eq 42
check "stdout, arguments, environment, directory, root" \
	test "$(cat out/vm-out)" = "a 'b'|1 2|$PWD|0"
check "stderr" test "$(cat out/vm-err)" = error
check "files in the tree are kept" test "$(cat out/vm-probe)" = kept
rm -f out/vm-probe out/vm-out out/vm-err

wait_for_ends
check "kernel 7.2, and a splat that is allowed" other_kernel
expect "a panic" 126 $vm -- sh -c 'echo c >/proc/sysrq-trigger; sleep 100'
if grep -q tcg "${TESSERA_CACHE:-/tmp}"/accel-* 2>/dev/null; then
	check "a death that proves that the emulator lost the machine" lost_machine
	check "a machine that dies while it boots is booted again" born_again
else
	skip "a death that proves that the emulator lost the machine" "machines are not translated"
	skip "a machine that dies while it boots is booted again" "machines are not translated"
fi
expect "a machine that just goes away" 125 $vm -- sh -c 'echo o >/proc/sysrq-trigger; sleep 100'
expect "a splat in the kernel log" 126 $vm -- sh -c 'echo "BUG: probe" >/dev/kmsg'
expect "out of time" 124 wait "$late"
check "what the kernel was doing then" grep -q 'sysrq: Show Blocked State' out/vm-late-err
check "what the processors were doing then" grep -q 'RIP=' out/vm-late-err
check "what their interrupt controllers waited for" grep -q '| IRR' out/vm-late-err
check "the last line says why" sh -c \
	'tail -n 1 out/vm-late-err | grep -q "^vm: host: no end after [0-9.]* s$"'
expect "no sign of life" 123 wait "$stalled"
check "neither proves that the emulator lost it" \
	says_nothing_of_it out/vm-late-err out/vm-stall-out
expect "options for some models only" 125 $vm --gpus 3 --model-args "" --model-args "" -- true
expect "no model to attach" 125 env -C out ../scripts/vm host --gpus 1 --model-args --no-such \
	--bare -- true
expect "no command" 2 scripts/vm host
check "SIGTERM leaves nothing behind" leaves_nothing
rm -f out/vm-out out/vm-late-err out/vm-stall-out out/vm-born-err
ktap_end
