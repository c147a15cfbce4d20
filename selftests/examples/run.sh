#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the library's tests, those of tessera-run and the examples on the first GPU of
# this machine: in the host VM or in a guest with the modules loaded.

cd "$(dirname "$0")/../.." || exit 1
status=0
out/tools/lib/test_device out/tools/lib/asan/kernels || status=1
sh tools/run/tests/test_run.sh out/tools/run out/tools/run/asan/kernels.elf || status=1
sh examples/tests/run.sh out/examples || status=1
exit $status
