#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: vGPUs: registers, isolation, blueprints, with guest memory in an iommufd
# timeout: 7200
# beside: yes
# only: by name

make -s -C selftests mdev O="$PWD/out/selftests" >&2 || exit 1
exec selftests/debug/vm.sh --mem 1536M --timeout 7100 --env TESSERA_IOMMUFD=1 \
	--env TESSERA_PATIENCE=6 -- selftests/mdev/run.sh regs isolation blueprint
