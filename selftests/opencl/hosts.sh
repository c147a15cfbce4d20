#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/hosts.sh
#
# Starts two host VMs with an Ethernet cable between them, and a server of API remoting in each; a guest
# of the first host, without a GPU, computes on both. The second server is killed, and later its host.
# TAP.
# hosts.sh first, second, client: what runs in the hosts and in the guest.

cd "$(dirname "$0")/../.." || exit 1
first=192.0.2.1 second=192.0.2.2 guest=192.0.2.3
# A connection to the first of these kills the second server, which begins again; one to the other cuts
# the power of its host.
kill_port=11111 power_port=11112

# host ROLE END NUMBER: a host VM at one END of the cable, whose card's address ends with NUMBER
host()
{
	exec scripts/vm host --with opencl --mem 3G --timeout 1700 \
		--qemu-arg=-netdev --qemu-arg="stream,id=cable,addr.type=unix,addr.path=$dir/cable,$2" \
		--qemu-arg=-device --qemu-arg="virtio-net-pci,netdev=cable,mac=52:54:00:00:00:0$3" \
		-- selftests/opencl/hosts.sh "$1"
}

both()
{
	local seconds=0 status=0 peer

	dir=$(mktemp -d)
	(host second server=on 2) >"$dir/second" 2>&1 &
	peer=$!
	until [ -S "$dir/cable" ]; do
		sleep 1
		seconds=$((seconds + 1))
		if [ "$seconds" -gt 300 ] || ! kill -0 "$peer" 2>/dev/null; then
			echo "Bail out! the second host does not start"
			sed 's/^/# second host: /' "$dir/second"
			exit 1
		fi
	done
	(host first server=off 1) || status=$?
	kill "$peer" 2>/dev/null
	wait "$peer" 2>/dev/null
	[ "$status" -eq 0 ] || tail -n 30 "$dir/second" | sed 's/^/# second host: /'
	rm -r "$dir"
	exit "$status"
}

# Sets "card": the one network device, which udev may rename
find_card()
{
	modprobe virtio_net && udevadm settle || return 1
	card=$(echo /sys/bus/virtio/drivers/virtio_net/virtio*/net/*)
	card=${card##*/}
}

# DEVICE ADDRESS
up()
{
	ip link set lo up && ip link set "$1" up && ip address add "$2/24" dev "$1"
}

# PORT: waits for a connection there
wait_for_switch()
{
	python3 -c "import socket; socket.create_server(('$second', $1)).accept()"
}

on_second()
{
	find_card && up "$card" $second || exit 1
	scripts/remote serve --address $second &
	wait_for_switch $kill_port
	kill -9 $!
	scripts/remote serve --address $second &
	wait_for_switch $power_port
	echo b >/proc/sysrq-trigger
}

# A bridge: the guest sees what happens on the cable itself.
on_first()
{
	find_card && modprobe -a bridge tun && ip link add bridge type bridge &&
		ip tuntap add tap mode tap || exit 1
	for device in "$card" tap; do
		ip link set "$device" master bridge && ip link set "$device" up || exit 1
	done
	up bridge $first || exit 1
	scripts/remote serve --address $first >&2 &
	scripts/vm guest --mem 1G --timeout 1300 --qemu-arg=-nic \
		--qemu-arg=tap,ifname=tap,script=no,downscript=no,model=virtio \
		-- selftests/opencl/hosts.sh client
}

client()
{
	timeout 300 scripts/remote run --server $first --server $second "$@"
}

# Waits for the servers
both_devices()
{
	local tries=0

	until [ "$(client clinfo --raw | grep -c 'CL_DEVICE_NAME .*Tessera')" -eq 2 ]; do
		sleep 2
		tries=$((tries + 1))
		[ "$tries" -lt 60 ] || return 1
	done
}

# PORT: a program computes at both, and connects there meanwhile
loses()
{
	client out/tools/opencl/test_servers "bash -c ': </dev/tcp/$second/$1'"
}

in_guest()
{
	# shellcheck source=scripts/ktap.sh
	. scripts/ktap.sh
	find_card && up "$card" $guest || exit 1
	ktap_begin
	check "the guest has no GPU" test ! -e /dev/dri/renderD128
	check "clinfo finds the devices of both hosts" both_devices
	check "one program computes at both" client out/tools/opencl/test_servers
	check "it gets errors when a server is killed" loses $kill_port
	check "the other host goes on, for a program that wants no more" \
		timeout 300 scripts/remote run --server $first out/tools/opencl/test_kernels
	check "another server" both_devices
	check "a program gets errors when the host of a server loses power" loses $power_port
	check "the other host goes on" \
		timeout 300 scripts/remote run --server $first out/tools/opencl/test_kernels
	ktap_end
}

case ${1:-} in
first) on_first ;;
second) on_second ;;
client) in_guest ;;
'') both ;;
*) sed -n '4,9s/^# \{0,1\}//p' "$0" ;;
esac
