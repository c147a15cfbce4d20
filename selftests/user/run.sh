#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh [TEST...]: GPUs that processes of this host VM serve (it has no others), as KTAP: a null
# server, bad ones, the model that is killed, stopped and replaced.
#
# shellcheck disable=SC2010,SC2086,SC2317 # no value here has a space; functions called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
class=/sys/class/tessera
null=out/examples/null-gpu
model=out/tools/model/tessera-model
job=out/selftests/user/job
log=/run/user.log
secret=tessera-secret-$$
patience=${TESSERA_PATIENCE:-1}

# until_true TENTHS CMD...: wait until CMD succeeds, at most so long
until_true()
{
	tries=$(($1 * patience))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo "never came true: $*"; return 1; }
		sleep 0.1
	done
}

# With its node for processes
there() { ls "$class"/gpu*/device/drm/renderD* >/dev/null 2>&1; }
none() { ! ls "$class" | grep -q gpu; }
ended() { [ ! -e "/proc/$1" ] || grep -q "^State:.Z" "/proc/$1/status"; }

# serve CMD...: a server, whose GPU is in the pool
serve()
{
	"$@" >"$log" 2>&1 &
	server=$!
	until_true 300 there
}

stop() # SIGNAL
{
	kill "-$1" "$server"
	wait "$server" 2>/dev/null
	until_true 200 none
}

null_server()
{
	serve $null || return
	$job && cat "$class/gpu0/name" && lspci -D -d 1234:7e56 && stop TERM
}

# Nobody can share it, and no virtual machine can have it: the reason is told
null_refuses()
{
	serve $null || return
	! ls "$class/gpu0/device/mdev_supported_types" 2>/dev/null &&
		dmesg | grep -q "no vGPUs for virtual machines: the GPU has no stage 2" &&
		! out/tools/cli/tesseractl create --type C1S 2>&1
	refused=$?
	stop TERM && return $refused
}

scan()
{
	lines=$(wc -l <"$log")
	kill -USR1 "$server"
	until_true 900 scanned || return
	tail -n 1 "$log"
}

scanned() { [ "$(wc -l <"$log")" -gt "$lines" ]; }

# scan: PAGES pages reached, WRONG wrong, N secrets
found() { echo "$1" | sed 's/.* \([0-9]*\) secrets/\1/'; }
wrong() { echo "$1" | sed 's/.* \([0-9]*\) wrong.*/\1/'; }
pages() { echo "$1" | sed 's/scan: \([0-9]*\) pages.*/\1/'; }

# What a process gives the GPU is reached while it does, and at no other time
reach()
{
	serve $null --scan "$secret" || return
	before=$(scan) || return
	$job "$secret" >/run/job.log &
	holder=$!
	until_true 100 grep -q holds /run/job.log || return
	during=$(scan) || return
	kill -KILL $holder
	wait $holder 2>/dev/null
	sleep 1
	after=$(scan) || return
	printf '%s\n' "$before" "$during" "$after"
	[ "$(found "$before")" -eq 0 ] && [ "$(found "$during")" -gt 200 ] &&
		[ "$(found "$after")" -eq 0 ] && [ "$(pages "$after")" -le "$(pages "$before")" ] &&
		[ "$(wrong "$before")$(wrong "$during")$(wrong "$after")" = 000 ] && stop TERM
}

answers_twice()
{
	serve $null --twice && $job && stop TERM
}

delays()
{
	serve $null --delay 10 && $job && stop TERM
}

# bad OPTION...: whatever comes of it, it ends, and the pool is empty then
bad()
{
	$null "$@" >"$log" 2>&1 &
	server=$!
	until_true 20 there >/dev/null && timeout 20 $job >/dev/null 2>&1
	kill -KILL $server 2>/dev/null
	wait $server 2>/dev/null
	until_true 200 none
}

falls_silent()
{
	for n in 1 2 10 40 80 120 160; do
		bad --silent-after $n || { echo "after $n"; return 1; }
	done
}

dies()
{
	for n in 1 2 10 40 80 120 160; do
		bad --dies-after $n || { echo "after $n"; return 1; }
	done
}

lies()
{
	for seed in 1 2 3 4 5 6; do
		for rate in 3 30 300; do
			bad --lies $rate --seed $seed || { echo "seed $seed, $rate"; return 1; }
		done
	done
}

