#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of the conventions of the kernel's selftests, as TAP; runs in a host VM with a GPU: what
# "make run_tests" and an installed run_kselftest.sh run, and what they tell.
#
# shellcheck disable=SC2317 # functions called by name

. scripts/ktap.sh
dir=$(mktemp -d)
program=query

tests()
{
	make -s -C selftests O="$PWD/out/selftests" "$@"
}

# Everything passes, and what each program says is shown below it
runs()
{
	tests TARGETS=drm TEST_GEN_PROGS="$program fdinfo" run_tests >"$dir/run" 2>&1 &&
		cat "$dir/run" && grep -q '^1\.\.2$' "$dir/run" &&
		grep -q "^ok 1 selftests: drm: $program\$" "$dir/run" &&
		grep -q '^# timeout set to [1-9]' "$dir/run" && grep -q "^# ok 1 $program" "$dir/run"
}

# Without a GPU they fail, and that is told
tells_failures()
{
	modprobe -r tessera_drm 2>/dev/null || rmmod tessera_drm || return
	tests TARGETS=drm TEST_GEN_PROGS="$program" run_tests >"$dir/run" 2>&1
	insmod "out/modules/$(uname -r)/tessera_drm.ko"
	cat "$dir/run"
	grep -q "^not ok 1 selftests: drm: $program # exit=1\$" "$dir/run"
}

installs()
{
	tests TARGETS="drm pool" INSTALL_PATH="$dir/installed" install && cd "$dir/installed" &&
		[ -x "drm/$program" ] && [ -e drm/settings ] && [ -e drm/config ] &&
		grep -qx "drm:$program" kselftest-list.txt && grep -qx "pool:swap" kselftest-list.txt
}

runs_installed()
{
	cd "$dir/installed" && ./run_kselftest.sh -t drm:"$program" >"$dir/run" 2>&1 &&
		cat "$dir/run" && grep -q "^ok 1 selftests: drm: $program\$" "$dir/run"
}

ktap_begin
check "make TARGETS=drm run_tests" runs
check "a program that fails" tells_failures
check "make install" installs
check "run_kselftest.sh" runs_installed
expect "no directory to install to" 2 tests TARGETS=pool install
rm -rf "$dir"
ktap_end
