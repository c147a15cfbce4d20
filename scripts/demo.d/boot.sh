# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots the host VM of a demo: source this in a script that set "tree" and "name", then
#	demo_boot SCRIPT OUT SECONDS [OPTION...]
# which runs SCRIPT of scripts/demo.d there with OUT, an empty directory, as its argument, and sets
# "status". If the emulator loses the host VM, it begins again.

# What scripts/vm says of a translated host VM that stood still, or died in no function of ours
lost='^vm: host: (no sign of life for|died .*without a function of Tessera in its last words)'
tries=3

# Everything is printed as it comes; standard error is kept, too.
demo_try()
{
	demo_script=$1 demo_out=$2 demo_seconds=$3
	shift 3
	rm -rf "$demo_out"
	mkdir -p "$demo_out"
	{
		{
			"${tree:?}/scripts/vm" host --timeout "$demo_seconds" "$@" \
				--keep-log "$demo_out/host.log" -- python3 \
				"$tree/scripts/demo.d/$demo_script" "$demo_out" 2>&1 1>&3 3>&- &&
				status=0 || status=$?
			echo "$status" >"$demo_said.status"
		} | tee "$demo_said" >&2
	} 3>&1
	read -r status <"$demo_said.status"
}

demo_boot()
{
	demo_said=$2.said
	mkdir -p "${2%/*}"
	try=1
	while :; do
		echo "${name:?}: booting a host VM with one GPU"
		demo_try "$@"
		[ "$status" -ne 0 ] && [ "$try" -lt $tries ] &&
			why=$(grep -m 1 -E "$lost" "$demo_said") || break
		try=$((try + 1))
		echo "${name:?}: the emulator lost the host VM (status $status, ${why#vm: host: }): beginning again, try $try of $tries"
	done
	rm -f "$demo_said" "$demo_said.status"
}
