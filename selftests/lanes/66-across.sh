#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: virsh migrate --live between two hosts, of a domain that computes, and back
# timeout: 2400
# only: full

export PYTHONDONTWRITEBYTECODE=1
make -s -C selftests virt mdev sched O="$PWD/out/selftests" >&2 || exit 1
make -s -C tools/mdevctl O="$PWD/out/tools/mdevctl" >&2 || exit 1
exec scripts/vm pair --timeout 2300 --env "TESS_MOVES=${TESS_MOVES:-4}" -- python3 selftests/virt/across.py
