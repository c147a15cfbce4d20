#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: selftests/opencl/remote.sh [short]
#
# In a host VM with the layer "opencl": a guest without a GPU computes on the GPU of the host,
# by API remoting over VSOCK. short: only that. Else also two guests at once, and a server that
# is killed under a program. TAP.

cd "$(dirname "$0")/../.." || exit 1
case ${1:-} in
-h | --help) sed -n '4,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
log=$(mktemp)

serve()
{
	scripts/remote serve >"$log" 2>&1 &
	server=$!
	sleep 3
	kill -0 "$server"
}

stop_server()
{
	kill -9 "$server"
	wait "$server" 2>/dev/null
	return 0
}

# cid, name, then a command: in a guest that has no GPU at all
detached()
{
	cid=$1 name=$2
	shift 2
	scripts/vm guest --mem 1G --timeout 500 --vsock "$cid" --detach "$name" -- \
		scripts/remote run "$@"
}

# The guest has no GPU, the device says that it is remote, and its results are right.
computes()
{
	scripts/vm guest --mem 1G --timeout 500 --vsock 3 -- sh -c '
		test ! -e /dev/dri/renderD128 || exit 1
		scripts/remote run sh -c "
			clinfo --raw | grep -E \"CL_DEVICE_(NAME|VERSION|VENDOR) \" &&
			clinfo --raw | grep -q \"CL_DEVICE_VERSION .*remote\" || exit 1
			out/tools/opencl/test_kernels"'
}

two_guests()
{
	detached 3 one out/tools/opencl/test_steady 20 || return 1
	detached 4 two out/tools/opencl/test_kernels || return 1
	scripts/vm wait one && scripts/vm wait two
}

# Once it computes, its server dies: the program ends with an error, not with its time limit.
# shellcheck disable=SC2016 # for the guest
killed()
{
	scripts/vm guest --mem 1G --timeout 300 --vsock 3 --detach victim -- sh -c '
		timeout 120 scripts/remote run out/tools/opencl/test_steady 100
		status=$?
		echo "status $status"
		[ $status -ne 0 ] && [ $status -ne 124 ]' || return 1
	n=0
	until grep -q computes /run/tessera/guests/victim/stdout; do
		sleep 1
		n=$((n + 1))
		[ "$n" -lt 120 ] || { echo "it does not begin"; break; }
	done
	stop_server
	scripts/vm wait victim && [ "$n" -lt 120 ]
}

ktap_begin
check "a server" serve
check "a guest without a GPU computes on it" computes
if [ "${1:-}" != short ]; then
	check "two guests at once" two_guests
	check "the server is killed under a program" killed
	check "another server" serve
	check "a guest computes again" computes
fi
stop_server
[ "$ktap_failed" -eq 0 ] || sed 's/^/# server: /' "$log" | tail -n 30
rm -f "$log"
ktap_end
