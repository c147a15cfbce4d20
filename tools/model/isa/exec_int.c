// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: integer instructions
 *
 * One function of one or two operands per instruction, applied to the lanes of
 * a wave by three small loops. The table in insn.h names which function goes
 * with which instruction and loop.
 */
#include "internal.h"

static inline uint64_t sext32(uint64_t v)
{
	return (uint64_t)(int64_t)(int32_t)v;
}

static inline uint64_t zext32(uint64_t v)
{
	return (uint32_t)v;
}

static inline uint64_t sem_add(uint64_t a, uint64_t b)
{
	return a + b;
}

static inline uint64_t sem_sub(uint64_t a, uint64_t b)
{
	return a - b;
}

static inline uint64_t sem_slt(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b;
}

static inline uint64_t sem_sltu(uint64_t a, uint64_t b)
{
	return a < b;
}

static inline uint64_t sem_xor(uint64_t a, uint64_t b)
{
	return a ^ b;
}

static inline uint64_t sem_or(uint64_t a, uint64_t b)
{
	return a | b;
}

static inline uint64_t sem_and(uint64_t a, uint64_t b)
{
	return a & b;
}

static inline uint64_t sem_sll(uint64_t a, uint64_t b)
{
	return a << (b & 63);
}

static inline uint64_t sem_srl(uint64_t a, uint64_t b)
{
	return a >> (b & 63);
}

static inline uint64_t sem_sra(uint64_t a, uint64_t b)
{
	return (uint64_t)((int64_t)a >> (b & 63));
}

static inline uint64_t sem_addw(uint64_t a, uint64_t b)
{
	return sext32(a + b);
}

static inline uint64_t sem_subw(uint64_t a, uint64_t b)
{
	return sext32(a - b);
}

static inline uint64_t sem_sllw(uint64_t a, uint64_t b)
{
	return sext32((uint32_t)a << (b & 31));
}

static inline uint64_t sem_srlw(uint64_t a, uint64_t b)
{
	return sext32((uint32_t)a >> (b & 31));
}

static inline uint64_t sem_sraw(uint64_t a, uint64_t b)
{
	return (uint64_t)(int64_t)((int32_t)a >> (b & 31));
}

static inline uint64_t sem_mul(uint64_t a, uint64_t b)
{
	return a * b;
}

static inline uint64_t sem_mulh(uint64_t a, uint64_t b)
{
	return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}

static inline uint64_t sem_mulhu(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}

/* As unsigned, minus b where a is negative: a = a_unsigned - 2^64. */
static inline uint64_t sem_mulhsu(uint64_t a, uint64_t b)
{
	return sem_mulhu(a, b) - ((int64_t)a < 0 ? b : 0);
}

