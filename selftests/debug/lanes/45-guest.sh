#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: a KVM guest with a vGPU by its own file, and its memory in an iommufd
# timeout: 3600
# beside: no

# A guest takes minutes to come up, and is slow to say that it lives
exec selftests/debug/vm.sh --mem 1536M --timeout 3500 --env TESSERA_BIRTH=1800 \
	--env TESSERA_STALL=600 -- selftests/debug/guest.sh
