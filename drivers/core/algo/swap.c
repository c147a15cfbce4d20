// SPDX-License-Identifier: GPL-2.0-only
/*
 * Swapping: which vslice should be on which slice?
 *
 * DOC: Swapping
 *
 * A pure function of a snapshot of the pool: no locks, no devices, and nothing remembered
 * but what the caller keeps in &struct tess_swap_memory and in tess_swap_slice.looks.
 * swapper.c takes the snapshot and makes the moves.
 *
 * The demand of a vslice is the share of its slice that it would use if it were alone
 * there. The load of a slice is the sum of the demands on it; what exceeds the whole slice
 * is unmet. A slice with unmet demand is crowded. One move at a time is chosen:
 *
 * 1. The one that lowers the unmet demand of the pool most, by SWAP_GAIN_MIN at least.
 * 2. If there is none, and SWAP_EVEN_MIN of a slice's load is unmet: the one after which
 *    the more loaded of the two slices is less loaded by SWAP_EVEN_MIN, and the unmet
 *    demand has not grown. It does not let the pool do more, but those on the more crowded
 *    slice get more of it.
 *
 * So with constant demands each move lowers the unmet demand, or leaves it and lowers the
 * sorted list of loads; no state comes twice and moving comes to an end. Real demands
 * change and are measured with noise, hence the rest of the hysteresis: a slice must be
 * crowded for TESS_SWAP_PATIENCE looks; a vslice that was moved stays for TESS_SWAP_HOLD
 * periods, and for twice as many after each further move; it does not return to a slice
 * that it left for TESS_SWAP_AVOID periods, in which it can be moved TESS_SWAP_MOVES times.
 *
 * Whoever has not enough to do to fill a slice with others gains nothing from one of its
 * own and is left alone, so that free slices stay free.
 *
 * Vslices of one vGPU never meet on a slice: their client expects them to run at the same
 * time. On a slice with fewer cores a vslice is taken to want more of it; on one with more
 * cores it is not taken to want less, as not all work is done by cores.
 */
#include <linux/minmax.h>
#include <tessera/hw/tess_regs.h>

#include "swap.h"

#define WHOLE			1000u
/* Least gains; a move to another GPU copies memory and has to be worth more */
#define SWAP_GAIN_MIN		100u
#define SWAP_GAIN_FAR		300u
#define SWAP_EVEN_MIN		250u
/* Gains that differ by less are equal */
#define SWAP_GAIN_STEP		50u

/**
 * struct candidate - a move that could be made
 * @found: there is one
 * @decision: the move
 * @grade: its gain without what is noise
 * @peak: load of the more loaded one of the two slices afterwards
 */
struct candidate {
	bool found;
	struct tess_swap_decision decision;
	u32 grade;
	u32 peak;
};

static u32 unmet(u32 load)
{
	return load > WHOLE ? load - WHOLE : 0;
}

/* What a vslice will want of another slice */
static u32 demand_on(const struct tess_swap_pool *pool, const struct tess_swap_member *m,
		     const struct tess_swap_slice *to)
{
	const struct tess_swap_slice *from = &pool->slices[m->slice];

	if (!to->cores || to->cores >= from->cores)
		return m->demand;
	return clamp(m->demand * from->cores / to->cores, m->demand, max(m->demand, WHOLE));
}

static bool owner_is_on(const struct tess_swap_pool *pool, unsigned int owner, unsigned int slice)
{
	unsigned int i;

	for (i = 0; i < pool->nr_members; i++)
		if (pool->members[i].owner == owner && pool->members[i].slice == slice)
			return true;
	return false;
}

