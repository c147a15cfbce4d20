# SPDX-License-Identifier: GPL-2.0-or-later

A	:= $(O)/asan
SAN	:= -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
SIM	:= $(LIB)/asan/libsim.a
SIM_CPPFLAGS := -I$(TOP)/tools/lib/tests -I$(TOP)/tools/include -I$(TOP)/include/uapi \
		$(shell pkg-config --cflags libdrm)

$(A)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) -O1 -g $(SAN) $(RUN_CFLAGS) -c -o $@ $<

$(A)/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(SIM_CPPFLAGS) -I. -O1 -g $(SAN) $(RUN_CFLAGS) -c -o $@ $<

$(A)/sim_start.o: $(TOP)/examples/tests/sim_start.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) $(SIM_CPPFLAGS) -O1 -g $(SAN) $(RUN_CFLAGS) -c -o $@ $<

$(PROGS:%=$(A)/%): $(A)/tessera-%: $$(addprefix $(A)/,$$($$*_OBJS)) $(A)/sim_start.o $(SIM)
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ -pthread -lm

$(A)/test_spec: $(A)/test_spec.o $(A)/spec.o
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^

$(SIM):
	$(MAKE) -C $(TOP)/tools/lib O=$(LIB) sim

$(A)/kernels.elf: tests/kernels.c $(LIB)/tessera-cc
	@mkdir -p $(@D)
	$(call say,GPU)
	$(Q)$(LIB)/tessera-cc -Wall -Wextra -o $@ $<

test: $(A)/test_spec $(PROGS:%=$(A)/%) $(A)/kernels.elf
	@echo "TAP version 13"
	$(A)/test_spec
	sh tests/test_run.sh $(A) $(A)/kernels.elf

# For tests/test_run.sh on a real GPU
test-kernels: $(A)/kernels.elf

.PHONY: test test-kernels
