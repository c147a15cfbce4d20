# SPDX-License-Identifier: GPL-2.0-or-later
#
# How tests are compiled. The includer sets O, the directory of the results.

SELFTESTS := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
TREE := $(abspath $(SELFTESTS)/..)
include $(TREE)/scripts/quiet.mk
CFLAGS ?= -O2 -g
# With the kernel's own harness where there is one. That of 6.12 tears nothing down after an
# assertion if it is optimized: a variable changes behind setjmp().
include $(SELFTESTS)/lib/runner.mk
TEST_CFLAGS := -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror -D_GNU_SOURCE -pthread \
	       $(KSELFTEST:%=-isystem % -DTESS_KSELFTEST -O0 -Wno-sign-compare) -I$(SELFTESTS)/lib -I$(TREE)/include -I$(TREE)/include/uapi \
	       -iquote $(TREE)/tools/include

$(O)/%.o: %.c
	$(Q)mkdir -p $(O)
	$(call say,CC)
	$(Q)$(CC) $(CFLAGS) $(TEST_CFLAGS) -MMD -MP -c -o $@ $<
