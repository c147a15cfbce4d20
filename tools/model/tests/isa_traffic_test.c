// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: bytes of memory traffic by where they are: private memory of the group, its local memory,
 * all other. Random instructions at addresses of all kinds, of whole waves, parts of them and
 * single harts, cut, and with a page that is missing at first; what is expected is worked out
 * from the addresses alone.
 */
#include <string.h>

#include "tap.h"
#include "isa_env.h"
#include "rv.h"

#define PAGE ISA_PAGE_SIZE
#define HARTS 40u
#define ROUNDS 8000u
#define REGION (64 * PAGE) /* at ENV_DATA, and at ENV_PRIVATE */

enum { LOAD, STORE, ATOMIC, RESERVE, CONDITIONAL, BOX, TRIANGLE, TYPES };

/* What the harts of a round do, at the addresses of @at if @runs */
struct round {
	unsigned int harts;
	unsigned int type;
	unsigned int log2; /* of the bytes of an access */
	uint64_t base; /* private memory */
	uint64_t size;
	uint64_t at[HARTS];
	bool runs[HARTS];
};

static uint64_t below(uint64_t n)
{
	return env_random() % n;
}

static uint32_t word_of(const struct round *r)
{
	uint32_t rd = below(2) ? A1 : A2;

	switch (r->type) {
	case LOAD:
		return rv_i(below(4) || r->log2 < 2 ? 0x03 : 0x07, r->log2, rd, A1, 0);
	case STORE:
		return rv_s(below(4) || r->log2 < 2 ? 0x23 : 0x27, r->log2, A1, A3, 0);
	case ATOMIC:
		return AMO(0, r->log2, rd, A3, A1);
	case RESERVE:
		return LR(r->log2, rd, A1);
	case CONDITIONAL:
		return SC(r->log2, rd, A3, A1);
	case BOX:
		return RAY_BOX(1, A1, 2);
	default:
		return RAY_TRI(1, A1, 2);
	}
}

static unsigned int log2_of(unsigned int type)
{
	switch (type) {
	case LOAD:
	case STORE:
		return (unsigned int)below(4);
	case BOX:
		return 5;
	case TRIANGLE:
		return 6;
	default:
		return 2 + (unsigned int)below(2);
	}
}

/* Near an edge of private memory, or anywhere in memory of a kind */
static uint64_t somewhere(const struct round *r)
{
	switch (below(6)) {
	case 0:
		return r->base - 16 + below(32);
	case 1:
		return r->base + r->size - 16 + below(32);
	case 2:
		return ISA_LOCAL_BASE + below(ENV_LOCAL - 64);
	case 3:
		return ENV_DATA + below(REGION - 64);
	default:
		return r->base + below(r->size + 1);
	}
}

static void choose_addresses(struct round *r)
{
	uint64_t first = somewhere(r), step = 0;
	bool each = false, aligned = below(4) || (r->type != LOAD && r->type != STORE);

	switch (below(4)) {
	case 0:
		break;
	case 1:
		step = 1ull << r->log2;
		break;
	case 2:
		step = 8 * below(40);
		break;
	default:
		each = true;
		break;
	}
	/* A row in local memory stays there. */
	if (first >= ISA_LOCAL_BASE)
		first = ISA_LOCAL_BASE, step = step < 64 ? step : 64;
	for (unsigned int k = 0; k < r->harts; k++) {
		r->at[k] = each ? somewhere(r) : first + k * step;
		if (aligned)
			r->at[k] &= ~0ull << r->log2;
	}
}

static void choose_harts(struct round *r)
{
	uint64_t mode = below(4), one = below(r->harts);

	for (unsigned int k = 0; k < r->harts; k++)
		r->runs[k] = mode < 2 || (mode == 2 ? below(2) : k == one);
}

static void choose(struct isa_env *env, struct round *r)
{
	r->harts = 1 + (unsigned int)below(HARTS);
	r->type = (unsigned int)below(TYPES);
	r->log2 = log2_of(r->type);
	r->base = ENV_PRIVATE + 16 + 16 * below(1000);
	r->size = below(8) ? 16 * below(100) * r->harts : 0;
	choose_addresses(r);
	choose_harts(r);
	ENV_CODE_OF(env, BNE(A0, X0, 8), word_of(r), EXIT);
	env_group(env, r->harts);
	env->g->d.private_base = r->base;
	env->g->d.private_stride = (uint32_t)(r->size / r->harts);
	for (unsigned int k = 0; k < r->harts; k++) {
		env_set_x(env, k, A0, !r->runs[k]);
		env_set_x(env, k, A1, r->at[k]);
	}
}

static unsigned int loads_of(const struct round *r)
{
	return r->type == STORE || r->type == CONDITIONAL ? 0 : 1u << r->log2;
}

