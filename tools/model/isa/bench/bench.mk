# SPDX-License-Identifier: GPL-2.0-or-later
#
# The benchmark of the ISA engine: "make bench" builds its kernels with clang,
# runs it in turns with an older engine, and leaves $(BENCH_JSON).
# Included by tools/model/Makefile.

BENCH_JSON	?= $(TOP)/out/bench-model.json
first_tool	= $(shell for t in $(1); do command -v $$t && break; done)
KERNEL_CC	?= $(call first_tool,clang-19 clang)
KERNEL_LD	?= $(call first_tool,ld.lld-19 ld.lld)
KERNEL_CFLAGS	:= --target=riscv64-unknown-elf -march=rv64imafdc_zba_zbb_zbs \
		   -mabi=lp64d -mcmodel=medany -O2 -ffreestanding -Wall -Werror

BENCH_DIR	:= isa/bench
BENCH_IMAGES	:= $(patsubst %,$(O)/$(BENCH_DIR)/%.bin,sgemm sha256 divergent amo rounding partial)
# Sources of the model at that commit, if the caller has the history
BEFORE_SRC	?=
BEFORE		:= $(O)/before

$(O)/$(BENCH_DIR)/%.bin: $(BENCH_DIR)/%.c $(BENCH_DIR)/kernel.h $(BENCH_DIR)/kernel.lds
	@mkdir -p $(@D)
	$(if $(KERNEL_CC),,$(error the benchmark's kernels need clang and lld))
	$(call say,CC)
	$(Q)$(KERNEL_CC) $(KERNEL_CFLAGS) -c -o $(@:.bin=.rv.o) $<
	$(Q)$(KERNEL_LD) --oformat binary -T $(BENCH_DIR)/kernel.lds -o $@ $(@:.bin=.rv.o)

$(O)/isa-bench: $(O)/$(BENCH_DIR)/bench.o $(O)/libmodel.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(O)/slices-bench: $(O)/$(BENCH_DIR)/slices.o $(O)/tests/rig.o $(O)/libmodel.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(BEFORE)/isa-bench: $(BENCH_DIR)/bench.c $(wildcard $(BEFORE_SRC)/isa/*.[ch])
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) -I$(BEFORE_SRC) $(CFLAGS) -std=gnu11 $(ISA_CFLAGS) -o $@ $< $(BEFORE_SRC)/isa/*.c -lm

bench: $(O)/isa-bench $(O)/slices-bench $(BENCH_IMAGES) $(if $(BEFORE_SRC),$(BEFORE)/isa-bench)
	@mkdir -p $(dir $(BENCH_JSON))
	$(Q)$(BENCH_DIR)/compare.py $(O)/$(BENCH_DIR) $(BENCH_JSON) $(O)/slices-bench $(O)/isa-bench \
		$(if $(BEFORE_SRC),$(BEFORE)/isa-bench)

.PHONY: bench
