#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/dashboard/record.sh DIR
#
# In a host VM whose GPU follows wall time: four minutes of work of processes on three render nodes,
# while one of them is recomposed, and two vGPUs of VMMs, one of which is moved from slice to slice.
# The metrics are recorded as files DIR/TIME.prom.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
dir=$1
ctl=out/tools/cli/tesseractl
gpu=/sys/class/tessera/gpu0
seconds=240

# work NODE PROCESSES FROM TO: that many multiply matrices there for a part of the time, in seconds
work()
{
	(
		sleep "$3"
		TESSERA_DEVICE=/dev/dri/$(cat "$gpu/nodes/$1/device")
		export TESSERA_DEVICE
		end=$((start + $4))
		for process in $(seq "$2"); do
			: "$process"
			while sleep 0.3 && [ "$(date +%s)" -lt "$end" ]; do
				out/examples/sgemm --size 96 >/dev/null || exit
			done &
		done
		wait
	) &
}

# A vGPU of a VMM that has memory of a guest, as long as the file descriptor is open
vmm()
{
	out/selftests/mdev/victim "$1" <"$open" >>"$dir/vmm.log" 2>&1 9>&- &
}

record()
{
	while :; do
		"$ctl" metrics >"$dir/$(date +%s.%3N).prom" || exit
		sleep 4
	done
}

set -e
start=$(date +%s)
modprobe vfio_iommu_type1
open=$(mktemp -u)
mkfifo "$open"
exec 9<>"$open"
"$ctl" create --render-node batch slices=4 kind=compute memory=8M
"$ctl" create --render-node lab slices=2 kind=mixed memory=8M
"$ctl" create --render-node desk slices=1 kind=render memory=8M
vmm C1
vmm C1S
record &
recorder=$!
work batch 6 10 230
work lab 2 60 180
work desk 3 120 230
set +e
sleep $((seconds / 2))
"$ctl" compose batch slices=2
for uuid in "$gpu"/vgpus/*-*-*; do
	for slice in 0 1 2 3 4 5 6 7; do
		sleep 4
		"$ctl" move "${uuid##*/}" 0 "$slice" 2>>"$dir/moves.log"
	done
done
sleep $((seconds / 2 - 64))
kill "$recorder"
exec 9>&-
wait
