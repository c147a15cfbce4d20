# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For shell tests in a host VM: vGPUs in sysfs. Sourced after ktap.sh. Starts few programs: that
# is slow in a translated machine.

driver=${TESSERA_DRIVER:-tessera_pci}
types=
for dir in /sys/class/mdev_bus/*/mdev_supported_types; do
	[ -d "$dir/$driver-C1" ] && types=$dir && break
done

available()
{
	read -r available_n <"$types/$driver-$1/available_instances" && echo "$available_n"
}

# create TYPE [UUID]: prints the UUID. Through tee, which says what was wrong
create()
{
	create_uuid=${2-}
	[ $# -gt 1 ] || read -r create_uuid </proc/sys/kernel/random/uuid
	echo "$create_uuid" | LC_ALL=C tee "$types/$driver-$1/create"
}

remove()
{
	echo 1 >"/sys/bus/mdev/devices/$1/remove"
}

remove_all()
{
	for dev in /sys/bus/mdev/devices/*; do
		[ ! -e "$dev" ] || remove "${dev##*/}"
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
		read -r pool_n <"$dir/available_instances"
		printf '%s=%s ' "${dir##*/}" "$pool_n"
	done
}
