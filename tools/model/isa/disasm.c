// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: disassembly
 *
 * For logs and tests. Operand layout comes from the format in the instruction
 * table; compressed instructions are shown as what they stand for.
 */
#include <inttypes.h>
#include <stdio.h>

#include "internal.h"

static const char *const x_name[33] = {
	"zero", "ra", "sp", "gp", "tp",	 "t0",	"t1", "t2", "s0", "s1", "a0",
	"a1",	"a2", "a3", "a4", "a5",	 "a6",	"a7", "s2", "s3", "s4", "s5",
	"s6",	"s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6", "zero",
};

static const char *const f_name[32] = {
	"ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",
	"fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",
	"fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

static const char *const rm_suffix[8] = {
	", rne", ", rtz", ", rdn", ", rup", ", rmm", "", "", "",
};

static const char *rm_text(const struct isa_insn *i)
{
	return isa_insn_info[i->op].attr & ISA_A_RM ? rm_suffix[i->rm] : "";
}

/* Ordering bits of atomics, as the assembler writes them. */
static const char *order_text(uint32_t bits)
{
	static const char *const text[4] = { "", ".rl", ".aq", ".aqrl" };

	return text[bits >> 25 & 3];
}

static void operands(const struct isa_insn *i, uint64_t pc, char *buf, size_t size)
{
	const char *rd = x_name[i->rd], *rs1 = x_name[i->rs1];
	const char *rs2 = x_name[i->rs2];
	const char *fd = f_name[i->rd & 31], *f1 = f_name[i->rs1];
	const char *f2 = f_name[i->rs2], *f3 = f_name[i->rs3];
	uint64_t target = pc + (uint64_t)(int64_t)i->imm;

	switch (isa_insn_info[i->op].format) {
	case ISA_FMT_NONE:
		break;
	case ISA_FMT_R:
		snprintf(buf, size, "%s, %s, %s", rd, rs1, rs2);
		break;
	case ISA_FMT_R1:
		snprintf(buf, size, "%s, %s", rd, rs1);
		break;
	case ISA_FMT_I:
	case ISA_FMT_SH:
		snprintf(buf, size, "%s, %s, %d", rd, rs1, i->imm);
		break;
	case ISA_FMT_LD:
		snprintf(buf, size, "%s, %d(%s)", rd, i->imm, rs1);
		break;
	case ISA_FMT_ST:
		snprintf(buf, size, "%s, %d(%s)", rs2, i->imm, rs1);
		break;
	case ISA_FMT_B:
		snprintf(buf, size, "%s, %s, 0x%" PRIx64, rs1, rs2, target);
		break;
	case ISA_FMT_U:
		snprintf(buf, size, "%s, 0x%x", rd, (uint32_t)i->imm >> 12);
		break;
	case ISA_FMT_J:
		snprintf(buf, size, "%s, 0x%" PRIx64, rd, target);
		break;
	case ISA_FMT_CSR:
		snprintf(buf, size, "%s, 0x%x, %s", rd, i->imm, rs1);
		break;
	case ISA_FMT_CSRI:
		snprintf(buf, size, "%s, 0x%x, %d", rd, i->imm, i->rs1);
		break;
	case ISA_FMT_AMO:
		snprintf(buf, size, "%s, %s, (%s)", rd, rs2, rs1);
		break;
	case ISA_FMT_LR:
		snprintf(buf, size, "%s, (%s)", rd, rs1);
		break;
	case ISA_FMT_FLD:
		snprintf(buf, size, "%s, %d(%s)", fd, i->imm, rs1);
		break;
	case ISA_FMT_FST:
		snprintf(buf, size, "%s, %d(%s)", f2, i->imm, rs1);
		break;
	case ISA_FMT_F1:
		snprintf(buf, size, "%s, %s%s", fd, f1, rm_text(i));
		break;
	case ISA_FMT_F2:
		snprintf(buf, size, "%s, %s, %s%s", fd, f1, f2, rm_text(i));
		break;
	case ISA_FMT_F3:
		snprintf(buf, size, "%s, %s, %s, %s%s", fd, f1, f2, f3, rm_text(i));
		break;
	case ISA_FMT_FCMP:
		snprintf(buf, size, "%s, %s, %s", rd, f1, f2);
		break;
	case ISA_FMT_FTOX:
		snprintf(buf, size, "%s, %s%s", rd, f1, rm_text(i));
		break;
	case ISA_FMT_XTOF:
		snprintf(buf, size, "%s, %s%s", fd, rs1, rm_text(i));
		break;
	case ISA_FMT_TEX:
	case ISA_FMT_BOX:
	case ISA_FMT_TRI:
		snprintf(buf, size, "%s, (%s), %s", fd, rs1, f2);
		break;
	case ISA_FMT_ROP:
		snprintf(buf, size, "%s, (%s), %s, %s", rd, rs1, rs2, f3);
		break;
	case ISA_FMT_ROPB:
		snprintf(buf, size, "%s, (%s), %s, (%s)", rd, rs1, rs2, x_name[i->rs3]);
		break;
	}
}

unsigned int isa_disasm(uint64_t pc, uint32_t bits, char *buf, size_t size)
{
	const struct isa_insn_info *info;
	char args[64] = "";
	struct isa_insn i;
	bool atomic;

	isa_decode(bits, &i);
	info = &isa_insn_info[i.op];
	operands(&i, pc, args, sizeof(args));
	atomic = info->format == ISA_FMT_AMO || info->format == ISA_FMT_LR;
	snprintf(buf, size, "%s%s%s%s", info->mnemonic, atomic ? order_text(bits) : "",
		 args[0] ? " " : "", args);
	return isa_insn_len(bits);
}
