#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM with the layer "opencl": OpenCL programs in a KVM guest with a vGPU, which is
# recomposed while they run. TAP.

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
ctl=out/tools/cli/tesseractl

in_guest()
{
	scripts/vm guest --mem 1G --timeout 900 --vgpu "$uuid" -- "$@"
}

# Another shape every few seconds, until the guest is done
recompose()
{
	n=0
	while [ ! -e "$stop" ]; do
		for slices in 4 1 3 2; do
			"$ctl" compose "$uuid" slices="$slices" || return 1
			n=$((n + 1))
			sleep 2
		done
	done
	echo "$n recompositions"
	[ "$n" -ge 4 ]
}

steady()
{
	scripts/vm guest --mem 1G --timeout 900 --vgpu "$uuid" --detach steady -- \
		selftests/opencl/run.sh steady || return 1
	recompose &
	scripts/vm wait steady
	status=$?
	: >"$stop"
	wait $! && return "$status"
}

stop=$(mktemp -u)
read -r uuid </proc/sys/kernel/random/uuid
modprobe vfio_iommu_type1 || exit 1
ktap_begin
check "a vGPU of two slices" "$ctl" create --uuid "$uuid" slices=2 min=1 max=4 kind=compute memory=48M
check "clinfo tells what it is" in_guest selftests/opencl/clinfo.sh
check "kernels, events, memory" in_guest selftests/opencl/run.sh kernels errors events memory programs
check "kernels while it is recomposed" steady
ktap_end
