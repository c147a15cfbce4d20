// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: compressed instructions and disassembly
 *
 * Expansions against those of the LLVM assembler and disassembler, which were
 * compared for all 49,152 encodings when this test was written: samples of each
 * form by value, all of them by checksum. (LLVM 14 takes the reserved c.lui
 * with a zero immediate; the specification does not, and neither does this.)
 */
#include <string.h>

#include "tap.h"
#include "isa/internal.h"
#include "isa_env.h"
#include "rv.h"

/* 0: reserved or illegal */
static const struct {
	uint16_t bits;
	uint32_t word;
} vectors[] = {
	{ 0x0000, 0x00000000 }, { 0x001c, 0x00000000 }, { 0x0020, 0x00810413 },
	{ 0x04f0, 0x24c10613 }, { 0x0a7c, 0x11c10793 }, { 0x0cc0, 0x25410413 },
	{ 0x14f4, 0x26c10693 }, { 0x1e74, 0x33c10693 }, { 0x1ffc, 0x3fc10793 },
	{ 0x2000, 0x00043407 }, { 0x2264, 0x0c063487 }, { 0x23b4, 0x0407b687 },
	{ 0x2604, 0x00863487 }, { 0x2dbc, 0x0585b787 }, { 0x3764, 0x0e873487 },
	{ 0x3ffc, 0x0f87b787 }, { 0x4000, 0x00042403 }, { 0x4478, 0x04c42703 },
	{ 0x4580, 0x0085a403 }, { 0x4f64, 0x05c72483 }, { 0x5ac0, 0x0346a403 },
	{ 0x5bc0, 0x0347a403 }, { 0x5ffc, 0x07c7a783 }, { 0x6000, 0x00043403 },
	{ 0x63c8, 0x0807b503 }, { 0x65cc, 0x0885b583 }, { 0x67ec, 0x0c87b583 },
	{ 0x6e48, 0x09863503 }, { 0x7b28, 0x07073503 }, { 0x7ffc, 0x0f87b783 },
	{ 0x83f4, 0x00000000 }, { 0x9960, 0x00000000 }, { 0xa000, 0x00843027 },
	{ 0xa2f8, 0x0ce6b027 }, { 0xa32c, 0x04b73027 }, { 0xa884, 0x0094b827 },
	{ 0xae24, 0x04963c27 }, { 0xb288, 0x02a6b027 }, { 0xbffc, 0x0ef7bc27 },
	{ 0xc000, 0x00842023 }, { 0xc788, 0x00a7a423 }, { 0xc938, 0x04e52823 },
	{ 0xcb90, 0x00c7a823 }, { 0xd3bc, 0x06f7a023 }, { 0xdad0, 0x02c6aa23 },
	{ 0xdffc, 0x06f7ae23 }, { 0xe000, 0x00843023 }, { 0xe404, 0x00943423 },
	{ 0xe63c, 0x04f63423 }, { 0xe698, 0x00e6b423 }, { 0xec04, 0x00943c23 },
	{ 0xf7d4, 0x0ad7b423 }, { 0xfffc, 0x0ef7bc23 }, { 0x0001, 0x00000013 },
	{ 0x03d1, 0x01438393 }, { 0x0d2d, 0x00bd0d13 }, { 0x1419, 0xfe640413 },
	{ 0x1b5d, 0xff7b0b13 }, { 0x1fc5, 0xff1f8f93 }, { 0x1ffd, 0xffff8f93 },
	{ 0x207d, 0x00000000 }, { 0x2081, 0x0000809b }, { 0x2c11, 0x004c0c1b },
	{ 0x2f01, 0x000f0f1b }, { 0x2f65, 0x019f0f1b }, { 0x3019, 0x00000000 },
	{ 0x33bd, 0xfef3839b }, { 0x3e8d, 0xfe3e8e9b }, { 0x3ffd, 0xffff8f9b },
	{ 0x4001, 0x00000013 }, { 0x453d, 0x00f00513 }, { 0x4b81, 0x00000b93 },
	{ 0x4f9d, 0x00700f93 }, { 0x5335, 0xfed00313 }, { 0x5fad, 0xfeb00f93 },
	{ 0x5ffd, 0xfff00f93 }, { 0x6005, 0x00001037 }, { 0x6181, 0x00000000 },
	{ 0x6a01, 0x00000000 }, { 0x6a05, 0x00001a37 }, { 0x6bd9, 0x00016bb7 },
	{ 0x6f55, 0x00015f37 }, { 0x78d1, 0xffff48b7 }, { 0x7d7d, 0xfffffd37 },
	{ 0x7ffd, 0xffffffb7 }, { 0x6101, 0x00000000 }, { 0x6105, 0x02010113 },
	{ 0x6121, 0x04010113 }, { 0x612d, 0x0e010113 }, { 0x616d, 0x0f010113 },
	{ 0x7105, 0xe2010113 }, { 0x7145, 0xe3010113 }, { 0x717d, 0xff010113 },
	{ 0x8001, 0x00045413 }, { 0x80a1, 0x0084d493 }, { 0x813d, 0x00f55513 },
	{ 0x826d, 0x01b65613 }, { 0x92bd, 0x02f6d693 }, { 0x93d1, 0x0347d793 },
	{ 0x93fd, 0x03f7d793 }, { 0x8401, 0x40045413 }, { 0x9505, 0x42155513 },
	{ 0x9571, 0x43c55513 }, { 0x9599, 0x4265d593 }, { 0x974d, 0x43375713 },
	{ 0x97f1, 0x43c7d793 }, { 0x97fd, 0x43f7d793 }, { 0x8801, 0x00047413 },
	{ 0x8909, 0x00257513 }, { 0x8919, 0x00657513 }, { 0x897d, 0x01f57513 },
	{ 0x9851, 0xff447413 }, { 0x9b95, 0xfe57f793 }, { 0x9bfd, 0xfff7f793 },
	{ 0x8c01, 0x40840433 }, { 0x8c1d, 0x40f40433 }, { 0x8e11, 0x40c60633 },
	{ 0x8e1d, 0x40f60633 }, { 0x8f05, 0x40970733 }, { 0x8f85, 0x409787b3 },
	{ 0x8f9d, 0x40f787b3 }, { 0x8c21, 0x00844433 }, { 0x8c29, 0x00a44433 },
	{ 0x8d35, 0x00d54533 }, { 0x8eb1, 0x00c6c6b3 }, { 0x8eb5, 0x00d6c6b3 },
	{ 0x8fad, 0x00b7c7b3 }, { 0x8fbd, 0x00f7c7b3 }, { 0x8c41, 0x00846433 },
	{ 0x8c5d, 0x00f46433 }, { 0x8cd9, 0x00e4e4b3 }, { 0x8dcd, 0x00b5e5b3 },
	{ 0x8e51, 0x00c66633 }, { 0x8fdd, 0x00f7e7b3 }, { 0x8c61, 0x00847433 },
	{ 0x8ce9, 0x00a4f4b3 }, { 0x8d61, 0x00857533 }, { 0x8dfd, 0x00f5f5b3 },
	{ 0x8f69, 0x00a77733 }, { 0x8ffd, 0x00f7f7b3 }, { 0x9c01, 0x4084043b },
	{ 0x9d05, 0x4095053b }, { 0x9d15, 0x40d5053b }, { 0x9e0d, 0x40b6063b },
	{ 0x9f0d, 0x40b7073b }, { 0x9f85, 0x409787bb }, { 0x9f9d, 0x40f787bb },
	{ 0x9c21, 0x0084043b }, { 0x9e2d, 0x00b6063b }, { 0x9eb5, 0x00d686bb },
	{ 0x9f21, 0x0087073b }, { 0x9f35, 0x00d7073b }, { 0x9f3d, 0x00f7073b },
	{ 0x9fbd, 0x00f787bb }, { 0x9d4d, 0x00000000 }, { 0x9dd5, 0x00000000 },
	{ 0x9ce9, 0x00000000 }, { 0x9d79, 0x00000000 }, { 0xa001, 0x0000006f },
	{ 0xa0c5, 0x0e00006f }, { 0xa9ad, 0x47a0006f }, { 0xaed9, 0x3d60006f },
	{ 0xaeed, 0x3fa0006f }, { 0xbf09, 0xf13ff06f }, { 0xbffd, 0xfffff06f },
	{ 0xc001, 0x00040063 }, { 0xc041, 0x08040063 }, { 0xc951, 0x08050a63 },
	{ 0xcba9, 0x04078963 }, { 0xd0d1, 0xf80482e3 }, { 0xd209, 0xf00601e3 },
	{ 0xdffd, 0xfe078fe3 }, { 0xe001, 0x00041063 }, { 0xe375, 0x0e071263 },
	{ 0xe809, 0x00041963 }, { 0xf465, 0xfe0414e3 }, { 0xf7a1, 0xf40794e3 },
	{ 0xfad1, 0xf8069ae3 }, { 0xfffd, 0xfe079fe3 }, { 0x0002, 0x00001013 },
	{ 0x191e, 0x02791913 }, { 0x193a, 0x02e91913 }, { 0x197a, 0x03e91913 },
	{ 0x198a, 0x02299993 }, { 0x1d3a, 0x02ed1d13 }, { 0x1ffe, 0x03ff9f93 },
	{ 0x2002, 0x00013007 }, { 0x23fa, 0x19813387 }, { 0x26a2, 0x00813687 },
	{ 0x2c32, 0x10813c07 }, { 0x39a2, 0x02813987 }, { 0x3ed2, 0x13013e87 },
	{ 0x3ffe, 0x1f813f87 }, { 0x401a, 0x00000000 }, { 0x4082, 0x00012083 },
	{ 0x42a6, 0x04812283 }, { 0x4406, 0x04012403 }, { 0x45b2, 0x00c12583 },
	{ 0x472e, 0x0c812703 }, { 0x4e9a, 0x08412e83 }, { 0x502e, 0x00000000 },
	{ 0x5ffe, 0x0fc12f83 }, { 0x6032, 0x00000000 }, { 0x6082, 0x00013083 },
	{ 0x63c6, 0x05013383 }, { 0x6556, 0x15013503 }, { 0x703a, 0x00000000 },
	{ 0x722a, 0x0a813203 }, { 0x7322, 0x02813303 }, { 0x7ffe, 0x1f813f83 },
	{ 0x8002, 0x00000000 }, { 0x8082, 0x00008067 }, { 0x8182, 0x00018067 },
	{ 0x8382, 0x00038067 }, { 0x8a02, 0x000a0067 }, { 0x8e02, 0x000e0067 },
	{ 0x8f82, 0x000f8067 }, { 0x8006, 0x00100033 }, { 0x8276, 0x01d00233 },
	{ 0x842e, 0x00b00433 }, { 0x85be, 0x00f005b3 }, { 0x8a7a, 0x01e00a33 },
	{ 0x8fca, 0x01200fb3 }, { 0x8ffe, 0x01f00fb3 }, { 0x9002, 0x00100073 },
	{ 0x9382, 0x000380e7 }, { 0x9b82, 0x000b80e7 }, { 0x9e82, 0x000e80e7 },
	{ 0x9f02, 0x000f00e7 }, { 0x9f82, 0x000f80e7 }, { 0x9006, 0x00100033 },
	{ 0x916a, 0x01a10133 }, { 0x9262, 0x01820233 }, { 0x952a, 0x00a50533 },
	{ 0x97ee, 0x01b787b3 }, { 0x97fe, 0x01f787b3 }, { 0x9ffe, 0x01ff8fb3 },
	{ 0xa002, 0x00013027 }, { 0xa68a, 0x14213427 }, { 0xaa56, 0x11513827 },
	{ 0xb0f2, 0x07c13027 }, { 0xb5ee, 0x0fb13427 }, { 0xbea2, 0x16813c27 },
	{ 0xbffe, 0x1ff13c27 }, { 0xc002, 0x00012023 }, { 0xc17a, 0x09e12023 },
	{ 0xc1ba, 0x0ce12023 }, { 0xc962, 0x09812823 }, { 0xcd22, 0x08812c23 },
	{ 0xd726, 0x0a912623 }, { 0xdffe, 0x0ff12e23 }, { 0xe002, 0x00013023 },
	{ 0xe5d2, 0x0d413423 }, { 0xeab2, 0x14c13823 }, { 0xf0b6, 0x06d13023 },
	{ 0xf312, 0x1a413023 }, { 0xf77a, 0x1be13423 }, { 0xfffe, 0x1ff13c23 },
};
#define NR_VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static bool check_vectors(unsigned int quadrant)
{
	bool good = true;

	for (unsigned int k = 0; k < NR_VECTORS; k++) {
		uint32_t got = isa_expand(vectors[k].bits);

		if ((vectors[k].bits & 3) != quadrant || got == vectors[k].word)
			continue;
		printf("# %#06x: got %#010x, want %#010x\n", vectors[k].bits, got, vectors[k].word);
		good = false;
	}
	return good;
}

