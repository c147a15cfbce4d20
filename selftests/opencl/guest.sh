#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM with the layer "opencl" and two GPUs: OpenCL programs in a KVM guest with a vGPU, which
# is recomposed and moved while they run, and two guests with different programs. TAP.

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/opencl/change.sh
. selftests/opencl/change.sh

in_guest()
{
	scripts/vm guest --mem 1G --timeout 1800 --vgpu "$uuid" -- "$@"
}

steady()
{
	scripts/vm guest --mem 1G --timeout 900 --vgpu "$uuid" --detach steady -- \
		selftests/opencl/run.sh steady || return 1
	until grep -q computes /run/tessera/guests/steady/stdout; do
		scripts/vm pid steady >/dev/null || break
		sleep 1
	done
	change "$uuid" "$stop" 1 &
	scripts/vm wait steady
	status=$?
	: >"$stop"
	wait $! && return "$status"
}

# A program that others wrote on one vGPU, kernels whose results are verified on another
two_programs()
{
	read -r other </proc/sys/kernel/random/uuid
	tesseractl create --uuid "$other" slices=2 kind=mixed memory=48M || return 1
	scripts/vm guest --mem 1G --timeout 900 --vgpu "$other" --detach other -- \
		selftests/opencl/run.sh steady || return 1
	in_guest selftests/opencl/apps.sh demo
	status=$?
	scripts/vm wait other && return "$status"
}

stop=$(mktemp -u)
read -r uuid </proc/sys/kernel/random/uuid
modprobe vfio_iommu_type1 || exit 1
tesseractl create --uuid "$uuid" slices=2 min=1 max=4 kind=compute memory=48M || exit 1
# Programs are compiled in the guest, which takes minutes: their tests one by one
status=0
in_guest selftests/opencl/run.sh kernels errors events memory programs clients || status=$?
ktap_begin
check "programs with kernels, errors, events, memory, binaries, other clients" test "$status" -eq 0
check "clinfo tells what it is" in_guest selftests/opencl/clinfo.sh
check "kernels while it is recomposed and moved" steady
check "two guests with different programs" two_programs
ktap_end
