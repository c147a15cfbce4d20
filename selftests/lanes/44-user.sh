#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: GPUs that a process serves: the interface, bad servers, and of each lane for any back-end a choice
# timeout: 2900
# beside: yes

status=0
make -s -C selftests user mdev sched compose O="$PWD/out/selftests" >&2 || exit 1

# on KERNEL SECONDS OPTION... -- CMD...: in a host VM whose GPUs are served
on()
{
	kernel=$1 seconds=$2
	shift 2
	scripts/vm host --kernel "$kernel" --backend user --timeout "$seconds" "$@" || status=1
}

rounds=2
[ -z "${TESSERA_FULL:-}" ] || rounds=4

echo "# The interface and servers; the bad ones on one kernel"
on 7.2 900 --gpus 0 --mem 1G --env ROUNDS="$rounds" -- \
	sh -c "out/selftests/user/device; a=\$?; selftests/user/run.sh && exit \$a"
if [ -n "${TESSERA_FULL:-}" ]; then
	on 6.12 900 --gpus 0 --mem 1G --env ROUNDS=2 -- selftests/user/run.sh
	on 7.2 900 --gpus 0 -- selftests/user/run.sh slow_server replaced_under_guest
fi

echo "# Of what runs on all GPUs that in which a server matters most: the whole is make check BACKEND=user"
on 7.2 900 -- sh -c "selftests/drm/run.sh query submit sync fault isolation elastic nodes lifetime held
	status=\$?; selftests/mdev/run.sh device irq memory && exit \$status"
if [ -n "${TESSERA_FULL:-}" ]; then
	on 6.12 900 -- selftests/mdev/run.sh device irq memory shared recompose
	on 7.2 800 -- selftests/mdev/guests.sh one
	on 6.12 700 --model-args "--clock 1000" -- selftests/sched/run.sh life
fi
exit $status