serve_model()
{
	serve $model --serve /dev/tessera-user --vram 64M
}

right()
{
	out/examples/sgemm
}

# Its work is lost with it, told to its processes, and the next one is used as if there had been none
killed()
{
	serve_model && right || return
	(while out/examples/sgemm; do :; done) >/run/busy.log 2>&1 &
	busy=$!
	sleep 2
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	until_true 200 none && until_true 200 ended $busy || return
	serve_model && right && stop TERM
}

# It does not answer: its GPU is lost. It is told, and ends
stopped()
{
	serve_model && right || return
	kill -STOP "$server"
	! timeout 60 out/examples/sgemm || { echo "sgemm ended well"; return 1; }
	kill -CONT "$server"
	until_true 200 ended "$server" && until_true 200 none && grep "gave the GPU up" "$log"
}

# take N: a server for the GPU that another one left
take()
{
	$model --serve /dev/tessera-user --take "$1" --vram 64M --log-level info >"$log" 2>&1 &
	server=$!
}

taken() { until_true 100 grep -q "the GPU is in the pool" "$log"; }

leave()
{
	kill -USR2 "$server"
	wait "$server" || { echo "the server ended with $?"; cat "$log"; return 1; }
}

# Replaced again and again while processes compute: they do not notice
replaced()
{
	serve_model && right || return
	rm -f /run/enough
	(while [ ! -e /run/enough ]; do out/examples/sgemm || break; done) >/run/busy.log 2>&1 &
	busy=$!
	for round in 1 2 3 4 5; do
		sleep 1.$round
		leave || return
		there || { echo "the GPU is gone in round $round"; return 1; }
		sleep 0.5
		take 0
		taken || return
	done
	right || return
	touch /run/enough
	wait $busy
	grep -c ": ok" /run/busy.log && ! grep -v ": ok" /run/busy.log && stop TERM
}

# The same while a virtual machine computes
replaced_under_guest()
{
	serve_model || return
	uuid=$(cat /proc/sys/kernel/random/uuid)
	echo "$uuid" >$class/gpu0/device/mdev_supported_types/tessera_user-C2/create || return
	scripts/vm guest --vgpu "$uuid" --timeout 500 --detach replaced -- sh -c \
		'for n in 1 2 3 4 5 6 7 8; do out/examples/sgemm --size 64 || exit; done' || return
	for round in 1 2 3; do
		sleep 2
		leave || return
		there || { echo "the GPU is gone in round $round"; return 1; }
		take 0
		taken || return
	done
	scripts/vm wait replaced --timeout $((200 * patience)) || return
	echo 1 >"/sys/bus/mdev/devices/$uuid/remove"
	stop TERM
}

# Nobody can take what was not left; what is not taken ends
abandoned()
{
	serve_model && right || return
	first=$server
	take 0
	! wait "$server" && grep "No such file" "$log" || return
	server=$first
	echo 1 >/sys/module/tessera_user/parameters/leave_s
	leave && there && until_true 100 none
	abandoned_status=$?
	echo 60 >/sys/module/tessera_user/parameters/leave_s
	return $abandoned_status
}

unbound()
{
	serve_model && right || return
	bdf=$(basename "$(readlink -f $class/gpu0/device)")
	echo "$bdf" >/sys/bus/pci/drivers/tessera_user/unbind || return
	until_true 100 none || return
	echo "$bdf" >/sys/bus/pci/drivers/tessera_user/bind && until_true 100 there && right &&
		echo 1 >"/sys/bus/pci/devices/$bdf/remove" && until_true 100 none || return
	stop TERM
}

unloaded()
{
	! rmmod tessera_chip 2>/dev/null && rmmod tessera_user && [ ! -e /dev/tessera-user ] &&
		insmod "out/modules/$(uname -r)/tessera_user.ko"
}

# What a test that failed left
clean_up()
{
	[ -z "$server" ] || kill -KILL "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
	until_true 200 none >/dev/null
}

server=
echo $((2000 * patience)) >/sys/module/tessera_user/parameters/answer_ms || exit 1
ktap_begin
[ $# -gt 0 ] || set -- null_server null_refuses reach answers_twice delays falls_silent dies lies \
	killed stopped replaced abandoned unbound unloaded
for test; do
	check "$test" "$test"
	clean_up
done
ktap_end
