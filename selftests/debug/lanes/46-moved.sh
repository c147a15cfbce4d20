#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: a KVM guest goes on in another QEMU, which asks the vGPU what it wrote
# timeout: 7200
# beside: no
# only: by name

make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 2G --gpus 2 --timeout 7100 --env TESSERA_BIRTH=1800 \
	--env TESSERA_STALL=600 --env TESS_PATIENCE=1500 --env TESS_LOGS=on \
	--env TESS_MOVES="${TESS_MOVES:-2}" -- python3 selftests/mdev/moved.py
