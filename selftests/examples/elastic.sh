#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In the host VM: programs compute on the host's own device while vGPUs take slices away
# and give them back. The library must notice and use the slices that are there. TAP.

cd "$(dirname "$0")/../.." || exit 1
. scripts/ktap.sh

stop=$(mktemp -u)
log=$(mktemp)

available()
{
	out/tools/run/tessera-info --json |
		python3 -c 'import json, sys; print(len(json.load(sys.stdin)[0]["slices"]))'
}

# Create and remove vGPUs until told to stop; the last number is how many there were.
churn()
{
	n=0
	while [ ! -e "$stop" ]; do
		for type in C4 R2 M4; do
			uuid=$(cat /proc/sys/kernel/random/uuid)
			echo "$uuid" >"$(echo /sys/class/mdev_bus/*/mdev_supported_types/*-$type/create)" &&
				n=$((n + 1))
			sleep 0.3
			echo 1 >"/sys/bus/mdev/devices/$uuid/remove"
		done
	done
	echo "$n"
}

# 24 runs of three workloads, on whatever slices there are
compute()
{
	i=0
	while [ "$i" -lt 24 ]; do
		i=$((i + 1))
		out/examples/reduce --count 50000 || return 1
		out/examples/sgemm --size 48 || return 1
		out/examples/bandwidth --size 256K || return 1
	done
}

got_back()
{
	now=$(available)
	echo "$before slices before, $now after"
	[ "$now" -eq "$before" ]
}

took_part()
{
	churned=$(tail -n 1 "$log")
	counts=$(grep -o '[0-9]* slices$' "$ktap_computed" | sort | uniq -c)
	echo "$churned vGPUs came and went; slices that took part:"
	echo "$counts"
	[ "$churned" -ge 6 ] && [ "$(echo "$counts" | wc -l)" -gt 1 ]
}

compute_logged()
{
	compute >"$ktap_computed" 2>&1
	status=$?
	tail -n 5 "$ktap_computed"
	return "$status"
}

ktap_begin
ktap_computed=$(mktemp)
trap 'rm -f "$stop" "$log" "$ktap_computed" "$ktap_output"' EXIT
# A busy machine can need longer for a job than the driver gives it by default
echo 60000 >/sys/module/tessera_drm/parameters/reclaim_ms
before=$(available)
churn >"$log" &
churner=$!
check "72 programs compute while slices come and go" compute_logged
: >"$stop"
wait "$churner"
check "slices really went and came" took_part
check "all slices are back" got_back
ktap_end
