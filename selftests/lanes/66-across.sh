#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: virsh migrate --live between two hosts, of a domain that computes, and back
# timeout: 2400
# only: full

scripts/layer-made opencl >&2
case $? in
0) layer="--with opencl" ;;
4) layer= ;;
*) exit 1 ;;
esac
export PYTHONDONTWRITEBYTECODE=1
make -s -C selftests virt mdev sched O="$PWD/out/selftests" >&2 || exit 1
make -s -C tools/mdevctl O="$PWD/out/tools/mdevctl" >&2 || exit 1
status=0
# shellcheck disable=SC2086 # two words, or none
scripts/vm pair $layer --timeout 1700 --env "TESS_MOVES=${TESS_MOVES:-4}" -- \
	python3 selftests/virt/across.py || status=1
scripts/vm pair --with ssh --timeout 700 --env TESS_MOVES=1 -- \
	python3 selftests/virt/across.py || status=1
exit $status
