#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The PCI function under a stock QEMU and a stock Linux guest: the demonstration
# device, lspci's view of it, and VFIO inside the guest. Runs in the environment:
#
#	scripts/env run make -C tools/model test-qemu
#
# DEVICE is vfu_demo_device. Prints TAP.

set -euo pipefail

device=$(readlink -f "${1:?usage: vfu_qemu_test.sh DEVICE [VRAM-MIB]}")
vram=${2:-256}
here=$(dirname "$(readlink -f "$0")")
kernel=$(basename "$(ls -d /lib/modules/6.12*)")
work=$(mktemp -d)
device_pid=

cleanup()
{
	[ -z "$device_pid" ] || kill "$device_pid" 2>/dev/null || :
	rm -rf "$work"
}
trap cleanup EXIT

copy_with_libs()
{
	local lib

	install -D "$1" "$work/root$1"
	for lib in $(ldd "$1" | grep -o '/[^ ]*'); do
		[ -e "$work/root$lib" ] || install -D "$lib" "$work/root$lib"
	done
}

make_initramfs()
{
	local mod path

	mkdir -p "$work"/root/{bin,proc,sys,dev,mod}
	cp "$(command -v busybox)" "$work/root/bin/busybox"
	copy_with_libs "$(readlink -f "$(command -v lspci)")"
	gcc -O2 -static -o "$work/root/bin/vfu_guest" "$here/vfu_guest.c"
	while read -r _ path; do
		mod=$(basename "$path" .xz)
		xz -dc "$path" >"$work/root/mod/$mod"
		echo "$mod" >>"$work/root/mod/list"
	done < <(modprobe -S "$kernel" --show-depends vfio-pci | grep ^insmod | awk '!seen[$0]++')
	cat >"$work/root/init" <<-INIT
		#!/bin/busybox sh
		/bin/busybox --install -s /bin
		export PATH=/bin:/usr/bin
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		while read -r m; do insmod /mod/\$m; done </mod/list
		bdf=\$(basename \$(dirname \$(grep -l 0x7e55 /sys/bus/pci/devices/*/device | head -n 1)))
		echo; echo "BEGIN lspci"
		lspci -vvv -nn -s \$bdf 2>/dev/null
		echo "END lspci"
		echo 1234 7e55 >/sys/bus/pci/drivers/vfio-pci/new_id
		group=\$(basename \$(readlink /sys/bus/pci/devices/\$bdf/iommu_group))
		echo; echo "BEGIN guest"
		vfu_guest \$bdf \$group $vram
		echo "END guest"
		poweroff -f
	INIT
	chmod +x "$work/root/init"
	(cd "$work/root" && find . | cpio -o -H newc --quiet) >"$work/initrd"
}

start_device()
{
	local i

	"$device" "$work/socket" "$vram" >"$work/device.log" 2>&1 &
	device_pid=$!
	for ((i = 0; i < 50; i++)); do
		[ ! -S "$work/socket" ] || return 0
		sleep 0.1
	done
	echo "Bail out! the device does not start: $(cat "$work/device.log")"
	exit 1
}

# no_timer_check: on a loaded machine the guest's kernel sees no tick in time, blames
# interrupt remapping and panics.
start_guest()
{
	rm -f "$work/console"
	timeout 180 qemu-system-x86_64 -M q35 -accel tcg -cpu max,-erms,-fsrm -m 512 \
		-object memory-backend-memfd,id=ram,size=512M,share=on -machine memory-backend=ram \
		-nodefaults -nographic -no-reboot -serial "file:$work/console" -pidfile "$work/pid" \
		-kernel "/usr/lib/tessera/vmlinux-$kernel" -initrd "$work/initrd" \
		-append "console=ttyS0 quiet panic=-1 loglevel=3 no_timer_check" \
		-device amd-iommu,dma-remap=on -device pcie-root-port,id=rp,chassis=1 \
		-device "{\"driver\":\"vfio-user-pci\",\"bus\":\"rp\",\"socket\":{\"type\":\"unix\",\"path\":\"$work/socket\"}}" \
		>"$work/qemu.log" 2>&1 &
	guest_pid=$!
}

run_guest()
{
	start_guest
	wait "$guest_pid" && tr -d '\r' <"$work/console" | grep -q '^END guest'
}

# SIGKILL while the guest is at work on the device.
kill_guest()
{
	local i

	start_guest
	for ((i = 0; i < 600; i++)); do
		! grep -qs 'an interrupt raised before' "$work/console" || break
		sleep 0.1
	done
	kill -KILL "$(cat "$work/pid")"
	{ wait "$guest_pid" || :; } 2>/dev/null
	for ((i = 0; i < 100; i++)); do
		! grep -q '^VMM gone' "$work/device.log" || return 0
		sleep 0.1
	done
	return 1
}

section()
{
	tr -d '\r' <"$work/console" | sed -n "/^BEGIN $1/,/^END $1/p" | sed '1d;$d'
}

nr=0
failed=0
check()
{
	local name=$1

	shift
	nr=$((nr + 1))
	if "$@"; then
		echo "ok $nr - $name"
	else
		echo "not ok $nr - $name"
		failed=$((failed + 1))
	fi
}

lspci_has()
{
	section lspci | grep -Eq -- "$1"
}

guest_passed()
{
	section guest | grep -q '^1\.\.' && ! section guest | grep -q '^not ok'
}

make_initramfs
start_device
check "a VMM is killed at work, the device notices" kill_guest
check "the next guest boots and powers off" run_guest
section lspci | sed 's/^/# /'
check "identity" lspci_has '\[0380\]: .*\[1234:7e55\] \(rev 01\)'
check "BAR0: 1 MiB, 64-bit, not prefetchable" \
	lspci_has 'Region 0: Memory at .*64-bit, non-prefetchable.*\[size=1M\]'
check "BAR2: VRAM, 64-bit, prefetchable" \
	lspci_has 'Region 2: Memory at .*64-bit, prefetchable.*\[size=[0-9]+[MG]\]'
check "BAR4: 4 KiB" lspci_has 'Region 4: Memory at .*64-bit, non-prefetchable.*\[size=4K\]'
check "power management" lspci_has 'Power Management version 3'
check "PCI Express endpoint with FLR" lspci_has 'FLReset\+'
check "MSI-X with 4 vectors" lspci_has 'MSI-X: Enable. Count=4'
check "table and PBA in BAR4" lspci_has 'PBA: BAR=4 offset=00000800'
check "device serial number" lspci_has 'Device Serial Number 7e-55-00-00-00-00-00-01'
section guest | sed 's/^/    /'
check "VFIO in the guest" guest_passed
check "the device outlives the VMM" kill -0 "$device_pid"
check "and was reset after each" test "$(grep -c '^reset 2' "$work/device.log")" -eq 2
check "QEMU has nothing to complain about" test ! -s "$work/qemu.log"
[ ! -s "$work/qemu.log" ] || sed 's/^/# /' "$work/qemu.log"
if [ "$failed" -ne 0 ]; then
	tail -n 40 "$work/console" | sed 's/^/# console: /'
	sed 's/^/# device: /' "$work/device.log"
fi
echo "1..$nr"
[ "$failed" -eq 0 ]
