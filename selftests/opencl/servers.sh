#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/servers.sh [--sim]
#
# One client on two servers of API remoting, by TCP on the loopback device, each with a GPU of its
# own: GPU 0 and GPU 1 of this machine, or, with --sim, a simulated GPU each. Work goes from one to
# the other and runs at both; one of them is killed. TAP.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
--sim) export opencl_gpu=sim ;;
esac
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
logs=$(mktemp -d)
# Three ports each
first=21000 second=21010

# A server listens when its port is in the table of the kernel, in hexadecimal.
listens()
{
	grep -q ": 0100007F:$(printf %04X "$1") 00000000:0000 0A " /proc/net/tcp
}

# serve NUMBER PORT: sets "server"
serve()
{
	if [ "${opencl_gpu:-}" != sim ]; then
		node=$(echo "/sys/class/tessera/gpu$1/device/drm"/renderD*)
		TESSERA_DEVICE=/dev/dri/${node##*/}
		export TESSERA_DEVICE
	fi
	scripts/remote serve --address 127.0.0.1 --port "$2" >"$logs/$1" 2>&1 &
	server=$!
	n=0
	until listens "$2"; do
		sleep 0.5
		n=$((n + 1))
		kill -0 "$server" && [ "$n" -lt 240 ] || return 1
	done
}

client()
{
	timeout 300 scripts/remote run --server "127.0.0.1:$first" --server "127.0.0.1:$second" "$@"
}

both_devices()
{
	[ "$(client clinfo --raw | grep -c 'CL_DEVICE_NAME .*Tessera')" -eq 2 ]
}

ktap_begin
check "a server" serve 0 $first
one=$server
check "and another one, with a GPU of its own" serve 1 $second
two=$server
check "clinfo finds the devices of both" both_devices
check "one program computes at both" client out/tools/opencl/test_servers
check "it gets errors when one of them is killed" client out/tools/opencl/test_servers "kill -9 $two"
expect "so does a program that comes later" 1 client out/tools/opencl/test_servers
check "the other server goes on, for a program that wants no more" \
	timeout 300 scripts/remote run --server "127.0.0.1:$first" out/tools/opencl/test_kernels
check "the lost one is back" serve 1 $second
two=$server
check "and one program computes at both" client out/tools/opencl/test_servers
kill -9 "$one" "$two" 2>/dev/null
wait 2>/dev/null
[ "$ktap_failed" -eq 0 ] || tail -n 30 "$logs"/* | sed 's/^/# server: /'
rm -r "$logs"
ktap_end