/* Whatever the loads are: can the vslice be there? */
static bool can_go(const struct tess_swap_pool *pool, const struct tess_swap_member *m,
		   unsigned int to)
{
	const struct tess_swap_slice *t = &pool->slices[to], *s = &pool->slices[m->slice];
	unsigned int i;

	if (to == m->slice || t->use == TESS_SWAP_OTHER || !t->room)
		return false;
	if (t->gpu != s->gpu && !m->roams)
		return false;
	if (m->kind != TESS_KIND_NONE && t->kind != m->kind)
		return false;
	/* What its slice has not it cannot miss elsewhere */
	if (m->engines & s->engines & ~t->engines)
		return false;
	for (i = 0; i < TESS_SWAP_MOVES; i++)
		if (m->avoid[i] == (int)to)
			return false;
	/* A vGPU is of one GPU */
	return t->gpu != s->gpu || !owner_is_on(pool, m->owner, to);
}

static bool is_better(const struct tess_swap_pool *pool, const struct candidate *a,
		      const struct candidate *b)
{
	const struct tess_swap_slice *sa, *sb;

	if (!b->found)
		return true;
	if (a->decision.reason != b->decision.reason)
		return a->decision.reason == TESS_SWAP_CROWDED;
	if (a->grade != b->grade)
		return a->grade > b->grade;
	sa = &pool->slices[a->decision.to];
	sb = &pool->slices[b->decision.to];
	if (sa->use != sb->use)
		return sa->use < sb->use;
	return a->peak < b->peak;
}

/* Does the move pay? What it gains is told in any case. */
static bool rate(const struct tess_swap_pool *pool, struct candidate *c)
{
	const struct tess_swap_member *m = &pool->members[c->decision.member];
	const struct tess_swap_slice *s = &pool->slices[m->slice];
	const struct tess_swap_slice *t = &pool->slices[c->decision.to];
	u32 left = s->load - m->demand, load = t->load + demand_on(pool, m, t);
	u32 before = unmet(s->load) + unmet(t->load), after = unmet(left) + unmet(load);
	bool far = s->gpu != t->gpu;

	c->found = true;
	c->peak = max(left, load);
	c->decision.reason = TESS_SWAP_CROWDED;
	c->decision.gain = before > after ? before - after : 0;
	if (c->decision.gain < (far ? SWAP_GAIN_FAR : SWAP_GAIN_MIN)) {
		c->decision.reason = TESS_SWAP_REBALANCE;
		if (far || after > before || unmet(s->load) < SWAP_EVEN_MIN ||
		    c->peak + SWAP_EVEN_MIN > s->load)
			return false;
		c->decision.gain = s->load - c->peak;
	}
	c->grade = c->decision.gain / SWAP_GAIN_STEP;
	return true;
}

/**
 * struct survey - what was found on the way
 * @best: best move
 * @member: one that would like to move, -1 none
 * @reason: why it does not
 */
struct survey {
	struct candidate best;
	int member;
	enum tess_swap_reason reason;
};

/* Of several reasons for no move, the one that is nearest to a move is told */
static void survey_note(struct survey *survey, unsigned int member, enum tess_swap_reason reason)
{
	static const u8 rank[] = {
		[TESS_SWAP_BALANCED] = 0,
		[TESS_SWAP_NOWHERE] = 1,
		[TESS_SWAP_GAIN] = 2,
		[TESS_SWAP_HELD] = 3,
	};

	if (survey->member >= 0 && rank[reason] <= rank[survey->reason])
		return;
	survey->member = member;
	survey->reason = reason;
}

static void survey_member(const struct tess_swap_pool *pool, unsigned int member,
			  struct survey *survey)
{
	const struct tess_swap_member *m = &pool->members[member];
	bool held = m->held || pool->slices[m->slice].looks < TESS_SWAP_PATIENCE;
	struct candidate c = { .decision.member = member };
	unsigned int to;

	for (to = 0; to < pool->nr_slices; to++) {
		if (!can_go(pool, m, to))
			continue;
		c.decision.to = to;
		if (!rate(pool, &c))
			survey_note(survey, member, TESS_SWAP_GAIN);
		else if (held)
			survey_note(survey, member, TESS_SWAP_HELD);
		else if (is_better(pool, &c, &survey->best))
			survey->best = c;
	}
	survey_note(survey, member, TESS_SWAP_NOWHERE);
}

