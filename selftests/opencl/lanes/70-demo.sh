#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the demo of OpenCL: a guest with a vGPU and one without a GPU, the same programs
# timeout: 7500
# beside: no

. scripts/ktap.sh
mkdir -p out/check
log=out/check/demo-opencl.txt
out=out/demo-opencl

# rows GUEST: the table has each program of this guest, with a result, GPU cycles and exits
rows()
{
	[ "$(grep -cE "^[a-z].*  $1 +(vGPU|server).*  [0-9.]+ +[0-9]+ +[0-9]+\$" "$log")" -eq 5 ]
}

# A picture of few colors is none.
is_picture()
{
	file "$1" | grep -q 'PNG image data, 480 x 320' && [ "$(stat -c %s "$1")" -gt 10000 ]
}

ktap_begin
status=0
scripts/demo-opencl >"$log" 2>&1 || status=$?
sed 's/^/# /' "$log"
# It begins again by itself when the emulator loses a machine; the summary has it.
why=$(grep -hE '^demo-opencl: the emulator lost|^the emulator lost a guest' "$log" | head -n 2 |
	tr '#\n' '  ')
if [ "$status" -eq 0 ] && [ -n "$why" ]; then
	retried "the demo succeeds" "$why"
else
	check "the demo succeeds" test "$status" -eq 0
fi
for guest in vgpu remote; do
	check "guest $guest: five programs in the table" rows "$guest"
	check "guest $guest left a picture" is_picture "$out/$guest/mandelbrot.png"
done
check "the same picture" cmp "$out/vgpu/mandelbrot.png" "$out/remote/mandelbrot.png"
check "the last line says so" sh -c "tail -n 1 $log |
	grep -qx 'demo-opencl ok: 2 guests, 10 programs, 0 failed, the same picture'"
ktap_end
