#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: a KVM guest goes on in other QEMUs, with other vGPUs, by a socket and through a file
# timeout: 1500
# beside: yes

make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
exec scripts/vm host --kernel 7.2 --gpus 2 --timeout 1450 --env TESSERA_FULL="${TESSERA_FULL:-}" \
	--env TESS_MOVES="${TESS_MOVES:-4}" -- python3 selftests/mdev/moved.py
