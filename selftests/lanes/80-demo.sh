#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the demo: two guests with different vGPUs compute at the same time
# timeout: 2600
# beside: yes

. scripts/ktap.sh
log=out/check/demo-output.txt

ktap_begin
mkdir -p out/check
status=0
scripts/demo >"$log" 2>&1 || status=$?
sed 's/^/# /' "$log"
# The demo begins again by itself when the emulator loses a machine; the summary has it.
why=$(grep -hE '^demo: the emulator lost|^the emulator lost a guest' "$log" | head -n 2 | tr '#\n' '  ')
if [ "$status" -eq 0 ] && [ -n "$why" ]; then
	retried "the demo succeeds" "$why"
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
