#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: fuzzers of the model, the blueprint parser and the loader: recorded inputs, a fixed number of runs
# timeout: 900

make -s -j"$(nproc)" -C selftests/fuzz O="$PWD/out/selftests/fuzz" native >&2 || exit 1
exec selftests/fuzz/run.sh check