/* FNV-1a over the words of all encodings in order. */
static void test_all(void)
{
	uint64_t hash = 0xcbf29ce484222325ull;
	unsigned int illegal = 0;

	for (uint32_t bits = 0; bits < 65536; bits++) {
		if ((bits & 3) == 3)
			continue;
		hash = (hash ^ isa_expand((uint16_t)bits)) * 0x100000001b3ull;
		illegal += !isa_expand((uint16_t)bits);
	}
	ok(illegal == 2409, "number of encodings that mean nothing");
	ok(hash == 0xcfb9c4343e55a9eull, "expansion of all encodings");
}

static void put16(struct isa_env *env, uint64_t va, uint16_t half)
{
	memcpy(env->mem + va, &half, 2);
}

/* Links and branches are relative to the short instruction. */
static void test_execution(struct isa_env *env)
{
	static const uint16_t code[] = {
		0x4585, /* c.li a1, 1 */
		0x95ae, /* c.add a1, a1 */
		0xa011, /* c.j +4 */
		0x4581, /* c.li a1, 0 */
		0x0606, /* c.slli a2, 1 */
		0xc191, /* c.beqz a1, +4 */
		0x8532, /* c.mv a0, a2 */
		0x9282, /* c.jalr t0 */
		0x0001, /* c.nop */
		0x8082, /* c.jr ra */
	};

	for (unsigned int k = 0; k < sizeof(code) / 2; k++)
		put16(env, ENV_CODE + 2 * k, code[k]);
	isa_code_flush(env->e);
	env_group(env, 16);
	for (unsigned int k = 0; k < 16; k++) {
		env_set_x(env, k, A2, 21);
		env_set_x(env, k, T0, ENV_CODE + 16);
	}
	/* c.jalr overwrites ra with its successor, then c.jr goes there for ever. */
	ok(env_run(env, 16 * 8) == ISA_STOP_BUDGET && env_x(env, 15, A1) == 2 &&
		   env_x(env, 0, A0) == 42 && env_x(env, 0, RA) == ENV_CODE + 16,
	   "short instructions execute, links point behind them");
	put16(env, ENV_CODE, 0x9002);
	isa_code_flush(env->e);
	env_group(env, 1);
	ok(env_run(env, 9) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_BREAKPOINT &&
		   env->fault.insn == 0x9002,
	   "c.ebreak");
	put16(env, ENV_CODE, 0x0000);
	isa_code_flush(env->e);
	env_group(env, 1);
	ok(env_run(env, 9) == ISA_STOP_FAULT && env->fault.cause == ISA_CAUSE_ILLEGAL &&
		   !env->fault.va,
	   "zero is illegal");
}

