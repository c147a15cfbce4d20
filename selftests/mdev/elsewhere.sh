#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which of several GPUs a vGPU goes to when its own is taken from its driver, as KTAP. Runs in a host
# VM with --gpus 4 --model-args "--kinds compute:1,render:1" --model-args "--kinds render:1"
# --model-args "--kinds compute:5,render:3" --model-args "--kinds render:4".
#
# shellcheck disable=SC2317 # functions are called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/mdev/lib.sh
. selftests/mdev/lib.sh

# gpu_of SLICES: the GPU that has so many
gpu_of()
{
	for gpu in /sys/class/tessera/gpu*; do
		[ "$(cat "$gpu/slices_total")" != "$1" ] || echo "${gpu##*/}"
	done
}

# goes BLUEPRINT-WORDS SLICES: a vGPU with a head goes to the GPU with so many slices
goes()
{
	remove_all
	own=$(gpu_of 1) want=$(gpu_of "$2")
	u=$(create blank) && mdev=/sys/bus/mdev/devices/$u || return 1
	echo "slices=1 kind=render memory=2M heads=1 $1" >"$mdev/blueprint" || return 1
	echo "$own" >"$mdev/gpu" || return 1
	# Where it was made is no room for it any more
	other=$(create blank) || return 1
	echo "slices=1 kind=render memory=2M" >"/sys/bus/mdev/devices/$other/blueprint" || return 1
	[ "$(cat "/sys/bus/mdev/devices/$other/gpu")" = "$(gpu_of 2)" ] || return 1
	pci=$(readlink -f "/sys/class/tessera/$own/device")
	bound=$(readlink -f "$pci/driver")
	echo "${pci##*/}" >"$bound/unbind" || return 1
	has=$(cat "$mdev/gpu")
	echo "${pci##*/}" >"$bound/bind" || return 1
	echo "it went to $has, not to $want"
	[ "$has" = "$want" ]
}

ktap_begin
modprobe vfio_iommu_type1
check "a local path: to the GPU with most free slices of its kind" goes path=local 4
check "a remote one: to that with most idle slices that can copy frames" goes path=remote 8
remove_all
ktap_end
