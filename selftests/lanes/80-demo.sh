#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the demo: two guests with different vGPUs compute at the same time
# timeout: 1300
# beside: no

. scripts/ktap.sh
log=out/check/demo-output.txt

demo()
{
	status=0
	scripts/demo >"$log" 2>&1 || status=$?
	sed 's/^/# /' "$log"
}

ktap_begin
mkdir -p out/check
demo
first=$status
if [ "$first" -ne 0 ]; then
	# See testing.rst, guests that the emulator loses: all it said stays above, and the
	# summary has it.
	why=$(grep -hE '^demo failed|^vm: (host|guest): [^|]|^(vm|env): [^hg]' "$log" |
		head -n 2 | tr '#\n' '  ')
	demo
fi
if [ "$first" -ne 0 ] && [ "$status" -eq 0 ]; then
	retried "the demo succeeds" "status $first: ${why:-it gave no reason}"
else
	check "the demo succeeds" test "$status" -eq 0
fi
for guest in alpha beta; do
	grep -oE "^  \[$guest\] [a-z0-9]+: .*" "$log" | sed 's/^  \[[a-z]*\] //' >"$log.$guest"
	for work in sha256 sgemm mandelbrot reduce bandwidth; do
		check "guest $guest: $work" grep -q "^$work: ok" "$log.$guest"
	done
	check "guest $guest left a picture" sh -c \
		"file out/demo/$guest/mandelbrot.png | grep -q 'PNG image data'"
done
check "the last line says so" sh -c \
	"tail -n 1 $log | grep -qE '^demo ok: 2 guests, [1-9][0-9]* dispatches, 0 mismatches\$'"
ktap_end
