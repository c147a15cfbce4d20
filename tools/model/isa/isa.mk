# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sources of the shader ISA engine; include from a Makefile that sets ISA_DIR
# to this directory.

# What executes is built for every host of the architecture and, on x86-64, for x86-64-v3
# too: NAME.base.o and NAME.v3.o are of NAME.c.
ISA_EXEC := exec_ctl exec_fp exec_fpmisc exec_int exec_mem exec_unit run sched
ISA_FLAGS_v3 := -march=x86-64-v3
ISA_HOSTS := base $(if $(filter x86_64-%,$(shell $(CC) -dumpmachine)),v3)
ISA_SRCS := $(addprefix $(ISA_DIR)/, \
	block.c decode.c disasm.c group.c mem.c rvc.c softfp.c unit_ray.c unit_rop.c unit_tex.c) \
	$(foreach host,$(ISA_HOSTS),$(ISA_EXEC:%=$(ISA_DIR)/%.$(host).c))

# $(call isa_rules,DIR,COMMAND): how objects for each kind of host come into DIR; variable
# COMMAND is the compiler with all other flags.
isa_rules = $(foreach host,$(ISA_HOSTS),$(eval $(call isa_rule,$(1),$(2),$(host))))
define isa_rule
$(1)/%.$(3).o: $(ISA_DIR)/%.c
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$$($(2)) -DISA_VARIANT=$(3) $(ISA_FLAGS_$(3)) -c -o $$@ $$<
endef

# The lane loops rely on the vectoriser, the FP handlers on exact host
# arithmetic (no contraction, no errno).
ISA_CFLAGS := -O3 -ffp-contract=off -fno-math-errno -fno-strict-aliasing
ISA_ASAN_CFLAGS := -ffp-contract=off -fno-math-errno -fno-strict-aliasing

ISA_TESTS := isa_alu_test isa_cut_test isa_fp_soft_test isa_fp_test isa_fuzz_test isa_host_test \
	isa_mem_test isa_run_test isa_rvc_test isa_traffic_test isa_unit_test
ISA_HELPERS := tests/isa_env.c tests/isa_random.c tests/program.c tests/unit_ref.c
