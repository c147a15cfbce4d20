# SPDX-License-Identifier: GPL-2.0-or-later
#
# The benchmark of the ISA engine: "make bench" builds its kernels with clang,
# runs it and leaves $(BENCH_JSON). Included by tools/model/Makefile.

BENCH_JSON	?= $(TOP)/out/bench-model.json
first_tool	= $(shell for t in $(1); do command -v $$t && break; done)
KERNEL_CC	?= $(call first_tool,clang-19 clang)
KERNEL_LD	?= $(call first_tool,ld.lld-19 ld.lld)
KERNEL_CFLAGS	:= --target=riscv64-unknown-elf -march=rv64imafdc_zba_zbb_zbs \
		   -mabi=lp64d -mcmodel=medany -O2 -ffreestanding -Wall -Werror

BENCH_DIR	:= isa/bench
BENCH_IMAGES	:= $(O)/$(BENCH_DIR)/sgemm.bin $(O)/$(BENCH_DIR)/sha256.bin

$(O)/$(BENCH_DIR)/%.bin: $(BENCH_DIR)/%.c $(BENCH_DIR)/kernel.h $(BENCH_DIR)/kernel.lds
	@mkdir -p $(@D)
	$(if $(KERNEL_CC),,$(error the benchmark's kernels need clang and lld))
	$(call say,CC)
	$(Q)$(KERNEL_CC) $(KERNEL_CFLAGS) -c -o $(@:.bin=.rv.o) $<
	$(Q)$(KERNEL_LD) --oformat binary -T $(BENCH_DIR)/kernel.lds -o $@ $(@:.bin=.rv.o)

$(O)/isa-bench: $(O)/$(BENCH_DIR)/bench.o $(O)/libmodel.a
	$(call say,LD)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

bench: $(O)/isa-bench $(BENCH_IMAGES)
	@mkdir -p $(dir $(BENCH_JSON))
	$(O)/isa-bench $(BENCH_IMAGES) $(BENCH_JSON)

.PHONY: bench
