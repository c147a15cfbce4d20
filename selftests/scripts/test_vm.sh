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

leaves_nothing()
{
	before=$(pgrep -c qemu-system)
	$vm --qemu-arg -name --qemu-arg vm-probe -- sleep 1000 &
	pid=$!
	sleep 3
	kill -TERM "$pid"
	wait "$pid"
	[ $? -eq 143 ] && [ "$(pgrep -c qemu-system)" -eq "$before" ] &&
		[ -z "$(ls /run/tessera-vm)" ]
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

check "kernel 7.2" $vm --kernel 7.2 -- sh -c 'uname -r | grep "^7\.2\."'
$vm --timeout 12 -- sh -c 'mkfifo /tmp/fifo; cat /tmp/fifo' 2>out/vm-err
expect "out of time" 124 sh -c "exit $?"
check "what the kernel was doing then" grep -q 'sysrq: Show Blocked State' out/vm-err
check "what the processors were doing then" grep -q 'RIP=' out/vm-err
rm -f out/vm-err
expect "no sign of life" 123 env TESSERA_STALL=15 $vm -- sh -c 'pkill -STOP -P 1 sh; sleep 99'
expect "a panic" 126 $vm -- sh -c 'echo c >/proc/sysrq-trigger; sleep 100'
expect "a machine that just goes away" 125 $vm -- sh -c 'echo o >/proc/sysrq-trigger; sleep 100'
expect "a splat in the kernel log" 126 $vm -- sh -c 'echo "BUG: probe" >/dev/kmsg'
expect "a splat that is allowed" 5 $vm --allow-splat -- sh -c 'echo "BUG: x" >/dev/kmsg; exit 5'
expect "no model to attach" 125 env -C out ../scripts/vm host --gpus 1 --model-args --no-such \
	--bare -- true
expect "no command" 2 scripts/vm host
check "SIGTERM leaves nothing behind" leaves_nothing
ktap_end
