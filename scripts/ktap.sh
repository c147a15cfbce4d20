# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests written in shell: source this, call ktap_begin, then
#	check NAME CMD [ARG...]	passes if CMD succeeds; shows its output if not
#	expect NAME STATUS CMD [ARG...]	passes if CMD ends with that status
#	pass NAME, flunk NAME, skip NAME WHY, retried NAME WHY (it passed at the second try)
# and ktap_end, which prints the plan and exits 1 if anything failed.

ktap_begin()
{
	ktap_count=0
	ktap_failed=0
	ktap_output=$(mktemp)
	trap 'rm -f "$ktap_output"' EXIT
	echo "TAP version 13"
}

pass()
{
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count $1"
}

flunk()
{
	ktap_count=$((ktap_count + 1))
	ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_count $1"
}

skip()
{
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count $1 # SKIP $2"
}

retried()
{
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count $1 # RETRIED $2"
}

expect()
{
	ktap_name=$1
	ktap_want=$2
	shift 2
	ktap_status=0
	"$@" >"$ktap_output" 2>&1 || ktap_status=$?
	if [ "$ktap_status" -eq "$ktap_want" ]; then
		pass "$ktap_name"
	else
		sed 's/^/# /' "$ktap_output" | tail -n 60
		echo "# status $ktap_status, expected $ktap_want: $*"
		flunk "$ktap_name"
	fi
}

check()
{
	ktap_what=$1
	shift
	expect "$ktap_what" 0 "$@"
}

ktap_end()
{
	echo "1..$ktap_count"
	[ "$ktap_failed" -eq 0 ]
	exit
}
