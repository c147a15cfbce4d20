#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A KVM guest whose vGPU QEMU opens by the vGPU's own file, with the guest's memory in an iommufd,
# as KTAP; runs in a host VM with the debug kernel.
#
# shellcheck disable=SC2317 # functions called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/mdev/lib.sh
. selftests/mdev/lib.sh
patience=2400
said=/run/tessera/guests/g/stdout

begins()
{
	scripts/vm guest --timeout "$patience" --iommufd --vgpu "$vgpu" --detach g -- \
		sh -c 'while out/examples/sgemm --size 64; do :; done'
}

# ls fails if a file is closed while it looks
by_its_file()
{
	ls -l "/proc/$qemu/fd" >/tmp/files 2>&1
	cat /tmp/files
	grep -q ' /dev/vfio/devices/vfio[0-9]*$' /tmp/files && grep -q ' /dev/iommu$' /tmp/files &&
		! grep -q ' /dev/vfio/[0-9v]' /tmp/files
}

# computes SLICES: there is a correct result, of work on so many slices
computes()
{
	left=$patience
	until grep -q "^sgemm: ok .*, $1 slices$" "$said"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] && kill -0 "$qemu" || { cat "$said"; return 1; }
		sleep 1
	done
}

# The host has seen it: completions, and memory of the guest that is pinned
counts()
{
	echo "completions $(stat "$vgpu" completions), pinned pages $(stat "$vgpu" pinned_pages)"
	[ "$(stat "$vgpu" completions)" -gt 0 ] && [ "$(stat "$vgpu" pinned_pages)" -gt 0 ]
}

grows()
{
	echo slices=2 >"/sys/bus/mdev/devices/$vgpu/blueprint" && computes 2
}

# All results were correct until then: the guest had not ended by itself
killed()
{
	status=0
	scripts/vm kill g -9 || return 1
	scripts/vm wait g --timeout 300 || status=$?
	echo "status $status, pinned pages $(stat "$vgpu" pinned_pages)"
	[ "$status" -eq 137 ] && [ "$(stat "$vgpu" pinned_pages)" -eq 0 ]
}

all_is_back()
{
	remove "$vgpu" || return 1
	echo "before $pool_before"
	echo "now    $(pool)"
	[ "$(pool)" = "$pool_before" ]
}

pool_before=$(pool)
vgpu=$(create blank) || exit 1
echo slices=1 max=2 kind=compute >"/sys/bus/mdev/devices/$vgpu/blueprint" || exit 1
ktap_begin
check "a guest comes up" begins
qemu=$(scripts/vm pid g)
check "QEMU has the vGPU by its own file, memory in an iommufd" by_its_file
check "the guest computes" computes 1
check "the host counts it" counts
check "the vGPU grows while it does" grows
check "its QEMU is killed, nothing stays pinned" killed
check "everything is back in the pool" all_is_back
ktap_end
