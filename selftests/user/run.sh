#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh [TEST...]: GPUs that processes of this host VM serve (it has no others), as KTAP: a null
# server, bad ones, the model that is killed, stopped and replaced. ROUNDS: how often.
#
# shellcheck disable=SC2010,SC2086,SC2317 # no value here has a space; functions called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
tracing=/sys/kernel/tracing
class=/sys/class/tessera
null=out/examples/null-gpu
model=out/tools/model/tessera-model
job=out/selftests/user/job
log=/run/user.log
figures=/run/user.figures
secret=tessera-secret-$$
patience=${TESSERA_PATIENCE:-1}
answer_ms=/sys/module/tessera_user/parameters/answer_ms

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

# wait_for_servers SECONDS: so long clients wait for another server
wait_for_servers() { echo "$1" >/sys/module/tessera_user/parameters/leave_s; }

# Nobody waits for another server: its work is lost with it, told to its processes, and the next one
# is used as if there had been none
killed()
{
	wait_for_servers 0
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

# It does not run for a while, as on a host that is busy: nothing is lost, also of clients that
# were to be exchanged then
paused()
{
	echo 60000 >$answer_ms
	serve $model --serve /dev/tessera-user --vram 64M --slices 2 && right || return
	busy 4
	for round in 1 2 3; do
		sleep 1.$round
		kill -STOP "$server"
		sleep 4
		kill -CONT "$server"
	done
	touch /run/enough
	wait $workers
	echo "right: $(cat /run/busy.* | grep -c ": ok")"
	! cat /run/busy.* | grep -v ": ok" && right && stop TERM
}

# Many clients after a pause: while nothing runs the GPU's time follows the wall clock, and what passed
# before an exchange of clients is no time that the exchange took, also if the server is slow
slow_server()
{
	modprobe vfio_iommu_type1 &&
		serve $model --serve /dev/tessera-user --clock 1000 --slow 5000 || return
	out/selftests/sched/life -r many_at_once
	status=$?
	timeouts=$(cat $class/gpu0/slices/*/timeouts | grep -cvx 0)
	echo "slices on which an exchange came to no end: $timeouts"
	[ $status -eq 0 ] && [ "$timeouts" -eq 0 ] && stop TERM
}

# take N [OPTION...]: a server for a GPU without one
take()
{
	index=$1
	shift
	$model --serve /dev/tessera-user --take "$index" --vram 64M --log-level info "$@" \
		>"$log" 2>&1 &
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
	for round in $(seq "${ROUNDS:-5}"); do
		sleep 1.$((round % 10))
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

# busy N: processes that compute, each anew when it is over or failed; logs in /run/busy.N
busy()
{
	rm -f /run/enough /run/busy.*
	workers=
	for n in $(seq "$1"); do
		(while [ ! -e /run/enough ]; do
			out/examples/sgemm --size 48 || echo "ended with $?"
		done) >"/run/busy.$n" 2>&1 &
		workers="$workers $!"
	done
}

# kill_and_take ROUND [OPTION...]
kill_and_take()
{
	round=$1
	shift
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	there || { echo "the GPU is gone in round $round"; return 1; }
	take 0 "$@"
	taken
}

# Killed again and again while processes compute. Who is on a slice may lose what it does there, with a
# fault that says so, nobody else does, and nobody computes anything wrong
recovered()
{
	serve $model --serve /dev/tessera-user --vram 64M --slices 2 && right || return
	busy 3
	rounds=${ROUNDS:-6}
	for round in $(seq "$rounds"); do
		sleep 1.$((round % 10))
		kill_and_take "$round" --slices 2 || return
	done
	right || return
	touch /run/enough
	wait $workers
	failed=$(cat /run/busy.* | grep -c "ended with")
	good=$(cat /run/busy.* | grep -c ": ok")
	lost=$(cat /run/busy.* | grep -c "its state was lost")
	echo "servers killed: $rounds, right: $good, failed: $failed, of these lost: $lost"
	for figure in "rounds $rounds" "results $good" "lost $lost" "mismatches $((failed - lost))"; do
		echo "# figure recover_$figure" >>$figures
	done
	[ "$good" -gt "$rounds" ] && [ "$failed" -eq "$lost" ] &&
		[ "$failed" -le $((2 * rounds)) ] && stop TERM
}

# The same under a virtual machine, which is not shared, so that nothing of it was ever saved before
recovered_under_guest()
{
	serve_model || return
	uuid=$(cat /proc/sys/kernel/random/uuid)
	echo "$uuid" >$class/gpu0/device/mdev_supported_types/tessera_user-C2/create || return
	rounds=${ROUNDS:-3}
	scripts/vm guest --vgpu "$uuid" --timeout 500 --detach recovered --listen -- sh -c \
		'(while [ ! -e /run/enough ]; do out/examples/sgemm --size 48 || echo failed; done; echo over) &
		read -r _; touch /run/enough; wait; out/examples/sgemm && dmesg | grep "tessera.*lost" && exit 1
		echo end' || return
	for round in $(seq "$rounds"); do
		sleep 2
		kill_and_take "$round" || return
	done
	sleep 2
	scripts/vm tell recovered enough
	scripts/vm wait recovered --timeout $((200 * patience)) >/run/guest.log 2>&1
	status=$?
	failed=$(grep -c "^failed" /run/guest.log)
	lost=$(grep -c "its state was lost" /run/guest.log)
	good=$(grep -c ": ok" /run/guest.log)
	echo "servers killed: $rounds, right: $good, failed: $failed, of these lost: $lost"
	[ $status -eq 0 ] && [ "$failed" -eq "$lost" ] && [ "$good" -gt 0 ] &&
		[ "$failed" -le $((2 * rounds)) ] || { cat /run/guest.log; return 1; }
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
	wait_for_servers 1
	leave && there && until_true 100 none || return
	serve_model && right || return
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	there && until_true 100 none
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

# A root bus goes with its bridge, whose last part the kernel frees with this function
bridges_freed()
{
	[ -e $tracing/trace ] || mount -t tracefs tracefs $tracing || return
	echo pci_release_host_bridge_dev >$tracing/set_ftrace_filter &&
		echo function >$tracing/current_tracer || return
	for n in 1 2 3 4 5; do
		serve $null && stop TERM || break
	done
	until_true 100 freed 5
	status=$?
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
	return $status
}

freed() { [ "$(grep -c "pci_release_host_bridge_dev <-" $tracing/trace)" -eq "$1" ]; }

unloaded()
{
	! rmmod tessera_chip 2>/dev/null && rmmod tessera_user && [ ! -e /dev/tessera-user ] &&
		insmod "out/modules/$(uname -r)/tessera_user.ko"
}

# What a test that failed left
clean_up()
{
	wait_for_servers 0
	touch /run/enough
	[ -z "$server" ] || kill -KILL "$server" 2>/dev/null
	wait "$server" 2>/dev/null
	server=
	until_true 200 none >/dev/null
	wait_for_servers 60
	echo $((2000 * patience)) >$answer_ms
}

server=
echo $((2000 * patience)) >$answer_ms || exit 1
ktap_begin
[ $# -gt 0 ] || set -- null_server null_refuses reach answers_twice delays falls_silent dies lies \
	killed recovered stopped paused replaced abandoned unbound bridges_freed \
	unloaded
for test; do
	: >$figures
	check "$test" "$test"
	cat $figures
	clean_up
done
ktap_end