static unsigned int stores_of(const struct round *r)
{
	return r->type == STORE || r->type == CONDITIONAL || r->type == ATOMIC ? 1u << r->log2 : 0;
}

static struct isa_counters expected(const struct round *r)
{
	struct isa_counters n = { 0 };

	for (unsigned int k = 0; k < r->harts; k++) {
		unsigned int bytes = loads_of(r) + stores_of(r);

		if (!r->runs[k])
			continue;
		n.load_bytes += loads_of(r);
		n.store_bytes += stores_of(r);
		if (r->at[k] >= r->base && r->at[k] < r->base + r->size)
			n.private_bytes += bytes;
		if (r->at[k] >= ISA_LOCAL_BASE)
			n.local_bytes += bytes;
	}
	return n;
}

/* To the end; a page that is missing is there after the fault. Returns the number of faults, or -1. */
static int finish(struct isa_env *env)
{
	uint64_t budget = below(2) ? 1 + below(30) : 1000000;
	int faults = 0;

	for (;;) {
		switch (env_run(env, budget)) {
		case ISA_STOP_DONE:
			return faults;
		case ISA_STOP_BUDGET:
			break;
		default:
			if (env->fault.va / PAGE >= ENV_PAGES || env->prot[env->fault.va / PAGE])
				return -1;
			env->prot[env->fault.va / PAGE] = ENV_R | ENV_W;
			faults++;
		}
	}
}

static bool same(const struct isa_counters *a, const struct isa_counters *b)
{
	return a->load_bytes == b->load_bytes && a->store_bytes == b->store_bytes &&
	       a->private_bytes == b->private_bytes && a->local_bytes == b->local_bytes;
}

static void test_random(const char *name, enum isa_host host)
{
	struct isa_env *env = env_new_for(host);
	struct isa_counters *sum = isa_engine_counters(env->e);
	struct isa_counters all = { 0 };
	int faults = 0, good = 1;

	for (unsigned int n = 0; good && n < ROUNDS; n++) {
		struct isa_counters want;
		struct round r;
		uint64_t page;
		int rc;

		choose(env, &r);
		page = (below(2) ? r.base : r.at[below(r.harts)]) / PAGE;
		if (page < ENV_PAGES && below(2)) {
			env->prot[page] = 0;
			isa_tlb_flush(env->e);
		}
		*sum = (struct isa_counters){ 0 };
		rc = finish(env);
		if (page < ENV_PAGES)
			env->prot[page] = ENV_R | ENV_W;
		want = expected(&r);
		good = rc >= 0 && same(sum, &want);
		if (!good)
			printf("# round %u: type %u, %u bytes, %d faults: private %llu of %llu, local %llu of %llu\n",
			       n, r.type, 1u << r.log2, rc, (unsigned long long)sum->private_bytes,
			       (unsigned long long)want.private_bytes,
			       (unsigned long long)sum->local_bytes,
			       (unsigned long long)want.local_bytes);
		faults += rc;
		all.private_bytes += want.private_bytes;
		all.local_bytes += want.local_bytes;
		all.load_bytes += want.load_bytes + want.store_bytes;
	}
	ok(good, "%s: bytes of %u rounds", name, ROUNDS);
	printf("# %llu bytes, %llu private, %llu local, %d faults\n",
	       (unsigned long long)all.load_bytes, (unsigned long long)all.private_bytes,
	       (unsigned long long)all.local_bytes, faults);
	ok(faults > 500 && all.private_bytes > all.load_bytes / 10 &&
		   all.local_bytes > all.load_bytes / 50,
	   "%s: of all kinds", name);
	env_free(env);
}

/* What a load replaces is its own address. */
static void test_chase(struct isa_env *env)
{
	const struct isa_counters *sum = isa_engine_counters(env->e);

	ENV_CODE_OF(env, LD(A1, 0, A1), LD(A1, 0, A1), EXIT);
	env_group(env, 16);
	*isa_engine_counters(env->e) = (struct isa_counters){ 0 };
	for (unsigned int k = 0; k < 16; k++) {
		env_write64(env, ENV_PRIVATE + 8 * k, ENV_DATA + PAGE * k);
		env_write64(env, ENV_DATA + PAGE * k, 0);
		env_set_x(env, k, A1, ENV_PRIVATE + 8 * k);
	}
	ok(env_run(env, 1000) == ISA_STOP_DONE && sum->load_bytes == 256 &&
		   sum->private_bytes == 128,
	   "a pointer in private memory to one that is not");
}

int main(void)
{
	struct isa_env *env = env_new();

	test_chase(env);
	test_random("this host", ISA_HOST_BEST);
	test_random("any host", ISA_HOST_BASE);
	env_free(env);
	return done();
}
