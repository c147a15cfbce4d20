# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Source this in a host VM with two GPUs. change UUID STOP SECONDS: the vGPU, created with min=1 max=4,
# gets other slices and another GPU, with SECONDS after it is back, until the file STOP is there. Fails
# if a change does, or if there was no time for all of them.

# UUID GPU
is_on()
{
	[ "$(cat "/sys/bus/mdev/devices/$1/gpu")" = "$2" ]
}

change()
{
	changed=0
	while [ ! -e "$2" ]; do
		tesseractl compose "$1" slices=4 && tesseractl compose "$1" slices=1 &&
			tesseractl move "$1" 0 13 && tesseractl move "$1" gpu1 && is_on "$1" gpu1 &&
			tesseractl compose "$1" slices=3 && tesseractl move "$1" gpu0 &&
			is_on "$1" gpu0 && tesseractl compose "$1" slices=2 || return 1
		changed=$((changed + 1))
		sleep "$3"
	done
	echo "# $changed times: 4 recompositions, 2 moves between GPUs, 1 between slices"
	[ "$changed" -ge 1 ]
}

tesseractl()
{
	out/tools/cli/tesseractl "$@" >/dev/null
}
