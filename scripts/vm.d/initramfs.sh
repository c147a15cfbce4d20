#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# First program of a virtual machine: finds the root image, puts a writable
# layer on top, mounts the tree and hands over to init.sh in there. Appended to
# the prebuilt initramfs at each boot, next to /config (see machine.py).

bb=/bin/busybox
fail()
{
	echo "tessera: cannot boot: $*" >/dev/kmsg
	$bb poweroff -f
}

$bb mount -t proc proc /proc
$bb mount -t sysfs sysfs /sys
$bb mount -t devtmpfs devtmpfs /dev
# shellcheck disable=SC1091 # written by machine.py
. /config
for m in $($bb cat /modules/order); do
	$bb insmod "/modules/$m" || fail "module $m"
done
echo 1024 >/sys/block/vda/queue/read_ahead_kb
$bb mount -t erofs -o ro /dev/vda /lower || fail "no root image"
lower=/lower
if [ -n "$LAYER" ]; then
	echo 1024 >/sys/block/vdb/queue/read_ahead_kb
	$bb mkdir /layer
	$bb mount -t erofs -o ro /dev/vdb /layer || fail "no layer image"
	lower=/layer:/lower
fi
$bb mount -t tmpfs -o mode=755 rw /rw
$bb mkdir /rw/upper /rw/work
$bb mount -t overlay -o lowerdir=$lower,upperdir=/rw/upper,workdir=/rw/work root /newroot ||
	fail "no overlay"
# A kernel that the root image does not know brings its list of drivers
[ ! -d /lib/modules ] || $bb cp -r /lib/modules/* /newroot/lib/modules/
$bb mount -t tmpfs -o mode=755 run /newroot/run
$bb mkdir /newroot/run/tessera
$bb cp /config /cmd /newroot/run/tessera/
$bb mkdir -p "/newroot$TREE"
if [ -n "$TREE_DISK" ]; then
	$bb mount -t erofs -o ro "$TREE_DISK" "/newroot$TREE" || fail "no disk with the tree"
else
	$bb mount -t 9p -o trans=virtio,version=9p2000.L,cache=mmap,msize=262144 \
		tree "/newroot$TREE" || fail "no tree"
fi
for m in proc sys dev; do
	$bb mount -o move "/$m" "/newroot/$m"
done
exec $bb switch_root /newroot /bin/sh "$TREE/scripts/vm.d/init.sh"
