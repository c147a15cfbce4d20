/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A group, an engine and a little paged memory for tests of the ISA engine. */
#ifndef TESS_MODEL_TESTS_ISA_ENV_H
#define TESS_MODEL_TESTS_ISA_ENV_H

#include "isa/isa.h"

#define ENV_PAGES 256u
#define ENV_SIZE (ENV_PAGES * ISA_PAGE_SIZE)
#define ENV_CODE 0x10000u
#define ENV_DATA 0x40000u
#define ENV_PRIVATE 0x80000u
#define ENV_LOCAL 4096u

#define ENV_R ISA_PROT_READ
#define ENV_W ISA_PROT_WRITE
#define ENV_X ISA_PROT_EXEC

struct isa_env {
	struct isa_engine *e;
	struct isa_group *g;
	uint8_t *mem;
	uint8_t local[ENV_LOCAL];
	uint8_t prot[ENV_PAGES]; /* permissions of a page */
	bool nocache[ENV_PAGES];
	bool dirty_bits; /* WRITE is granted on stores only */
	uint32_t calls[3]; /* of translate(), by access */
	struct isa_fault fault;
	uint64_t retired; /* of the last env_run() */
};

/* All pages readable, writable and executable. Exits if there is no memory. */
struct isa_env *env_new(void);
struct isa_env *env_new_for(enum isa_host host);
void env_free(struct isa_env *env);

/* Zeroed, of the size and alignment that a group has. Exits if there is none. */
struct isa_group *env_group_memory(unsigned int nr_harts);

/* Put @n words at ENV_CODE. */
void env_code(struct isa_env *env, const uint32_t *words, unsigned int n);
#define ENV_CODE_OF(env, ...)                            \
	env_code(env, (const uint32_t[]){ __VA_ARGS__ }, \
		 sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* A one-dimensional group of @n harts at ENV_CODE. */
void env_group(struct isa_env *env, unsigned int n);
enum isa_stop env_run(struct isa_env *env, uint64_t budget);

uint64_t env_x(const struct isa_env *env, unsigned int hart, unsigned int reg);
void env_set_x(struct isa_env *env, unsigned int hart, unsigned int reg, uint64_t v);
uint64_t env_pc(const struct isa_env *env, unsigned int hart);

uint32_t env_read32(const struct isa_env *env, uint64_t va);
uint64_t env_read64(const struct isa_env *env, uint64_t va);
void env_write64(struct isa_env *env, uint64_t va, uint64_t v);

/* Do two groups have the same harts, and the same order of execution ahead? */
bool env_same_group(const struct isa_group *a, const struct isa_group *b);

/* A reproducible random number. */
uint64_t env_random(void);

#endif