/* Division never traps: by zero gives all ones, overflow the dividend. */
static inline uint64_t sem_div(uint64_t a, uint64_t b)
{
	if (!b)
		return ~0ull;
	if ((int64_t)b == -1)
		return 0 - a;
	return (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t sem_divu(uint64_t a, uint64_t b)
{
	return b ? a / b : ~0ull;
}

static inline uint64_t sem_rem(uint64_t a, uint64_t b)
{
	if (!b)
		return a;
	if ((int64_t)b == -1)
		return 0;
	return (uint64_t)((int64_t)a % (int64_t)b);
}

static inline uint64_t sem_remu(uint64_t a, uint64_t b)
{
	return b ? a % b : a;
}

static inline uint64_t sem_mulw(uint64_t a, uint64_t b)
{
	return sext32(a * b);
}

/* 64-bit division of sign-extended words: -2^31 / -1 truncates as it should. */
static inline uint64_t sem_divw(uint64_t a, uint64_t b)
{
	return sext32(sem_div(sext32(a), sext32(b)));
}

static inline uint64_t sem_divuw(uint64_t a, uint64_t b)
{
	return sext32(sem_divu(zext32(a), zext32(b)));
}

static inline uint64_t sem_remw(uint64_t a, uint64_t b)
{
	return sext32(sem_rem(sext32(a), sext32(b)));
}

static inline uint64_t sem_remuw(uint64_t a, uint64_t b)
{
	return sext32(sem_remu(zext32(a), zext32(b)));
}

static inline uint64_t sem_add_uw(uint64_t a, uint64_t b)
{
	return zext32(a) + b;
}

static inline uint64_t sem_sh1add(uint64_t a, uint64_t b)
{
	return (a << 1) + b;
}

static inline uint64_t sem_sh2add(uint64_t a, uint64_t b)
{
	return (a << 2) + b;
}

static inline uint64_t sem_sh3add(uint64_t a, uint64_t b)
{
	return (a << 3) + b;
}

static inline uint64_t sem_sh1add_uw(uint64_t a, uint64_t b)
{
	return (zext32(a) << 1) + b;
}

static inline uint64_t sem_sh2add_uw(uint64_t a, uint64_t b)
{
	return (zext32(a) << 2) + b;
}

static inline uint64_t sem_sh3add_uw(uint64_t a, uint64_t b)
{
	return (zext32(a) << 3) + b;
}

static inline uint64_t sem_sll_uw(uint64_t a, uint64_t b)
{
	return zext32(a) << (b & 63);
}

static inline uint64_t sem_andn(uint64_t a, uint64_t b)
{
	return a & ~b;
}

static inline uint64_t sem_orn(uint64_t a, uint64_t b)
{
	return a | ~b;
}

static inline uint64_t sem_xnor(uint64_t a, uint64_t b)
{
	return ~(a ^ b);
}

static inline uint64_t sem_clz(uint64_t a)
{
	return a ? (uint64_t)__builtin_clzll(a) : 64;
}

static inline uint64_t sem_ctz(uint64_t a)
{
	return a ? (uint64_t)__builtin_ctzll(a) : 64;
}

/* Bits are summed in fields that double: x86-64 has no popcount by default. */
static inline uint64_t sem_cpop(uint64_t a)
{
	a -= a >> 1 & 0x5555555555555555ull;
	a = (a & 0x3333333333333333ull) + (a >> 2 & 0x3333333333333333ull);
	a = (a + (a >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return a * 0x0101010101010101ull >> 56;
}

static inline uint64_t sem_clzw(uint64_t a)
{
	return sem_clz(zext32(a)) - 32;
}

static inline uint64_t sem_ctzw(uint64_t a)
{
	return sem_ctz(a | 1ull << 32);
}

static inline uint64_t sem_cpopw(uint64_t a)
{
	return sem_cpop(zext32(a));
}

static inline uint64_t sem_max(uint64_t a, uint64_t b)
{
	return (int64_t)a > (int64_t)b ? a : b;
}

static inline uint64_t sem_maxu(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t sem_min(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? a : b;
}

static inline uint64_t sem_minu(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t sem_sext_b(uint64_t a)
{
	return (uint64_t)(int64_t)(int8_t)a;
}

static inline uint64_t sem_sext_h(uint64_t a)
{
	return (uint64_t)(int64_t)(int16_t)a;
}

static inline uint64_t sem_zext_h(uint64_t a)
{
	return (uint16_t)a;
}

static inline uint64_t sem_rol(uint64_t a, uint64_t b)
{
	return a << (b & 63) | a >> (-b & 63);
}

static inline uint64_t sem_ror(uint64_t a, uint64_t b)
{
	return a >> (b & 63) | a << (-b & 63);
}

static inline uint64_t sem_rolw(uint64_t a, uint64_t b)
{
	uint32_t v = (uint32_t)a;

	return sext32(v << (b & 31) | v >> (-b & 31));
}

static inline uint64_t sem_rorw(uint64_t a, uint64_t b)
{
	uint32_t v = (uint32_t)a;

	return sext32(v >> (b & 31) | v << (-b & 31));
}

/* Each byte: all ones if any bit of it is set. */
static inline uint64_t sem_orc_b(uint64_t a)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7full;

	/* Bit 7 of a byte: set if the byte is not zero. */
	a = (((a & low) + low) | a) & ~low;
	return (a >> 7) * 0xff;
}

static inline uint64_t sem_rev8(uint64_t a)
{
	return __builtin_bswap64(a);
}

static inline uint64_t sem_bclr(uint64_t a, uint64_t b)
{
	return a & ~(1ull << (b & 63));
}

static inline uint64_t sem_bext(uint64_t a, uint64_t b)
{
	return a >> (b & 63) & 1;
}

static inline uint64_t sem_binv(uint64_t a, uint64_t b)
{
	return a ^ 1ull << (b & 63);
}

static inline uint64_t sem_bset(uint64_t a, uint64_t b)
{
	return a | 1ull << (b & 63);
}

ISA_INLINE enum isa_next exec_rr(struct isa_ctx *c, const struct isa_insn *i,
				 uint64_t (*sem)(uint64_t, uint64_t), bool vector, bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	const uint64_t *b = c->w->x[i->rs2];
	uint64_t *d = c->w->x[i->rd];

	ISA_FOR_LANES(c, full, vector, d, sem(a[l], b[l]));
	return ISA_NEXT;
}

ISA_INLINE enum isa_next exec_ri(struct isa_ctx *c, const struct isa_insn *i,
				 uint64_t (*sem)(uint64_t, uint64_t), bool vector, bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	uint64_t *d = c->w->x[i->rd];
	uint64_t imm = (uint64_t)(int64_t)i->imm;

	ISA_FOR_LANES(c, full, vector, d, sem(a[l], imm));
	return ISA_NEXT;
}

ISA_INLINE enum isa_next exec_r1(struct isa_ctx *c, const struct isa_insn *i,
				 uint64_t (*sem)(uint64_t), bool vector, bool full)
{
	const uint64_t *a = c->w->x[i->rs1];
	uint64_t *d = c->w->x[i->rd];

	ISA_FOR_LANES(c, full, vector, d, sem(a[l]));
	return ISA_NEXT;
}

/* lui and auipc: one value for all lanes, they are at the same pc. */
ISA_INLINE enum isa_next exec_u(struct isa_ctx *c, const struct isa_insn *i, uint64_t base,
				bool full)
{
	uint64_t *d = c->w->x[i->rd];
	uint64_t value = base + (uint64_t)(int64_t)i->imm;

	ISA_FOR_LANES(c, full, true, d, value);
	return ISA_NEXT;
}

/* What has no vector operation: division, upper halves of products, counts of zeros */
#define SCALAR_mulh 1
#define SCALAR_mulhu 1
#define SCALAR_mulhsu 1
#define SCALAR_div 1
#define SCALAR_divu 1
#define SCALAR_rem 1
#define SCALAR_remu 1
#define SCALAR_divw 1
#define SCALAR_divuw 1
#define SCALAR_remw 1
#define SCALAR_remuw 1
#define SCALAR_clz 1
#define SCALAR_ctz 1
#define SCALAR_clzw 1
#define SCALAR_ctzw 1
/* The name of a macro that is 1 is not the name any more. */
#define IS_VECTOR(sem) (sizeof(STRING(SCALAR_##sem)) != sizeof("1"))
#define STRING(text) STRING_OF(text)
#define STRING_OF(text) #text

#define GEN_ONE_LANE(id, value)                                                           \
	enum isa_next ISA_ONE(id)(struct isa_ctx * c, const struct isa_insn *i)           \
	{                                                                                 \
		uint64_t(*x)[ISA_LANES] = (uint64_t(*)[ISA_LANES])(c->w->x[0] + c->lane); \
                                                                                          \
		x[i->rd][0] = value;                                                      \
		return isa_chain(c, i, ISA_NEXT, isa_one_handlers);                       \
	}
#define IMM(i) ((uint64_t)(int64_t)(i)->imm)
#define GEN_RR(id, sem)                                                       \
	ISA_LANE_HANDLERS(id, exec_rr(c, i, sem_##sem, IS_VECTOR(sem), full)) \
	GEN_ONE_LANE(id, sem_##sem(x[i->rs1][0], x[i->rs2][0]))
#define GEN_RI(id, sem)                                                       \
	ISA_LANE_HANDLERS(id, exec_ri(c, i, sem_##sem, IS_VECTOR(sem), full)) \
	GEN_ONE_LANE(id, sem_##sem(x[i->rs1][0], IMM(i)))
#define GEN_R1(id, sem)                                                       \
	ISA_LANE_HANDLERS(id, exec_r1(c, i, sem_##sem, IS_VECTOR(sem), full)) \
	GEN_ONE_LANE(id, sem_##sem(x[i->rs1][0]))
#define GEN_LUI(id, sem) ISA_LANE_HANDLERS(id, exec_u(c, i, 0, full)) GEN_ONE_LANE(id, IMM(i))
#define GEN_AUIPC(id, sem)                                           \
	ISA_LANE_HANDLERS(id, exec_u(c, i, isa_insn_pc(c, i), full)) \
	GEN_ONE_LANE(id, isa_insn_pc(c, i) + IMM(i))
#define X(id, mnemonic, match, mask, format, generator, semantics, attr) \
	GEN_##generator(id, semantics)
ISA_INSN_INT(X)
