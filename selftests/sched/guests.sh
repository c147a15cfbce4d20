#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two KVM guests on one shared slice: idle, endless, random jobs, moved. By hand: the emulated
# KVM loses guests, see "KVM guests" in Documentation/bench-sched.rst.

make -s -C selftests sched O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --model-args "--clock nominal" --timeout 1100 -- \
	python3 selftests/sched/guests.py
