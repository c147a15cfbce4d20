# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests written in shell: sourced.

# condition SECONDS CMD...: CMD comes true
condition()
{
	condition_left=$1
	shift
	until "$@"; do
		condition_left=$((condition_left - 1))
		[ "$condition_left" -gt 0 ] || return 1
		sleep 1
	done
}
