# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For shell tests in a host VM: vGPUs in sysfs. Sourced after ktap.sh.

types=
for dir in /sys/class/mdev_bus/*/mdev_supported_types; do
	[ -d "$dir/tessera_pci-C1" ] && types=$dir && break
done

available()
{
	cat "$types/tessera_pci-$1/available_instances"
}

# create TYPE [UUID]: prints the UUID. Through tee, which says what was wrong
create()
{
	create_uuid=${2-$(cat /proc/sys/kernel/random/uuid)}
	echo "$create_uuid" | LC_ALL=C tee "$types/tessera_pci-$1/create"
}

remove()
{
	echo 1 >"/sys/bus/mdev/devices/$1/remove"
}

remove_all()
{
	for dev in /sys/bus/mdev/devices/*; do
		[ ! -e "$dev" ] || remove "$(basename "$dev")"
	done
}

stat()
{
	cat "/sys/bus/mdev/devices/$1/stats/$2"
}

# All counts of available instances in one line: what the pool has
pool()
{
	for dir in "$types"/*; do
		printf '%s=%s ' "$(basename "$dir")" "$(cat "$dir/available_instances")"
	done
}
