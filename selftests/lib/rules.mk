# SPDX-License-Identifier: GPL-2.0-or-later
#
# How tests are compiled. The includer sets O, the directory of the results.

SELFTESTS := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
TREE := $(abspath $(SELFTESTS)/..)
Q := $(if $(V),,@)
CFLAGS ?= -O2 -g
TEST_CFLAGS := -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror -D_GNU_SOURCE -pthread \
	       -I$(SELFTESTS)/lib -I$(TREE)/include -I$(TREE)/include/uapi

$(O)/%.o: %.c
	$(Q)mkdir -p $(O)
	$(Q)$(CC) $(CFLAGS) $(TEST_CFLAGS) -MMD -MP -c -o $@ $<
