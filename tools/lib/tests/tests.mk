# SPDX-License-Identifier: GPL-2.0-or-later
#
# Unit tests: the library's objects with ASan and UBSan, linked with a simulated
# driver (kmd_sim.c) whose shader cores are the model's ISA engine. Kernels are
# compiled by tessera-cc. Each test is tests/NAME.c and gets the directory of the
# kernels as its argument.

TESTS	:= test_args test_image test_image_fuzz test_lib test_fault test_split test_start test_units test_va

A	:= $(O)/asan
SAN	:= -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
ISA_DIR	:= $(TOP)/tools/model/isa
include $(ISA_DIR)/isa.mk

TEST_CPPFLAGS := $(CPPFLAGS) -Itests -Idevice -I$(TOP)/tools/model -I$(TOP)/tools/include
ISA_OBJS := $(patsubst $(ISA_DIR)/%.c,$(A)/isa/%.o,$(ISA_SRCS))
TEST_LIB_OBJS := $(patsubst %.c,$(A)/src/%.o,$(filter-out kmd_drm.c,$(SRCS))) \
		 $(A)/tests/kmd_sim.o $(A)/tests/sim_gpu.o

# Everything that a test of another directory needs to run on the simulation
sim: $(A)/libsim.a

$(A)/libsim.a: $(TEST_LIB_OBJS) $(ISA_OBJS)
	$(call say,AR)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(A)/src/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(CPPFLAGS) -O1 -g $(SAN) $(LIB_CFLAGS) -c -o $@ $<

$(A)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TEST_CPPFLAGS) -O1 -g $(SAN) $(LIB_CFLAGS) -c -o $@ $<

# The engine has its own tests; here it only has to be fast.
TEST_ISA_CC = $(CC) $(TEST_CPPFLAGS) -g $(ISA_CFLAGS) -O2 -MMD -MP
$(A)/isa/%.o: $(ISA_DIR)/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(TEST_ISA_CC) -c -o $@ $<

$(call isa_rules,$(A)/isa,TEST_ISA_CC)

$(A)/%: $(A)/tests/%.o $(A)/libsim.a
	$(call say,LD)
	$(Q)$(CC) $(SAN) -o $@ $^ $(DRM_LIBS) -pthread -lm

$(A)/kernels/%.elf: tests/%.c $(O)/tessera-cc $(DEVICE)
	@mkdir -p $(@D)
	$(O)/tessera-cc -Wall -Wextra -o $@ $<

$(A)/kernels/stripped.elf: tests/kernels.c $(O)/tessera-cc $(DEVICE)
	@mkdir -p $(@D)
	$(O)/tessera-cc -Wl,--strip-all -o $@ $<

# A shared object: the one way to make a stock linker leave a symbol undefined
$(A)/kernels/undefined.elf: tests/kernel_undefined.c $(O)/tessera-cc $(DEVICE)
	@mkdir -p $(@D)
	$(O)/tessera-cc -fPIC -c -o $(@:.elf=.o) $<
	ld.lld-19 -shared -o $@ $(@:.elf=.o)

$(A)/kernels/fixed.elf: tests/kernels.c $(O)/tessera-cc $(DEVICE)
	@mkdir -p $(@D)
	$(O)/tessera-cc -Wl,--no-pie -o $@ $<

TEST_KERNELS := $(addprefix $(A)/kernels/,kernels.elf stripped.elf undefined.elf fixed.elf \
		  kernel_units.elf)

test-build: $(addprefix $(A)/,$(TESTS)) $(TEST_KERNELS)

test: test-build
	@s=0; for t in $(TESTS); do echo "TAP version 13"; echo "# $$t"; \
		$(A)/$$t $(A)/kernels || s=1; done; exit $$s

# The library as users have it, with the kernels, for a machine that has a GPU
test-device: $(O)/test_device $(A)/kernels/kernels.elf

$(O)/test_device: tests/test_device.c $(O)/libtessera.so $(O)/tessera.h
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -std=gnu11 $(WARN) -I$(O) -Itests -I$(TOP)/tools/include -o $@ $< \
		-L$(O) -ltessera -pthread -Wl,-rpath,'$$ORIGIN'

# The same with ThreadSanitizer, which wants addresses that are not random
test-tsan:
	$(MAKE) O=$(O)/tsan SAN=-fsanitize=thread test-build
	@s=0; for t in test_lib test_start; do echo "TAP version 13"; echo "# $$t"; \
		setarch -R $(O)/tsan/asan/$$t $(O)/tsan/asan/kernels || s=1; done; exit $$s

.PHONY: sim test-build test test-device test-tsan
.SECONDARY:
