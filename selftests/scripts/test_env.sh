#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of "scripts/env run", as TAP. They run inside the environment, so each
# call first hides the mark that says so.
#
# shellcheck disable=SC2016,SC2086,SC2317 # scripts for other shells; functions called by name

. scripts/ktap.sh
hide='mkdir -p /run/etc && cp -a /etc/. /run/etc && rm /run/etc/tessera-env &&
	mount --bind /run/etc /etc && exec "$@"'

run()
{
	unshare -m sh -c "$hide" sh scripts/env run "$@"
}

arguments()
{
	[ "$(run printf '<%s>' 'a b' '$HOME' "it's" '')" = "<a b><\$HOME><it's><>" ]
}

keeps_files()
{
	rm -f out/env-probe
	run sh -c 'echo kept >out/env-probe' && [ "$(cat out/env-probe)" = kept ] &&
		rm out/env-probe
}

drops_changes()
{
	run touch /usr/env-probe && ! run test -e /usr/env-probe
}

clean_environment()
{
	TESSERA_PROBE=1 OTHER_PROBE=1 run sh -c '[ "$TESSERA_PROBE" = 1 ] && [ -z "$OTHER_PROBE" ]'
}

# Sleeps an odd time, so that it can be told from all others.
ends_everything()
{
	unshare -m sh -c "$hide" sh scripts/env run \
		sh -c 'sleep 98765 & echo started >out/env-probe; wait' &
	pid=$!
	until [ -e out/env-probe ]; do sleep 0.1; done
	rm out/env-probe
	kill -TERM "$pid"
	! wait "$pid" && ! pgrep -f 'sleep 98765' >/dev/null
}

# The real build with its steps replaced: unpacking goes on for ever, the root file system fails
# as $1 says. The build's status has to be $2.
fails_cleanly()
{
	dir=$(mktemp -d) && status=0
	bash -euo pipefail -c '
		cache=$0
		. scripts/env.d/build.sh
		say() { :; }
		die() { exit 125; }
		install_bootstrap() { :; }
		write_sources() { :; }
		private_apt() { :; }
		kernel_release() { echo "$1-amd64"; }
		unpack_kernels() { while :; do sh -c "sleep 0.01; echo >\$0" "$work/$SRANDOM"; done; }
		bootstrap() { sleep 1; '"$1"'; }
		build_locked' "$dir" || status=$?
	left=$(ls -A "$dir")
	rm -r "$dir"
	echo "# status $status, left: ${left:-nothing}"
	[ "$status" = "$2" ] && [ -z "$left" ]
}

ktap_begin
if [ "$(id -u)" -ne 0 ]; then
	skip "env run" "needs root"
	ktap_end
fi
mkdir -p out
expect "exit status of the command" 7 run sh -c 'exit 7'
expect "command ended by a signal" 137 run sh -c 'kill -9 $$'
expect "no such command" 127 run /no/such/command
expect "no command" 2 run
check "arguments arrive as they are" arguments
check "directory is kept" run --chdir selftests/scripts test -e test_env.sh
check "files in the tree are kept" keeps_files
check "changes outside the tree are dropped" drops_changes
check "only chosen variables are handed on" clean_environment
check "SIGTERM ends everything that was started" ends_everything
check "a build that fails leaves nothing" fails_cleanly 'die "no package"' 125
check "a build with an error leaves nothing" fails_cleanly false 1
check "a build that is stopped leaves nothing" fails_cleanly 'kill -TERM $$; sleep 5' 143
ktap_end
