#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of "scripts/vm pair" and "on", as TAP: with the argument "inside" those in its first host VM.
# shellcheck disable=SC2016,SC2086,SC2094,SC2317 # commands are words; functions are called by name

. scripts/ktap.sh

here=scripts/vm
on2="$here on host2 --"

# What a command in the other VM prints, without the answer of a shell before it
there()
{
	[ "$(hostname) $($on2 hostname)" = "host1 host2" ] &&
		[ "$($on2 "$here" on host1 -- hostname)" = host1 ]
}

streams()
{
	$on2 sh -c "pwd; echo wrong >&2; exit 7" >/run/out 2>/run/err
	[ $? -eq 7 ] && [ "$(cat /run/out)" = "$PWD" ] && [ "$(cat /run/err)" = wrong ]
}

# Of four megabytes there and back not a bit is lost
input()
{
	head -c 4M /dev/urandom >/run/data
	$on2 cat </run/data | cmp - /run/data
}

# A command ends with its client
ends()
{
	timeout 5 $on2 sleep 4321
	[ $? -eq 124 ] && $on2 sh -c 'for n in $(seq 100); do
		pgrep -fx "sleep 4321" >/dev/null || exit 0; sleep 0.2; done; exit 1'
}

# Neither names nor addresses but those of the two
alone()
{
	[ "$(ip route | cut -d ' ' -f 1)" = 192.168.64.0/24 ] &&
		[ "$(cat /sys/class/dmi/id/product_uuid)" != "$($on2 cat /sys/class/dmi/id/product_uuid)" ]
}

inside()
{
	check "each knows the other one, and runs commands for it" there
	check "output, errors, directory and status of a command" streams
	check "its input" input
	check "it ends with whoever wanted it" ends
	expect "a command that is not there" 127 $on2 nosuch
	expect "a host that is not there" 125 $here on --wait 1 host3 -- true
	check "hosts that differ, in a network of their own" alone
}

pair()
{
	$here pair --bare --gpus 0 --mem 1G --timeout 400 "$@"
}

# The second one is lost: the first one is ended, with what became of the second one
loses()
{
	pair -- sh -c "$on2 sh -c 'echo c >/proc/sysrq-trigger' & sleep 1000" >out/pair-out 2>&1
	[ $? -eq 126 ] && grep -q '^vm: pair: host2 ended before CMD' out/pair-out &&
		grep -q 'sysrq triggered crash' out/pair-out
}

# What the kernel of the second one complains of is a failure
splats()
{
	pair --keep-log out/pair-log -- \
		sh -c "$on2 sh -c 'echo \"WARNING: CPU: 0 PID: 1 at test\" >/dev/kmsg'"
	[ $? -eq 126 ] && grep -q WARNING: out/pair-log.host2 && ! grep -q WARNING: out/pair-log
}

outside()
{
	check "two host VMs end in peace" test "$1" -eq 0
	check "one that is lost ends the other one" loses
	check "a splat of the second one" splats
	check "nothing is left of them" sh -c '! ls -d /run/tessera-vm/pair-* 2>/dev/null'
}

mkdir -p out
if [ "$1" = inside ]; then
	ktap_begin
	inside
else
	# Those inside have a plan of their own, which comes first
	pair -- sh "$0" inside
	status=$?
	ktap_begin
	outside "$status"
fi
ktap_end