/**
 * tess_swap_look() - begin a look at the pool
 * @pool: snapshot; the loads are filled in and the looks counted
 */
void tess_swap_look(struct tess_swap_pool *pool)
{
	unsigned int i;

	for (i = 0; i < pool->nr_slices; i++)
		pool->slices[i].load = 0;
	for (i = 0; i < pool->nr_members; i++)
		pool->slices[pool->members[i].slice].load += pool->members[i].demand;
	for (i = 0; i < pool->nr_slices; i++) {
		struct tess_swap_slice *slice = &pool->slices[i];

		if (unmet(slice->load))
			slice->looks = min(slice->looks + 1, TESS_SWAP_PATIENCE);
		else
			slice->looks = 0;
	}
}

/**
 * tess_swap_decide() - choose the next move
 * @pool: snapshot after tess_swap_look(), or after a move of this period was put in it
 * @decision: result, also if there is no move
 *
 * Return: true if a vslice is to be moved.
 */
bool tess_swap_decide(const struct tess_swap_pool *pool, struct tess_swap_decision *decision)
{
	struct survey survey = { .member = -1, .reason = TESS_SWAP_BALANCED };
	unsigned int i;

	for (i = 0; i < pool->nr_members; i++) {
		const struct tess_swap_member *m = &pool->members[i];

		if (m->automatic && m->demand && unmet(pool->slices[m->slice].load))
			survey_member(pool, i, &survey);
	}
	if (survey.best.found) {
		*decision = survey.best.decision;
		return true;
	}
	decision->reason = survey.reason;
	decision->member = survey.member;
	decision->to = -1;
	decision->gain = 0;
	return false;
}

/**
 * tess_swap_apply() - put a move that was made into the snapshot
 * @pool: snapshot
 * @decision: move
 */
void tess_swap_apply(struct tess_swap_pool *pool, const struct tess_swap_decision *decision)
{
	struct tess_swap_member *m = &pool->members[decision->member];
	struct tess_swap_slice *s = &pool->slices[m->slice];
	struct tess_swap_slice *t = &pool->slices[decision->to];

	s->load -= m->demand;
	s->room++;
	m->demand = demand_on(pool, m, t);
	m->held = true;
	m->slice = decision->to;
	t->load += m->demand;
	t->room--;
	t->use = TESS_SWAP_SHARED;
}

/**
 * tess_swap_remember() - a vslice was moved
 * @memory: its memory
 * @period: number of the period, from 1; never less than before
 * @from: slice that it left, an index in the pool
 */
void tess_swap_remember(struct tess_swap_memory *memory, u64 period, unsigned int from)
{
	unsigned int i;

	for (i = TESS_SWAP_MOVES - 1; i > 0; i--) {
		memory->moved[i] = memory->moved[i - 1];
		memory->from[i] = memory->from[i - 1];
	}
	memory->moved[0] = period;
	memory->from[0] = from;
}

/**
 * tess_swap_recall() - what follows from former moves
 * @memory: its memory
 * @period: number of the period
 * @member: the vslice in a snapshot; @member->held and @member->avoid are filled in
 */
void tess_swap_recall(const struct tess_swap_memory *memory, u64 period,
		      struct tess_swap_member *member)
{
	unsigned int i, hold = 0;

	for (i = 0; i < TESS_SWAP_MOVES; i++) {
		member->avoid[i] = -1;
		if (!memory->moved[i] || period - memory->moved[i] >= TESS_SWAP_AVOID)
			continue;
		member->avoid[i] = memory->from[i];
		hold = hold ? 2 * hold : TESS_SWAP_HOLD;
	}
	member->held = hold && period - memory->moved[0] < hold;
}
