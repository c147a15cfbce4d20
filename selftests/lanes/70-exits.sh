#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: KVM exits per submitted dispatch, counted in a guest with an exclusive vGPU
# timeout: 600
# beside: no

make -s -C selftests/exits O="$PWD/out/selftests/exits" || exit 1
exec scripts/vm host --timeout 540 -- python3 selftests/exits/exits.py
