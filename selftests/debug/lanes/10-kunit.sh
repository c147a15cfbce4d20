#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: KUnit: blueprints, placement, policy, swapper, completion router, rings, page tables
# timeout: 900
# beside: yes

exec selftests/debug/vm.sh --gpus 0 --bare --mem 1G --timeout 850 -- selftests/debug/kunit.sh
