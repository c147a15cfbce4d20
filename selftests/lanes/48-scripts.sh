#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lane: the test machinery itself: KTAP reader, harness, proof of lost machines, scripts/env, check, progress, vm host
# timeout: 900

status=0
python3 selftests/scripts/test_ktap.py || status=1
python3 selftests/scripts/test_lost.py || status=1
sh selftests/scripts/test_harness.sh || status=1
sh selftests/scripts/test_env.sh || status=1
sh selftests/scripts/test_user.sh || status=1
sh selftests/scripts/test_lint.sh || status=1
sh selftests/scripts/test_lockorder.sh || status=1
sh selftests/scripts/test_check.sh || status=1
sh selftests/scripts/test_progress.sh || status=1
sh selftests/scripts/test_demo.sh || status=1
sh selftests/scripts/test_vm.sh || status=1
scripts/vm host --timeout 300 -- sh selftests/scripts/test_kselftest.sh || status=1
exit $status
