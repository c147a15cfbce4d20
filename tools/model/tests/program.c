// SPDX-License-Identifier: GPL-2.0-or-later
/* The random programs of program.h. */
#include "program.h"

#include "rv.h"

#define SP_REGS 8u

static uint64_t seed = 1;

void program_seed(uint64_t s)
{
	seed = s;
}

void program_emit(struct program *p, uint32_t word)
{
	p->words[p->n++] = word;
}

uint32_t program_pick(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

/* A register that programs may write: a1..a7 or t1, t2. */
static uint32_t target(void)
{
	static const uint8_t regs[] = { A1, A2, A3, A4, A5, A6, A7, T1, T2 };

	return regs[program_pick(sizeof(regs))];
}

/* A register that programs may read. sp names the slot, which is a matter of time. */
static uint32_t source(const struct program *p)
{
	uint32_t reg = program_pick(18);

	return p->timeless && reg == SP ? X0 : reg;
}

static uint32_t random_alu(const struct program *p)
{
	static const uint32_t f7[] = { 0, 0, 0, 1, 1, 32, 16, 4, 48 };
	uint32_t rd = target(), rs1 = source(p), rs2 = source(p);

	/* Immediates, or register forms (some of them illegal: avoided). */
	switch (program_pick(3)) {
	case 0:
		return ADDI(rd, rs1, (int32_t)program_pick(4096) - 2048);
	case 1:
		return rv_r(0x33, program_pick(8), f7[program_pick(5)], rd, rs1, rs2);
	default:
		return program_pick(2) ? rv_r(0x33, 0, 32, rd, rs1, rs2) :
					 rv_r(0x3b, 0, 0, rd, rs1, rs2);
	}
}

static uint32_t random_fp(const struct program *p)
{
	uint32_t fmt = program_pick(2), fd = program_pick(SP_REGS), f1 = program_pick(SP_REGS),
		 f2 = program_pick(SP_REGS);

	switch (program_pick(6)) {
	case 0:
		return rv_r(0x43, 7, program_pick(SP_REGS) << 2 | fmt, fd, f1, f2); /* fmadd */
	case 1:
		return rv_r(0x53, 7, 0x00 | fmt, fd, f1, f2); /* fadd */
	case 2:
		return rv_r(0x53, 7, 0x0c | fmt, fd, f1, f2); /* fdiv */
	case 3:
		return rv_r(0x53, program_pick(5), 0x08 | fmt, fd, f1, f2); /* fmul, any rm */
	case 4:
		return rv_r(0x53, 7, 0x68 | fmt, fd, source(p), program_pick(4)); /* fcvt from x */
	default:
		return rv_r(0x53, 1, 0x60 | fmt, target(), f1,
			    program_pick(4)); /* fcvt to x, rtz */
	}
}

static uint32_t random_mem(const struct program *p)
{
	int32_t off = (int32_t)program_pick(240);

	switch (program_pick(p->apart ? 4 : 6)) {
	case 0:
		return rv_i(0x03, program_pick(7), target(), S0, off);
	case 1:
		return rv_s(0x23, program_pick(4), S0, source(p), off);
	case 2:
		return rv_i(0x07, 2 + program_pick(2), program_pick(SP_REGS), S0, off);
	case 3:
		return rv_s(0x27, 2 + program_pick(2), S0, program_pick(SP_REGS), off);
	case 4:
		/* s1: shared, so that the order of harts shows */
		return AMO(program_pick(2) ? 0 : 4, 3, target(), source(p), S1);
	default:
		return CSRRS(target(), program_pick(2) ? (p->timeless ? 0xc02 : 0xc00) : 0x001, X0);
	}
}

static uint32_t random_unit(const struct program *p)
{
	switch (program_pick(5)) {
	case 0:
		return TEX(program_pick(5), PROGRAM_S3, program_pick(6));
	case 1:
		return ROP(target(), PROGRAM_S4, program_pick(2) ? X0 : source(p), program_pick(4));
	case 2:
		return ROP_BLK(target(), PROGRAM_S4, PROGRAM_S6, PROGRAM_S5);
	case 3:
		return RAY_BOX(program_pick(8), PROGRAM_S5, 0);
	default:
		return RAY_TRI(program_pick(6), PROGRAM_S5, 0);
	}
}

static uint32_t random_insn(const struct program *p, unsigned int left)
{
	if (p->units && !program_pick(6))
		return random_unit(p);
	switch (program_pick(8)) {
	case 0:
		/* Forward, over up to all of the rest of the body. */
		return rv_b((const uint32_t[]){ 0, 1, 4, 5, 6, 7 }[program_pick(6)], source(p),
			    source(p), 4 * (1 + (int32_t)program_pick(left)));
	case 1:
	case 2:
		return random_fp(p);
	case 3:
	case 4:
		return random_mem(p);
	default:
		return random_alu(p);
	}
}

void program_body(struct program *p)
{
	for (unsigned int k = 0; k < PROGRAM_BODY; k++)
		program_emit(p, random_insn(p, PROGRAM_BODY - k));
}
