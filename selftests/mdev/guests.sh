#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# vGPUs in KVM guests, as KTAP; runs in a host VM.
#
# shellcheck disable=SC2016,SC2317 # scripts for other shells; functions called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/mdev/lib.sh
. selftests/mdev/lib.sh
bin=out/selftests/mdev
guest="scripts/vm guest --timeout 600"
work="out/examples/sgemm --size 64 && out/examples/reduce"

# wait_for SECONDS CMD...: until it succeeds
wait_for()
{
	wait_left=$(($1 * 5))
	shift
	until "$@"; do
		wait_left=$((wait_left - 1))
		[ $wait_left -gt 0 ] || return 1
		sleep 0.2
	done
}

completed()
{
	[ "$(stat "$1" completions)" -gt 0 ]
}

# stat_is UUID WHAT VALUE: or says what it is
stat_is()
{
	[ "$(stat "$1" "$2")" = "$3" ] || { echo "$2 is $(stat "$1" "$2"), not $3"; return 1; }
}

# An attacker in a guest against a vGPU that this host holds
attack()
{
	mkfifo /tmp/victim-in
	$bin/victim M1 </tmp/victim-in >/tmp/victim-out 2>&1 &
	victim=$!
	exec 9>/tmp/victim-in
	wait_for 20 grep -q ready /tmp/victim-out
	u=$(create C1)
	$guest --bare --vgpu "$u" --env GUEST_SLICES=1 -- $bin/guest
	attack_status=$?
	remove "$u"
	exec 9>&-
	wait $victim
	victim_status=$?
}

one()
{
	u=$(create R2) || return 1
	$guest --vgpu "$u" -- sh -c "$work" || return 1
	completed "$u" || { echo "no completion was routed to it"; return 1; }
	stat_is "$u" pinned_pages 0 && remove "$u"
}

two_at_once()
{
	a=$(create R2) && b=$(create M1) || return 1
	$guest --vgpu "$a" --detach a -- sh -c "$work && $work" || return 1
	$guest --vgpu "$b" --detach b -- sh -c "$work && $work" || return 1
	wait_for 150 completed "$a" && wait_for 150 completed "$b" || return 1
	scripts/vm wait a --timeout 600 || return 1
	scripts/vm wait b --timeout 600 || return 1
	stat_is "$a" pinned_pages 0 && stat_is "$b" pinned_pages 0 && remove "$a" && remove "$b"
}

two_in_one()
{
	a=$(create C1) && b=$(create R1) || return 1
	$guest --vgpu "$a" --vgpu "$b" -- sh -c \
		'[ "$(ls /dev/dri/render* | wc -l)" = 2 ] && out/examples/sgemm --size 64' || return 1
	remove "$a" && remove "$b"
}

reboot()
{
	u=$(create M2) || return 1
	$guest --vgpu "$u" --allow-reboot -- sh -c "$work"' || exit 1
		[ "$TESSERA_BOOT" = 2 ] || { reboot; sleep 100; }' || return 1
	remove "$u"
}

# SIGKILL in mid-work; everything comes back, and the same vGPU serves the next VM
killed()
{
	u=$(create C4) || return 1
	$guest --vgpu "$u" --detach k -- sh -c 'while :; do out/examples/sgemm --size 96; done' ||
		return 1
	wait_for 150 completed "$u" || return 1
	sleep 2
	# It can have ended by itself: then this says how
	scripts/vm kill k -9 || { scripts/vm wait k --timeout 5; return 1; }
	scripts/vm wait k --timeout 120
	stat_is "$u" pinned_pages 0 || return 1
	$guest --vgpu "$u" -- sh -c "$work" || return 1
	remove "$u"
}

# remove asks the VMM, which asks the guest to let the device go
removed_in_use()
{
	u=$(create C1) || return 1
	$guest --vgpu "$u" --detach r -- sh -c "$work"'; while sleep 1; do
		[ -e /sys/class/tessera/gpu0 ] || exit 0; done' || return 1
	wait_for 150 completed "$u" ||
		{ echo "no completion in 150 s"; cat /run/tessera/guests/r/stdout; return 1; }
	sleep 5
	timeout 60 sh -c 'echo 1 >"/sys/bus/mdev/devices/$1/remove"' sh "$u" ||
		{ echo "remove: status $?"; cat /run/tessera/guests/r/stdout; return 1; }
	scripts/vm wait r --timeout 120 || { echo "the guest did not see it go"; return 1; }
}

# screenshot N: of head 0 of the guest "p", is it picture N?
screenshot()
{
	rm -f /tmp/shot.ppm
	selftests/mdev/qmp.py /tmp/qmp screendump \
		'{"device": "vgpu0", "head": 0, "filename": "/tmp/shot.ppm"}' || return 1
	"$bin/painter" "$1" >/tmp/want.ppm
	cmp /tmp/want.ppm /tmp/shot.ppm
}

# painted N: the guest "p" says so
painted()
{
	wait_for 150 grep -q "^shown $1" /run/tessera/guests/p/stdout ||
		{ cat /run/tessera/guests/p/stdout; return 1; }
}

# What a guest draws is what QEMU has to show; it follows flips, and heads that come live
picture()
{
	u=$(create D1) || return 1
	$guest --bare --vgpu "$u,display=on" --qmp /tmp/qmp --detach p -- "$bin/painter" || return 1
	painted 1 && grep -q "^monitor 1024x768" /run/tessera/guests/p/stdout || return 1
	screenshot 1 || return 1
	echo heads=2 >"/sys/bus/mdev/devices/$u/blueprint" || return 1
	painted 2 && screenshot 2 || return 1
	! screenshot 1 || return 1
	echo heads=0 >"/sys/bus/mdev/devices/$u/blueprint" || return 1
	scripts/vm wait p --timeout 100 || return 1
	stat_is "$u" pinned_pages 0 && remove "$u"
}

all_is_back()
{
	echo "before $pool_before"
	echo "now    $(pool)"
	[ "$(pool)" = "$pool_before" ]
}

remove_all
pool_before=$(pool)
case ${1:-all} in
attack | all) attack ;;
esac
ktap_begin
case ${1:-all} in
attack | all)
	expect "attacks from inside a guest" 0 test "$attack_status" -eq 0
	expect "another vGPU was not reached" 0 test "$victim_status" -eq 0
	;;
esac
case ${1:-all} in
one) check "one guest with R2" one ;;
esac
case ${1:-all} in
two | all)
	check "two guests at once, R2 and M1" two_at_once
	check "one guest with two vGPUs" two_in_one
	;;
esac
case ${1:-all} in
ends | all)
	check "a guest reboots" reboot
	check "a VMM is killed in mid-work" killed
	check "a vGPU is removed from a running guest" removed_in_use
	;;
esac
case ${1:-all} in
picture | all) check "QEMU shows what a guest draws" picture ;;
esac
check "everything is back in the pool" all_is_back
ktap_end
