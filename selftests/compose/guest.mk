# SPDX-License-Identifier: GPL-2.0-or-later
#
# What guests run while they are composed anew. Needs a built libtessera.

O ?= $(CURDIR)/../../out/selftests/compose
include ../lib/rules.mk
TESSERA := $(TREE)/out/tools/lib

guest: $(O)/guest_work $(O)/guest_kernel.elf

$(O)/guest_work.o: TEST_CFLAGS += -I$(TESSERA)

$(O)/guest_work: $(O)/guest_work.o
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -pthread -o $@ $^ -L$(TESSERA) -ltessera \
		-Wl,-rpath,'$$ORIGIN/../../tools/lib'

$(O)/guest_kernel.elf: guest_kernel.c guest_work.h $(TESSERA)/tessera-cc
	$(Q)mkdir -p $(O)
	$(call say,GPU)
	$(Q)$(TESSERA)/tessera-cc -Wall -Wextra -o $@ $<

-include $(wildcard $(O)/*.d)
.PRECIOUS: $(O)/%.o
.PHONY: guest
