#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# clinfo, a program that others wrote, tells of the device what tessera-info does.

cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=scripts/ktap.sh
. scripts/ktap.sh
# shellcheck source=selftests/opencl/env.sh
. selftests/opencl/env.sh

# The value of property $1, as "clinfo --raw" has it
said()
{
	sed -n "s/^.* $1  *//p" "$out" | head -n 1
}

truth()
{
	out/tools/run/tessera-info --json | python3 -c "
import json, sys
gpu = json.load(sys.stdin)[0]
print($1)"
}

same()
{
	[ -n "$1" ] && [ "$1" = "$2" ] || { echo "clinfo: $1, tessera-info: $2"; return 1; }
}

out=$(mktemp)
ktap_begin
check "clinfo finds the device" sh -c "clinfo --raw >$out && cat $out"
check "it is from Tessera" same "$(said CL_DEVICE_VENDOR)" Tessera
check "it is a GPU" same "$(said CL_DEVICE_TYPE)" CL_DEVICE_TYPE_GPU
check "compute units are its shader cores" same "$(said CL_DEVICE_MAX_COMPUTE_UNITS)" \
	"$(truth 'sum(s["cores"] for s in gpu["slices"] if "compute" in s["engines"])')"
check "memory is its VRAM" same "$(said CL_DEVICE_GLOBAL_MEM_SIZE)" "$(truth 'gpu["vram_size"]')"
check "its compiler is there" same "$(said CL_DEVICE_COMPILER_AVAILABLE)" CL_TRUE
rm -f "$out"
ktap_end
