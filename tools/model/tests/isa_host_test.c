// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: one engine, several hosts
 *
 * The engine is compiled for each kind of host that isa.mk names. Random programs leave the
 * same registers, order of execution, memory, counters and faults, whatever executes them.
 */
#include <string.h>

#include "tap.h"
#include "isa_random.h"

struct pair {
	struct isa_env *best;
	struct isa_env *base;
};

/* The second one begins as the first one is. */
static void twin(struct pair *p)
{
	struct isa_env *a = p->best, *b = p->base;

	memcpy(b->mem, a->mem, ENV_SIZE);
	memcpy(b->local, a->local, sizeof(a->local));
	memcpy(b->prot, a->prot, sizeof(a->prot));
	memcpy(b->nocache, a->nocache, sizeof(a->nocache));
	memcpy(b->g, a->g, isa_group_size(a->g->nr_harts));
	b->g->local = b->local;
	isa_tlb_flush(b->e);
}

static bool same(const struct pair *p)
{
	const struct isa_env *a = p->best, *b = p->base;

	return env_same_group(a->g, b->g) && a->retired == b->retired &&
	       !memcmp(a->mem, b->mem, ENV_SIZE) && !memcmp(a->local, b->local, ENV_LOCAL) &&
	       !memcmp(isa_engine_counters(a->e), isa_engine_counters(b->e),
		       sizeof(struct isa_counters));
}

static bool same_fault(const struct isa_fault *a, const struct isa_fault *b)
{
	return a->pc == b->pc && a->va == b->va && a->cause == b->cause && a->hart == b->hart &&
	       a->insn == b->insn;
}

/* After a fault the hart goes on behind it, in both. */
static void step_over(struct isa_env *env)
{
	struct isa_hart h;

	isa_hart_get(env->g, env->fault.hart, &h);
	h.pc += 4;
	isa_hart_set(env->g, env->fault.hart, &h);
}

static bool run_both(struct pair *p)
{
	for (unsigned int k = 0; k < 40; k++) {
		uint64_t budget = pick(3000);
		enum isa_stop stop = env_run(p->best, budget);

		if (env_run(p->base, budget) != stop || !same(p))
			return false;
		if (stop == ISA_STOP_DONE)
			return true;
		if (stop == ISA_STOP_BUDGET)
			continue;
		if (!same_fault(&p->best->fault, &p->base->fault))
			return false;
		step_over(p->best);
		step_over(p->base);
	}
	return true;
}

static bool feed(struct pair *p, enum diet diet, unsigned int rounds)
{
	for (unsigned int n = 0; n < rounds; n++) {
		random_program(p->best, diet);
		twin(p);
		if (!run_both(p)) {
			printf("# program %u: %llu and %llu instructions\n", n,
			       (unsigned long long)p->best->g->instret,
			       (unsigned long long)p->base->g->instret);
			return false;
		}
	}
	return true;
}

int main(void)
{
	struct pair p = { env_new(), env_new_for(ISA_HOST_BASE) };
	const struct isa_counters *n;

	for (unsigned int k = 0; k < 4; k++) {
		ok(feed(&p, ANY_WORDS, 250), "random words, part %u", k);
		ok(feed(&p, VALID_WORDS, 1000), "random instructions, part %u", k);
		ok(feed(&p, SELF_MODIFYING, 500), "code that writes itself, part %u", k);
	}
	n = isa_engine_counters(p.best->e);
	ok(n->texels && n->pixels && n->rays, "units had work");
	printf("# %llu instructions, %llu texels, %llu pixels, %llu rays\n",
	       (unsigned long long)n->instructions, (unsigned long long)n->texels,
	       (unsigned long long)n->pixels, (unsigned long long)n->rays);
	env_free(p.best);
	env_free(p.base);
	return done();
}
