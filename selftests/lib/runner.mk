# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the kernel's own selftests are: in its source KSRC, in the one that this is part of, and
# for their runner also what the environment has of them. The includer sets SELFTESTS.

LINUX := $(if $(KSRC),$(abspath $(KSRC))/tools/testing/selftests,$(abspath $(SELFTESTS)/..))
KSELFTEST := $(patsubst %/kselftest_harness.h,%,$(wildcard $(LINUX)/kselftest_harness.h))
RUNNER := $(firstword $(wildcard $(addsuffix /kselftest/runner.sh,$(LINUX) \
	/usr/lib/tessera/linux/tools/testing/selftests)))
