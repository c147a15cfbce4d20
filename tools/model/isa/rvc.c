// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: compressed instructions
 *
 * Each 16-bit instruction of RV64DC stands for one 32-bit instruction. It is
 * expanded before decoding, so that nothing after this file knows about it.
 * Reserved encodings give 0, which decodes as illegal; hints give the
 * instruction that they are (it writes x0 or changes nothing).
 */
#include "internal.h"

#define X_RA 1u
#define X_SP 2u

static uint32_t bits(uint32_t v, unsigned int hi, unsigned int lo)
{
	return (v >> lo) & ((1u << (hi - lo + 1)) - 1);
}

/* Sign-extend the low @n bits. */
static int32_t sext(uint32_t v, unsigned int n)
{
	return (int32_t)(v << (32 - n)) >> (32 - n);
}

static uint32_t enc_r(uint32_t match, uint32_t rd, uint32_t rs1, uint32_t rs2)
{
	return match | rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint32_t enc_i(uint32_t match, uint32_t rd, uint32_t rs1, int32_t imm)
{
	return match | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

static uint32_t enc_s(uint32_t match, uint32_t rs1, uint32_t rs2, uint32_t imm)
{
	return match | bits(imm, 4, 0) << 7 | rs1 << 15 | rs2 << 20 | bits(imm, 11, 5) << 25;
}

static uint32_t enc_b(uint32_t match, uint32_t rs1, int32_t offset)
{
	uint32_t imm = (uint32_t)offset;

	return match | bits(imm, 11, 11) << 7 | bits(imm, 4, 1) << 8 | rs1 << 15 |
	       bits(imm, 10, 5) << 25 | bits(imm, 12, 12) << 31;
}

static uint32_t enc_j(uint32_t rd, int32_t offset)
{
	uint32_t imm = (uint32_t)offset;

	return 0x6f | rd << 7 | bits(imm, 19, 12) << 12 | bits(imm, 11, 11) << 20 |
	       bits(imm, 10, 1) << 21 | bits(imm, 20, 20) << 31;
}

#define OP_ADDI 0x00000013u
#define OP_ADDIW 0x0000001bu
#define OP_LUI 0x00000037u
#define OP_SLLI 0x00001013u
#define OP_SRLI 0x00005013u
#define OP_SRAI 0x40005013u
#define OP_ANDI 0x00007013u
#define OP_ADD 0x00000033u
#define OP_JALR 0x00000067u
#define OP_BEQ 0x00000063u
#define OP_BNE 0x00001063u
#define OP_EBREAK 0x00100073u
#define OP_FLD 0x00003007u
#define OP_LW 0x00002003u
#define OP_LD 0x00003003u
#define OP_FSD 0x00003027u
#define OP_SW 0x00002023u
#define OP_SD 0x00003023u

/* Offsets of the register-based loads and stores, words and doublewords. */
static uint32_t off_w(uint32_t c)
{
	return bits(c, 12, 10) << 3 | bits(c, 6, 6) << 2 | bits(c, 5, 5) << 6;
}

static uint32_t off_d(uint32_t c)
{
	return bits(c, 12, 10) << 3 | bits(c, 6, 5) << 6;
}

static uint32_t expand_q0(uint32_t c)
{
	uint32_t rd = 8 + bits(c, 4, 2);
	uint32_t rs1 = 8 + bits(c, 9, 7);
	uint32_t imm;

	switch (bits(c, 15, 13)) {
	case 0:
		imm = bits(c, 12, 11) << 4 | bits(c, 10, 7) << 6 | bits(c, 6, 6) << 2 |
		      bits(c, 5, 5) << 3;
		return imm ? enc_i(OP_ADDI, rd, X_SP, (int32_t)imm) : 0;
	case 1:
		return enc_i(OP_FLD, rd, rs1, (int32_t)off_d(c));
	case 2:
		return enc_i(OP_LW, rd, rs1, (int32_t)off_w(c));
	case 3:
		return enc_i(OP_LD, rd, rs1, (int32_t)off_d(c));
	case 5:
		return enc_s(OP_FSD, rs1, rd, off_d(c));
	case 6:
		return enc_s(OP_SW, rs1, rd, off_w(c));
	case 7:
		return enc_s(OP_SD, rs1, rd, off_d(c));
	default:
		return 0;
	}
}

/* c.srli, c.srai, c.andi and the register-register group. */
static uint32_t expand_q1_alu(uint32_t c)
{
	static const uint32_t rr[8] = {
		0x40000033, /* sub */ 0x00004033, /* xor */
		0x00006033, /* or */ 0x00007033, /* and */
		0x4000003b, /* subw */ 0x0000003b, /* addw */
	};
	uint32_t rd = 8 + bits(c, 9, 7);
	uint32_t rs2 = 8 + bits(c, 4, 2);
	uint32_t imm = bits(c, 12, 12) << 5 | bits(c, 6, 2);
	uint32_t op;

	switch (bits(c, 11, 10)) {
	case 0:
		return enc_i(OP_SRLI, rd, rd, (int32_t)imm);
	case 1:
		return enc_i(OP_SRAI, rd, rd, (int32_t)imm);
	case 2:
		return enc_i(OP_ANDI, rd, rd, sext(imm, 6));
	default:
		op = rr[bits(c, 12, 12) << 2 | bits(c, 6, 5)];
		return op ? enc_r(op, rd, rd, rs2) : 0;
	}
}

static int32_t off_j(uint32_t c)
{
	return sext(bits(c, 12, 12) << 11 | bits(c, 11, 11) << 4 | bits(c, 10, 9) << 8 |
			    bits(c, 8, 8) << 10 | bits(c, 7, 7) << 6 | bits(c, 6, 6) << 7 |
			    bits(c, 5, 3) << 1 | bits(c, 2, 2) << 5,
		    12);
}

static int32_t off_b(uint32_t c)
{
	return sext(bits(c, 12, 12) << 8 | bits(c, 11, 10) << 3 | bits(c, 6, 5) << 6 |
			    bits(c, 4, 3) << 1 | bits(c, 2, 2) << 5,
		    9);
}

static uint32_t expand_addi16sp(uint32_t c)
{
	int32_t imm = sext(bits(c, 12, 12) << 9 | bits(c, 6, 6) << 4 | bits(c, 5, 5) << 6 |
				   bits(c, 4, 3) << 7 | bits(c, 2, 2) << 5,
			   10);

	return imm ? enc_i(OP_ADDI, X_SP, X_SP, imm) : 0;
}

static uint32_t expand_q1(uint32_t c)
{
	uint32_t rd = bits(c, 11, 7);
	int32_t imm = sext(bits(c, 12, 12) << 5 | bits(c, 6, 2), 6);

	switch (bits(c, 15, 13)) {
	case 0:
		return enc_i(OP_ADDI, rd, rd, imm);
	case 1:
		return rd ? enc_i(OP_ADDIW, rd, rd, imm) : 0;
	case 2:
		return enc_i(OP_ADDI, rd, 0, imm);
	case 3:
		if (rd == X_SP)
			return expand_addi16sp(c);
		return imm ? OP_LUI | rd << 7 | (uint32_t)imm << 12 : 0;
	case 4:
		return expand_q1_alu(c);
	case 5:
		return enc_j(0, off_j(c));
	case 6:
		return enc_b(OP_BEQ, 8 + bits(c, 9, 7), off_b(c));
	default:
		return enc_b(OP_BNE, 8 + bits(c, 9, 7), off_b(c));
	}
}

/* c.jr, c.mv, c.ebreak, c.jalr, c.add */
static uint32_t expand_q2_jump(uint32_t c)
{
	uint32_t rd = bits(c, 11, 7);
	uint32_t rs2 = bits(c, 6, 2);

	if (!bits(c, 12, 12)) {
		if (rs2)
			return enc_r(OP_ADD, rd, 0, rs2);
		return rd ? enc_i(OP_JALR, 0, rd, 0) : 0;
	}
	if (rs2)
		return enc_r(OP_ADD, rd, rd, rs2);
	return rd ? enc_i(OP_JALR, X_RA, rd, 0) : OP_EBREAK;
}

static uint32_t expand_q2(uint32_t c)
{
	uint32_t rd = bits(c, 11, 7);
	uint32_t rs2 = bits(c, 6, 2);
	uint32_t ld = bits(c, 12, 12) << 5 | bits(c, 6, 5) << 3 | bits(c, 4, 2) << 6;
	uint32_t lw = bits(c, 12, 12) << 5 | bits(c, 6, 4) << 2 | bits(c, 3, 2) << 6;
	uint32_t sd = bits(c, 12, 10) << 3 | bits(c, 9, 7) << 6;
	uint32_t sw = bits(c, 12, 9) << 2 | bits(c, 8, 7) << 6;

	switch (bits(c, 15, 13)) {
	case 0:
		return enc_i(OP_SLLI, rd, rd, (int32_t)(bits(c, 12, 12) << 5 | bits(c, 6, 2)));
	case 1:
		return enc_i(OP_FLD, rd, X_SP, (int32_t)ld);
	case 2:
		return rd ? enc_i(OP_LW, rd, X_SP, (int32_t)lw) : 0;
	case 3:
		return rd ? enc_i(OP_LD, rd, X_SP, (int32_t)ld) : 0;
	case 4:
		return expand_q2_jump(c);
	case 5:
		return enc_s(OP_FSD, X_SP, rs2, sd);
	case 6:
		return enc_s(OP_SW, X_SP, rs2, sw);
	default:
		return enc_s(OP_SD, X_SP, rs2, sd);
	}
}

uint32_t isa_expand(uint16_t c)
{
	switch (c & 3) {
	case 0:
		return expand_q0(c);
	case 1:
		return expand_q1(c);
	case 2:
		return expand_q2(c);
	default:
		return 0;
	}
}
