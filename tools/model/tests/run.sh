#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs TAP programs one after the other and prints one TAP stream: a test per
# program, its own lines indented when it fails, figures that it prints as comments
# when it does not. Fails if one of them does. TESSERA_THREADS is told with each test.

failed=0
number=0
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

echo "1..$#"
how=${TESSERA_THREADS:+, $TESSERA_THREADS threads}
for program; do
	name="$(basename "$program")$how"
	case $program in */tsan/*) name="$name, TSan" ;; esac
	number=$((number + 1))
	# What hangs ends: TSan's take a minute and a half, on a machine that does nothing else
	timeout 500 "$program" >"$out" 2>&1
	status=$?
	good=$(grep -c '^ok ' "$out")
	if [ $status -eq 0 ]; then
		echo "ok $number - $name # $good checks"
		grep '^# ' "$out"
	else
		echo "not ok $number - $name # exit $status, $good checks passed"
		grep -v "^ok " "$out" | sed "s,^,    ," | head -n 100
		failed=1
	fi
done
exit $failed
