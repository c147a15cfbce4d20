#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# In a host VM: display heads as KVM guests see them, as KTAP. A guest with one head, and one
# whose heads come and go while it shows something.
#
# shellcheck disable=SC2317 # functions called by name

cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
uuid=5e1ec7ed-0000-4000-8000-00000000d150
dev=/sys/bus/mdev/devices/$uuid
gpu=/sys/class/tessera/gpu0

compose()
{
	echo "slices=1 kind=mixed memory=32M heads=$1" >"$dev/blueprint"
}

setup()
{
	echo "$uuid" >"$gpu/device/mdev_supported_types/tessera_pci-blank/create" && compose "$1"
}

teardown()
{
	echo 1 >"$dev/remove"
}

one_head()
{
	setup 1 && scripts/vm guest --vgpu "$uuid" --timeout 300 -- selftests/drm/run.sh kms
	one_status=$?
	teardown
	return "$one_status"
}

# What a guest prints, and then "status N": does what it asks for
as_told()
{
	told_status=1
	while read -r told_line; do
		echo "$told_line"
		case $told_line in
		"# heads "*) compose "${told_line##* }" ;;
		"status "*) told_status=${told_line#status } ;;
		esac
	done
	return "$told_status"
}

heads_come_and_go()
{
	setup 1 || return 1
	{
		scripts/vm guest --vgpu "$uuid" --timeout 300 -- out/selftests/drm/kms_hotplug
		echo "status $?"
	} | as_told
	go_status=$?
	teardown
	return "$go_status"
}

ktap_begin
free=$(cat "$gpu/slices_free")
check "a guest with one head" one_head
check "heads come and go while a guest uses them" heads_come_and_go
check "all slices are back" test "$(cat "$gpu/slices_free")" = "$free"
ktap_end
