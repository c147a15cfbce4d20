# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples with ASan and UBSan on the library's simulated driver, so that each
# kernel runs on the model's ISA engine without a kernel module: "make test", TAP.

A	:= $(O)/asan
SAN	:= -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SIM	:= $(LIB)/asan/libsim.a

$(A)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) -O1 -g $(SAN) $(HOST_CFLAGS) -c -o $@ $<

$(A)/sim_start.o: tests/sim_start.c
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(CPPFLAGS) -I$(TOP)/tools/lib/tests -I$(TOP)/include/uapi \
		$(shell $(PKG_CONFIG) --cflags libdrm) -O1 -g $(SAN) $(HOST_CFLAGS) -c -o $@ $<

$(KERNELS:%=$(A)/%.o): $(A)/%.o: $(O)/%.elf

$(addprefix $(A)/,$(NAMES)): $(A)/%: $(A)/%.o $(A)/common.o $(A)/sim_start.o \
			     $$(addprefix $(A)/,$$($$*_OBJS)) $(SIM)
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ -pthread -lm $($*_LIBS)

$(SIM):
	$(MAKE) -C $(TOP)/tools/lib O=$(LIB) sim

test: $(addprefix $(A)/,$(NAMES))
	sh tests/run.sh $(A)

.PHONY: test
