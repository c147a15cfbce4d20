// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa_env.h"

static int page_fault(enum isa_access access)
{
	static const int cause[] = { ISA_CAUSE_FETCH_PAGE, ISA_CAUSE_LOAD_PAGE,
				     ISA_CAUSE_STORE_PAGE };

	return cause[access];
}

static int translate(void *opaque, uint64_t va, unsigned int size, enum isa_access access,
		     struct isa_xlat *out)
{
	static const uint8_t need[] = { ENV_X, ENV_R, ENV_R | ENV_W };
	struct isa_env *env = opaque;
	uint64_t page = va / ISA_PAGE_SIZE;

	env->calls[access]++;
	if (page >= ENV_PAGES || (va + size - 1) / ISA_PAGE_SIZE != page ||
	    (env->prot[page] & need[access]) != need[access])
		return page_fault(access);
	out->page = env->mem + page * ISA_PAGE_SIZE;
	out->prot = env->prot[page];
	if (env->dirty_bits && access != ISA_STORE)
		out->prot &= ~ENV_W;
	out->nocache = env->nocache[page];
	return 0;
}

static void *must(void *p)
{
	if (!p) {
		perror("isa_env");
		exit(1);
	}
	return p;
}

struct isa_group *env_group_memory(unsigned int nr_harts)
{
	size_t size = isa_group_size(nr_harts);

	return memset(must(aligned_alloc(ISA_GROUP_ALIGN, size)), 0, size);
}

struct isa_env *env_new_for(enum isa_host host)
{
	static const struct isa_ops ops = { .translate = translate };
	struct isa_env *env = must(calloc(1, sizeof(*env)));

	env->mem = must(aligned_alloc(ISA_PAGE_SIZE, ENV_SIZE));
	memset(env->mem, 0, ENV_SIZE);
	memset(env->prot, ENV_R | ENV_W | ENV_X, sizeof(env->prot));
	env->e = must(isa_engine_new_for(&ops, env, host));
	env->g = env_group_memory(ISA_MAX_HARTS);
	env_group(env, 1);
	return env;
}

struct isa_env *env_new(void)
{
	return env_new_for(ISA_HOST_BEST);
}

void env_free(struct isa_env *env)
{
	isa_engine_free(env->e);
	free(env->g);
	free(env->mem);
	free(env);
}

void env_code(struct isa_env *env, const uint32_t *words, unsigned int n)
{
	memcpy(env->mem + ENV_CODE, words, n * sizeof(*words));
	isa_code_flush(env->e);
}

void env_group(struct isa_env *env, unsigned int n)
{
	const struct isa_dispatch d = {
		.entry = ENV_CODE,
		.kernarg = ENV_DATA,
		.private_base = ENV_PRIVATE,
		.private_stride = 1024,
		.private_bytes = 1024,
		.local_bytes = ENV_LOCAL,
		.units = ISA_UNIT_ALL,
		.group_size = { n, 1, 1 },
		.enqueued_size = { n, 1, 1 },
		.grid_size = { n, 1, 1 },
		.num_groups = { 1, 1, 1 },
	};

	if (isa_group_init(env->g, &d, env->local)) {
		fprintf(stderr, "isa_env: bad group\n");
		exit(1);
	}
}

enum isa_stop env_run(struct isa_env *env, uint64_t budget)
{
	return isa_run(env->e, env->g, budget, &env->retired, &env->fault);
}

static struct isa_hart hart_of(const struct isa_env *env, unsigned int index)
{
	struct isa_hart hart;

	if (isa_hart_get(env->g, index, &hart)) {
		fprintf(stderr, "isa_env: no hart %u\n", index);
		exit(1);
	}
	return hart;
}

uint64_t env_x(const struct isa_env *env, unsigned int hart, unsigned int reg)
{
	return hart_of(env, hart).x[reg];
}

uint64_t env_pc(const struct isa_env *env, unsigned int hart)
{
	return hart_of(env, hart).pc;
}

void env_set_x(struct isa_env *env, unsigned int hart, unsigned int reg, uint64_t v)
{
	struct isa_hart h = hart_of(env, hart);

	h.x[reg] = v;
	isa_hart_set(env->g, hart, &h);
}

uint32_t env_read32(const struct isa_env *env, uint64_t va)
{
	uint32_t v;

	memcpy(&v, env->mem + va, sizeof(v));
	return v;
}

uint64_t env_read64(const struct isa_env *env, uint64_t va)
{
	uint64_t v;

	memcpy(&v, env->mem + va, sizeof(v));
	return v;
}

void env_write64(struct isa_env *env, uint64_t va, uint64_t v)
{
	memcpy(env->mem + va, &v, sizeof(v));
}

bool env_same_group(const struct isa_group *a, const struct isa_group *b)
{
	struct isa_hart x, y;
	unsigned int n;

	if (a->nr_harts != b->nr_harts || a->instret != b->instret ||
	    memcmp(&a->sched, &b->sched, sizeof(a->sched)))
		return false;
	for (n = 0; n < a->nr_harts; n++) {
		memset(&x, 0, sizeof(x));
		memset(&y, 0, sizeof(y));
		isa_hart_get(a, n, &x);
		isa_hart_get(b, n, &y);
		if (memcmp(&x, &y, sizeof(x)))
			return false;
	}
	return true;
}

uint64_t env_random(void)
{
	static uint64_t state = 0x9e3779b97f4a7c15ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}
