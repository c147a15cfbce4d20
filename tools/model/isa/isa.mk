# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sources of the shader ISA engine; include from a Makefile that sets ISA_DIR
# to this directory.

ISA_SRCS := $(addprefix $(ISA_DIR)/, \
	block.c decode.c disasm.c exec_ctl.c exec_fp.c exec_fpmisc.c \
	exec_int.c exec_mem.c group.c mem.c run.c rvc.c sched.c softfp.c)

# The lane loops rely on the vectoriser, the FP handlers on exact host
# arithmetic (no contraction, no errno).
ISA_CFLAGS := -O3 -ffp-contract=off -fno-math-errno -fno-strict-aliasing
ISA_ASAN_CFLAGS := -ffp-contract=off -fno-math-errno -fno-strict-aliasing

ISA_TESTS := isa_alu_test isa_cut_test isa_fp_soft_test isa_fp_test isa_fuzz_test isa_mem_test \
	isa_run_test isa_rvc_test
ISA_HELPERS := tests/isa_env.c tests/program.c
