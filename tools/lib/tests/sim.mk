# SPDX-License-Identifier: GPL-2.0-or-later
#
# The library on a simulated driver, whose shader cores are the model's ISA engine: what tests of
# other drivers need where there is no GPU. LD_LIBRARY_PATH=DIR/sim prefers it.

M	:= $(O)/sim
SIM_SRCS := $(patsubst %,src/%,$(filter-out kmd_drm.c,$(SRCS))) \
	    tests/kmd_sim.c tests/sim_gpu.c tests/sim_start.c
SIM_OBJS := $(SIM_SRCS:%.c=$(M)/%.o) $(patsubst $(ISA_DIR)/%.c,$(M)/isa/%.o,$(ISA_SRCS))

simulated: $(M)/$(SONAME)

$(M)/$(SONAME): $(SIM_OBJS) libtessera.map
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script=libtessera.map \
		-o $@ $(SIM_OBJS) -pthread -lm

SIM_ISA_CC = $(CC) $(TEST_CPPFLAGS) -g $(ISA_CFLAGS) -O2 -fPIC -MMD -MP
$(M)/isa/%.o: $(ISA_DIR)/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(SIM_ISA_CC) -c -o $@ $<

$(call isa_rules,$(M)/isa,SIM_ISA_CC)

$(M)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(TEST_CPPFLAGS) $(CFLAGS) -std=gnu11 $(WARN) -fPIC -pthread -MMD -MP -c -o $@ $<

.PHONY: simulated

-include $(wildcard $(M)/*/*.d)