static bool disassembles(uint32_t bits, const char *want)
{
	char text[80];

	if (isa_disasm(0x1000, bits, text, sizeof(text)) != ((bits & 3) == 3 ? 4u : 2u) ||
	    strcmp(text, want)) {
		printf("# %#x: %s, want %s\n", bits, text, want);
		return false;
	}
	return true;
}

static void test_disassembly(void)
{
	ok(disassembles(ADDI(A0, SP, -5), "addi a0, sp, -5") &&
		   disassembles(0x4585, "addi a1, zero, 1") &&
		   disassembles(LUI(A0, 0x12345), "lui a0, 0x12345") &&
		   disassembles(LD(S0, 8, A1), "ld s0, 8(a1)") &&
		   disassembles(SD(S0, -8, A1), "sd s0, -8(a1)") &&
		   disassembles(BNE(A0, X0, -16), "bne a0, zero, 0xff0") &&
		   disassembles(JAL(RA, 32), "jal ra, 0x1020") &&
		   disassembles(RET, "jalr zero, 0(ra)") &&
		   disassembles(CSRRS(A0, 0xcc0, X0), "csrrs a0, 0xcc0, zero") &&
		   disassembles(CSRRWI(X0, 1, 3), "csrrwi zero, 0x1, 3"),
	   "disassembly of integer instructions");
	ok(disassembles(AMO(0, 3, A0, A1, A2) | 3u << 25, "amoadd.d.aqrl a0, a1, (a2)") &&
		   disassembles(LR(2, A0, A2), "lr.w a0, (a2)") &&
		   disassembles(BARRIER, "tess.barrier") && disassembles(EXIT, "tess.exit") &&
		   disassembles(PAUSE, "pause") && disassembles(FENCE, "fence"),
	   "disassembly of atomics and the GPU's own");
	ok(disassembles(rv_r(0x43, 7, 13 << 2 | 1, 10, 11, 12), "fmadd.d fa0, fa1, fa2, fa3") &&
		   disassembles(rv_r(0x53, 0, 0x0c, 10, 11, 12), "fdiv.s fa0, fa1, fa2, rne") &&
		   disassembles(rv_r(0x53, 1, 0x60, A0, 11, 0), "fcvt.w.s a0, fa1, rtz") &&
		   disassembles(rv_r(0x53, 0, 0x78, 10, A1, 0), "fmv.w.x fa0, a1") &&
		   disassembles(rv_r(0x53, 2, 0x51, A0, 11, 12), "feq.d a0, fa1, fa2") &&
		   disassembles(rv_i(0x07, 2, 10, A1, 4), "flw fa0, 4(a1)") &&
		   disassembles(0xffffffff, "illegal"),
	   "disassembly of floating point");
}

int main(void)
{
	struct isa_env *env = env_new();

	for (unsigned int q = 0; q < 3; q++)
		ok(check_vectors(q), "samples of quadrant %u", q);
	test_all();
	test_execution(env);
	test_disassembly();
	env_free(env);
	return done();
}
