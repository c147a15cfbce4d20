#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The kernel's own VFIO selftests (Documentation/debugging.rst) with vGPUs of the first GPU, then
# with the second GPU in the hands of vfio-pci. In a host VM, in a mount name space of its own.

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=selftests/mdev/lib.sh
. selftests/mdev/lib.sh
tests=out/selftests/debug/vfio
whole=0000:02:00.0
status=0

# run [VAR=VALUE...] PROGRAM [ARG...]: its results, then what else it said
run()
{
	said=$(mktemp)
	echo "# $*"
	env "$@" 2>"$said" || status=1
	sed 's/^/# /' "$said"
	rm "$said"
}

# show UUID ADDRESS: they look for devices in /sys/bus/pci, and that is what they read there. Whose
# device it is says the GPU.
show()
{
	mdev=$(readlink -f "/sys/bus/mdev/devices/$1")
	mkdir "/sys/bus/pci/devices/$2"
	ln -s "$mdev/vfio-dev" "$mdev/iommu_group" "${mdev%/*}/vendor" "${mdev%/*}/device" \
		"/sys/bus/pci/devices/$2"
}

# BARs of vGPUs have holes
vgpu()
{
	run LD_PRELOAD="$PWD/out/selftests/debug/sparse.so" "$@"
}

vgpus()
{
	mount -t tmpfs vgpus /sys/bus/pci/devices || exit 1
	set --
	for type in D1 C1 C1S M1; do
		uuid=$(create $type) && show "$uuid" "ffff:00:0$#.0" || exit 1
		set -- "$@" "ffff:00:0$#.0"
	done
	vgpu $tests/vfio_pci_device_test "$1"
	vgpu $tests/vfio_iommufd_setup_test "$1"
	vgpu $tests/vfio_dma_mapping_test -v iommufd -v iommufd_anonymous "$1"
	vgpu out/selftests/debug/vfio_driver -v iommufd "$1"
	vgpu out/selftests/debug/vfio_driver -v iommufd "$3"
	vgpu $tests/vfio_pci_device_init_perf_test -v iommufd "$@"
	umount /sys/bus/pci/devices
	remove_all
}

# rebind [DRIVER]
rebind()
{
	echo "$whole" >"/sys/bus/pci/devices/$whole/driver/unbind" &&
		echo "${1-}" >"/sys/bus/pci/devices/$whole/driver_override" &&
		echo "$whole" >/sys/bus/pci/drivers_probe
}

# The kernel does not remap interrupts
gpu()
{
	rebind vfio-pci || exit 1
	for module in iommufd vfio_iommu_type1; do
		echo 1 >/sys/module/$module/parameters/allow_unsafe_interrupts || exit 1
	done
	run $tests/vfio_pci_device_test $whole
	run $tests/vfio_iommufd_setup_test $whole
	for test in mapping mapping_mmio; do
		run $tests/vfio_dma_${test}_test -V vfio_type1_iommu -V vfio_type1v2_iommu $whole
	done
	run $tests/vfio_pci_device_init_perf_test $whole
	rebind && [ -d /sys/class/mdev_bus/$whole ] || exit 1
}

vgpus
gpu
exit $status
