#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the core and the front-ends do with a GPU whose back-end has only what is mandatory
# (drivers/skeleton). Runs in a host VM without GPUs and with all modules.
#
# shellcheck disable=SC2086 # no value here has a space in it

tree=$(dirname "$(readlink -f "$0")")/../..
# shellcheck source=scripts/ktap.sh
. "$tree/scripts/ktap.sh"

gpu=/sys/class/tessera/gpu0
driver=/sys/bus/platform/drivers/tessera_skeleton
route=/sys/module/tessera/parameters/route
types=/sys/devices/platform/tessera_skeleton/mdev_supported_types
module=$tree/out/modules/$(uname -r)/tessera_skeleton.ko

is() # FILE VALUE
{
	val=$(cat "$1") || return
	[ "$val" = "$2" ] || { echo "$1: \"$val\", expected \"$2\""; return 1; }
}

drm() # PROGRAM.TEST
{
	timeout -s KILL 60 "$tree/out/selftests/drm/${1%.*}" -r "$1"
}

jobs_by() # ROUTE
{
	echo "$1" >$route && drm submit.nop && drm sync.many_in_and_out
	status=$?
	echo page >$route
	return $status
}

# The slices of a vGPU whose client drives registers would not be isolated
no_types()
{
	[ ! -e $types ] && dmesg | grep "tessera_skeleton: no vGPUs for virtual machines"
}

gone()
{
	! [ -e $gpu ] && ! ls /dev/dri/renderD*
}

# udev and the last reference to the device take a moment
comes_to() # CMD
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! "$@" || return 0
		sleep 0.5
	done
	return 1
}

rebind()
{
	for _ in 1 2 3; do
		echo tessera_skeleton >$driver/unbind && comes_to gone &&
			echo tessera_skeleton >$driver/bind && drm submit.nop || return
	done
}

unbind_while_open()
{
	node=$(echo /dev/dri/renderD*)
	exec 9<"$node"
	sleep 30 &
	holder=$!
	exec 9<&-
	echo tessera_skeleton >$driver/unbind
	status=$?
	! [ -e $gpu ] || status=1
	kill $holder
	return $status
}

ktap_begin
check "a back-end with what is mandatory registers" insmod "$module"
check "its slices are in the pool" is $gpu/slices_total 4
check "it has no VRAM" is $gpu/vram_total 0
check "processes have its slices" comes_to is $gpu/slices/slice3/owner drm
check "jobs that are refused" drm submit.errors
check "queues" drm queue.create_errors
check "jobs complete" jobs_by page
check "completions are found by the record if the GPU cannot be asked" jobs_by register
check "no vGPUs for virtual machines are offered, and the reason is told" no_types
check "unbind and bind, 3 times" rebind
check "unbind with an open file" unbind_while_open
check "unload" rmmod tessera_skeleton
ktap_end
