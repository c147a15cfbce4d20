// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: instruction decoding
 *
 * A linear search through the table entries of one major opcode. Decoding
 * happens once per block, so the search need not be fast; being driven by the
 * table alone is what matters.
 */
#include "csr.h"
#include "internal.h"

const struct isa_insn_info isa_insn_info[ISA_NR_OPS] = {
#define X(id, mn, m, k, fmt, generator, semantics, a) \
	[ISA_OP_##id] = {                             \
		.mnemonic = mn,                       \
		.match = m,                           \
		.mask = k,                            \
		.attr = a,                            \
		.format = ISA_FMT_##fmt,              \
	},
	ISA_INSN(X)
#undef X
};

/* Table entries by major opcode, in table order; constant after start-up. */
static struct {
	uint16_t start[33];
	uint16_t op[ISA_NR_OPS];
} by_major;

__attribute__((constructor)) static void sort_by_major(void)
{
	unsigned int major, op, n = 0;

	for (major = 0; major < 32; major++) {
		by_major.start[major] = (uint16_t)n;
		for (op = 0; op < ISA_NR_OPS; op++)
			if ((isa_insn_info[op].match >> 2 & 31) == major)
				by_major.op[n++] = (uint16_t)op;
	}
	by_major.start[32] = (uint16_t)n;
}

static unsigned int find_op(uint32_t bits)
{
	unsigned int major = bits >> 2 & 31;
	unsigned int n;

	for (n = by_major.start[major]; n < by_major.start[major + 1]; n++) {
		unsigned int op = by_major.op[n];

		if ((bits & isa_insn_info[op].mask) == isa_insn_info[op].match)
			return op;
	}
	return ISA_OP_illegal;
}

bool isa_csr_allowed(unsigned int csr, bool write)
{
	if (csr >= CSR_FFLAGS && csr <= CSR_FCSR)
		return true;
	if (write)
		return false;
	return (csr >= CSR_CYCLE && csr <= CSR_INSTRET) ||
	       (csr >= CSR_LOCAL_ID && csr <= CSR_LAST_ID);
}

bool isa_csr_counts(unsigned int csr)
{
	return csr == CSR_CYCLE || csr == CSR_INSTRET;
}

static int32_t imm_i(uint32_t b)
{
	return (int32_t)b >> 20;
}

static int32_t imm_s(uint32_t b)
{
	return ((int32_t)b >> 25) * 32 + (int32_t)(b >> 7 & 31);
}

static int32_t imm_b(uint32_t b)
{
	return ((int32_t)b >> 31) * 4096 + (int32_t)((b >> 7 & 1) << 11) +
	       (int32_t)((b >> 25 & 63) << 5) + (int32_t)((b >> 8 & 15) << 1);
}

static int32_t imm_j(uint32_t b)
{
	return ((int32_t)b >> 31) * 1048576 + (int32_t)(b & 0xff000) +
	       (int32_t)((b >> 20 & 1) << 11) + (int32_t)((b >> 21 & 1023) << 1);
}

static void set_operands(struct isa_insn *i, uint32_t b)
{
	bool rd_is_x = true;

	i->rd = b >> 7 & 31;
	i->rs1 = b >> 15 & 31;
	i->rs2 = b >> 20 & 31;
	i->rs3 = (uint8_t)(b >> 27);
	i->rm = b >> 12 & 7;
	i->imm = 0;
	switch (isa_insn_info[i->op].format) {
	case ISA_FMT_I:
	case ISA_FMT_LD:
		i->imm = imm_i(b);
		break;
	case ISA_FMT_SH:
		i->imm = (int32_t)(b >> 20 & 63);
		break;
	case ISA_FMT_ST:
	case ISA_FMT_FST:
		i->imm = imm_s(b);
		break;
	case ISA_FMT_B:
		i->imm = imm_b(b);
		break;
	case ISA_FMT_U:
		i->imm = (int32_t)(b & 0xfffff000);
		break;
	case ISA_FMT_J:
		i->imm = imm_j(b);
		break;
	case ISA_FMT_CSR:
	case ISA_FMT_CSRI:
		i->imm = (int32_t)(b >> 20);
		break;
	case ISA_FMT_FLD:
		i->imm = imm_i(b);
		rd_is_x = false;
		break;
	case ISA_FMT_F1:
		/* The second operand of the binary handlers; see exec_fp.c. */
		i->rs2 = i->rs1;
		rd_is_x = false;
		break;
	case ISA_FMT_F2:
	case ISA_FMT_F3:
	case ISA_FMT_XTOF:
	case ISA_FMT_TEX:
	case ISA_FMT_BOX:
	case ISA_FMT_TRI:
		rd_is_x = false;
		break;
	default:
		break;
	}
	if (rd_is_x && !i->rd)
		i->rd = ISA_X_SINK;
}

/* A csrrs or csrrc that names x0 or 0 reads only. */
static bool csr_writes(const struct isa_insn *i)
{
	return i->op == ISA_OP_csrrw || i->op == ISA_OP_csrrwi || i->rs1;
}

/* Registers of the runs that operands of units name: all have to exist. */
static const struct {
	uint8_t rd, rs2, rs3;
} runs[] = {
	[ISA_FMT_TEX] = { .rd = 4, .rs2 = 3 }, [ISA_FMT_ROP] = { .rs3 = 5 },
	[ISA_FMT_ROPB] = { .rs3 = 1 },	       [ISA_FMT_BOX] = { .rd = 1, .rs2 = 8 },
	[ISA_FMT_TRI] = { .rd = 3, .rs2 = 8 },
};

static bool runs_legal(const struct isa_insn *i, enum isa_format format)
{
	return i->rd + runs[format].rd <= 32 && i->rs2 + runs[format].rs2 <= 32 &&
	       i->rs3 + runs[format].rs3 <= 32;
}

static bool operands_legal(const struct isa_insn *i)
{
	const struct isa_insn_info *info = &isa_insn_info[i->op];

	if (info->attr & ISA_A_RM)
		return i->rm <= ISA_RM_RMM || i->rm == ISA_RM_DYN;
	if (info->format == ISA_FMT_CSR || info->format == ISA_FMT_CSRI)
		return isa_csr_allowed((unsigned int)i->imm, csr_writes(i));
	if (info->format >= ISA_FMT_TEX)
		return runs_legal(i, info->format);
	return true;
}

void isa_decode(uint32_t bits, struct isa_insn *out)
{
	uint32_t wide = bits;

	if (isa_insn_len(bits) == 2) {
		bits &= 0xffff;
		wide = isa_expand((uint16_t)bits);
	}
	out->op = (uint16_t)find_op(wide);
	out->bits = bits;
	set_operands(out, wide);
	if (!operands_legal(out))
		out->op = ISA_OP_illegal;
}
