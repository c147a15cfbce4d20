// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling policy: who runs on a shared slice, and for how long.
 *
 * DOC: Scheduling policy
 *
 * Pure functions of numbers: no locks, no devices, no clock of their own. Time is GPU
 * time in cycles, and so is what a vslice is charged.
 *
 * *fair*: each vslice has a virtual run time, its cycles times 100 / weight; the one
 * that is furthest behind is next. One that slept does not save up its time: when it
 * wakes it is at most one quantum of its own behind the others. That much lets it run
 * before a vslice that is in the middle of its turn, once that one has had a quarter
 * of a quantum.
 *
 * *fixed*: each vslice has a budget per period of 16 quanta, in proportion to its cap,
 * and is in order of virtual run time by cap while the budget lasts. What is not used
 * is not given to others.
 *
 * *besteffort*: each in turn, longest ago first. Weights and caps do not count.
 *
 * A cap in *fair* is a budget, too. A turn can be longer than the budget, because the
 * host is late or the slice is slow to stop; the debt is carried into the next periods.
 * A surplus is carried, up to four periods' budget, only by who wants to run and could
 * not, for instance because the host was late again.
 *
 * Numbers may wrap around; only differences of virtual run times are looked at.
 */
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "policy.h"

#define POLICY_UNIT_WEIGHT	100
#define POLICY_PERIOD_QUANTA	16
#define POLICY_SHARE_ALL	10000		/* of a slice, in 1/100 percent */
#define POLICY_QUANTUM_MAX	BIT_ULL(44)
#define POLICY_CHARGE_MAX	BIT_ULL(48)
#define POLICY_DEBT_MAX		((s64)BIT_ULL(56))
#define POLICY_CARRY_PERIODS	4
#define POLICY_WAIT_MAX		BIT_ULL(8)	/* periods */

/* a - b of numbers that may have wrapped around */
static s64 policy_diff(u64 a, u64 b)
{
	return (s64)(a - b);
}

static u64 policy_period(const struct tess_policy *p)
{
	return p->quantum * POLICY_PERIOD_QUANTA;
}

/* What a vslice gets, no more and no less, in 1/100 percent */
static u32 policy_fixed_share(const struct tess_policy *p, const struct tess_policy_entity *e)
{
	const struct tess_policy_entity *other;
	u32 caps = 0, rest = 0, share;
	u64 weights = 0;

	tess_policy_for_each(other, p) {
		caps += other->cap * 100;
		if (!other->cap)
			weights += other->weight;
	}
	if (weights)
		rest = caps < POLICY_SHARE_ALL - 100 ? POLICY_SHARE_ALL - caps : 100;
	share = e->cap ? e->cap * 100 : div64_u64((u64)rest * e->weight, weights);
	if (caps + rest > POLICY_SHARE_ALL)
		share = div64_u64((u64)share * POLICY_SHARE_ALL, caps + rest);
	return max(share, 1U);
}

/* Limit of a vslice in 1/100 percent; 0: none */
static u32 policy_share(const struct tess_policy *p, const struct tess_policy_entity *e)
{
	switch (p->kind) {
	case TESS_POLICY_FAIR:
		return e->cap < 100 ? e->cap * 100 : 0;
	case TESS_POLICY_FIXED:
		return policy_fixed_share(p, e);
	default:
		return 0;
	}
}

static s64 policy_refill_size(const struct tess_policy *p, u32 share)
{
	return max(div64_u64(policy_period(p) * share, POLICY_SHARE_ALL), 1ULL);
}

static u32 policy_weight(const struct tess_policy *p, const struct tess_policy_entity *e)
{
	return p->kind == TESS_POLICY_FIXED ? policy_fixed_share(p, e) : e->weight;
}

/* A quantum of the vslice's own, in virtual run time */
static u64 policy_vquantum(const struct tess_policy *p, const struct tess_policy_entity *e)
{
	return div64_u64(p->quantum * POLICY_UNIT_WEIGHT, policy_weight(p, e));
}

/**
 * tess_policy_is_limited() - must it be stopped although nobody else wants to run?
 * @p: slice
 * @e: vslice
 *
 * Return: true if it has a budget.
 */
bool tess_policy_is_limited(const struct tess_policy *p, const struct tess_policy_entity *e)
{
	return policy_share(p, e);
}

static bool policy_is_eligible(const struct tess_policy *p, const struct tess_policy_entity *e)
{
	return e->runnable && (e->urgent || e->budget > 0 || !policy_share(p, e));
}

/* How far the one is that is furthest behind, of those that compete */
static void policy_advance(struct tess_policy *p)
{
	const struct tess_policy_entity *e, *first = NULL;

	tess_policy_for_each(e, p)
		if (policy_is_eligible(p, e) &&
		    (!first || policy_diff(e->vruntime, first->vruntime) < 0))
			first = e;
	if (first && policy_diff(first->vruntime, p->vruntime) > 0)
		p->vruntime = first->vruntime;
}

/* Who did not compete for a while gets no credit for it, but for one quantum */
static void policy_place(const struct tess_policy *p, struct tess_policy_entity *e)
{
	u64 least = p->vruntime - policy_vquantum(p, e);

	if (policy_diff(e->vruntime, least) < 0)
		e->vruntime = least;
}

/* Where shares are fixed, one's share depends on all others' */
static void policy_trim(struct tess_policy *p)
{
	struct tess_policy_entity *e;

	if (p->kind != TESS_POLICY_FIXED)
		return;
	tess_policy_for_each(e, p)
		e->budget = min(e->budget, policy_refill_size(p, policy_share(p, e)));
}

static struct tess_policy_entity **policy_find(struct tess_policy *p,
					       const struct tess_policy_entity *e)
{
	struct tess_policy_entity **at = &p->first;

	while (*at && *at != e)
		at = &(*at)->next;
	return at;
}

/**
 * tess_policy_join() - one more shares the slice
 * @p: slice
 * @e: vslice that does nothing, with @weight and @cap
 */
void tess_policy_join(struct tess_policy *p, struct tess_policy_entity *e)
{
	u32 share;

	e->next = NULL;
	*policy_find(p, NULL) = e;
	p->count++;
	e->weight = max(e->weight, 1U);
	e->cap = min(e->cap, 100U);
	share = policy_share(p, e);
	e->runnable = false;
	e->urgent = false;
	e->vruntime = p->vruntime;
	e->rest = 0;
	e->turn = p->turns;
	e->budget = share ? policy_refill_size(p, share) : 0;
	policy_trim(p);
}

/**
 * tess_policy_leave() - one shares the slice no more
 * @p: slice
 * @e: vslice
 */
void tess_policy_leave(struct tess_policy *p, struct tess_policy_entity *e)
{
	struct tess_policy_entity **at = policy_find(p, e);

	if (!*at)
		return;
	*at = e->next;
	e->next = NULL;
	p->count--;
}

/* What was saved up or owed in other units counts no more */
static void policy_restart(struct tess_policy *p, struct tess_policy_entity *e)
{
	u32 share = policy_share(p, e);

	policy_place(p, e);
	e->rest = 0;
	e->budget = share ? policy_refill_size(p, share) : 0;
}

/**
 * tess_policy_set() - divide the slice in another way from now on
 * @p: slice
 * @kind: how
 * @quantum: cycles of a turn, at least 1
 */
void tess_policy_set(struct tess_policy *p, enum tess_policy_kind kind, u64 quantum)
{
	struct tess_policy_entity *e;

	p->kind = kind;
	p->quantum = clamp(quantum, 1ULL, POLICY_QUANTUM_MAX);
	tess_policy_for_each(e, p) {
		e->vruntime = p->vruntime;
		policy_restart(p, e);
	}
}

/**
 * tess_policy_set_share() - another weight or cap from now on
 * @p: slice
 * @e: vslice
 * @weight: 0 is taken for 1
 * @cap: percent; more than 100 is taken for 100
 */
void tess_policy_set_share(struct tess_policy *p, struct tess_policy_entity *e, u32 weight, u32 cap)
{
	e->weight = max(weight, 1U);
	e->cap = min(cap, 100U);
	policy_restart(p, e);
	policy_trim(p);
}

/**
 * tess_policy_wake() - a vslice has something to do
 * @p: slice
 * @e: vslice
 */
void tess_policy_wake(struct tess_policy *p, struct tess_policy_entity *e)
{
	if (e->runnable)
		return;
	policy_place(p, e);
	e->runnable = true;
}

/**
 * tess_policy_sleep() - a vslice has nothing to do
 * @p: slice
 * @e: vslice
 */
void tess_policy_sleep(struct tess_policy *p, struct tess_policy_entity *e)
{
	e->runnable = false;
	policy_advance(p);
}

/**
 * tess_policy_start() - a turn begins
 * @p: slice
 * @e: vslice whose turn it is
 */
void tess_policy_start(struct tess_policy *p, struct tess_policy_entity *e)
{
	e->turn = ++p->turns;
}

/**
 * tess_policy_charge() - a vslice used the slice
 * @p: slice
 * @e: vslice
 * @cycles: how long
 */
void tess_policy_charge(struct tess_policy *p, struct tess_policy_entity *e, u64 cycles)
{
	cycles = min(cycles, POLICY_CHARGE_MAX);
	e->vruntime += div_u64_rem(cycles * POLICY_UNIT_WEIGHT + e->rest, policy_weight(p, e),
				   &e->rest);
	if (policy_share(p, e))
		e->budget = max(e->budget - (s64)cycles, -POLICY_DEBT_MAX);
	policy_advance(p);
}

static void policy_refill_one(struct tess_policy *p, struct tess_policy_entity *e, u64 periods)
{
	u32 share = policy_share(p, e);
	bool was_out = e->budget <= 0;
	s64 size, debt;

	if (!share)
		return;
	size = policy_refill_size(p, share);
	debt = max(-e->budget, 0LL);
	if (!e->runnable)
		e->budget = -debt;
	/* More periods than that change nothing, and might overflow */
	periods = min(periods, div64_u64(debt, size) + POLICY_CARRY_PERIODS);
	e->budget = min(e->budget + size * (s64)periods,
			e->runnable ? size * POLICY_CARRY_PERIODS : size);
	if (was_out && e->budget > 0)
		policy_place(p, e);
}

/**
 * tess_policy_refill() - time goes by
 * @p: slice
 * @now: GPU time
 */
void tess_policy_refill(struct tess_policy *p, u64 now)
{
	u64 period = policy_period(p), periods;
	struct tess_policy_entity *e;

	if (now < p->period_end && p->period_end - now <= period)
		return;
	/* Also if the clock was set back, or the quantum made shorter */
	periods = now < p->period_end ? 1 : div64_u64(now - p->period_end, period) + 1;
	tess_policy_for_each(e, p)
		policy_refill_one(p, e, periods);
	p->period_end = now < p->period_end ? now + period : p->period_end + periods * period;
	policy_advance(p);
}

static bool policy_is_before(const struct tess_policy *p, const struct tess_policy_entity *a,
			     const struct tess_policy_entity *b)
{
	s64 diff = policy_diff(a->vruntime, b->vruntime);

	if (p->kind == TESS_POLICY_BESTEFFORT || !diff)
		return a->turn < b->turn;
	return diff < 0;
}

static struct tess_policy_entity *policy_first(const struct tess_policy *p,
					       const struct tess_policy_entity *but)
{
	struct tess_policy_entity *e, *first = NULL;

	tess_policy_for_each(e, p)
		if (e != but && policy_is_eligible(p, e) &&
		    (!first || policy_is_before(p, e, first)))
			first = e;
	return first;
}

/**
 * tess_policy_pick() - who is next?
 * @p: slice
 *
 * Return: vslice; NULL if nobody can run now.
 */
struct tess_policy_entity *tess_policy_pick(const struct tess_policy *p)
{
	return policy_first(p, NULL);
}

/* How long a turn is that others want to see ended; one that slept waits less */
static u64 policy_turn(const struct tess_policy *p, const struct tess_policy_entity *cur,
		       const struct tess_policy_entity *next)
{
	u64 vquantum = policy_vquantum(p, next);

	if (p->kind == TESS_POLICY_BESTEFFORT ||
	    policy_diff(cur->vruntime, next->vruntime) < (s64)vquantum)
		return p->quantum;
	return p->quantum / 4;
}

/**
 * tess_policy_preempt() - is the turn over before the work is?
 * @p: slice
 * @cur: vslice whose turn it is, charged up to now
 * @ran: cycles since the turn began
 *
 * Return: true if somebody else is next, or nobody.
 */
bool tess_policy_preempt(const struct tess_policy *p, const struct tess_policy_entity *cur,
			 u64 ran)
{
	const struct tess_policy_entity *next = policy_first(p, cur);

	if (!policy_is_eligible(p, cur))
		return true;
	if (!next || ran < policy_turn(p, cur, next))
		return false;
	return policy_is_before(p, next, cur);
}

/* GPU time until a vslice without budget has one */
static u64 policy_until_budget(const struct tess_policy *p, const struct tess_policy_entity *e,
			       u64 now)
{
	s64 size = policy_refill_size(p, policy_share(p, e));
	u64 periods = div64_u64(-e->budget, size), left;

	left = p->period_end > now ? p->period_end - now : 1;
	return left + min(periods, POLICY_WAIT_MAX) * policy_period(p);
}

static u64 policy_sooner(u64 timer, u64 other)
{
	other = max(other, 1ULL);
	return timer ? min(timer, other) : other;
}

/**
 * tess_policy_timer() - when must be looked again?
 * @p: slice
 * @cur: vslice whose turn it is, or NULL
 * @ran: cycles since the turn began
 * @now: GPU time
 *
 * Return: cycles from now; 0: not before something happens.
 */
u64 tess_policy_timer(const struct tess_policy *p, const struct tess_policy_entity *cur, u64 ran,
		      u64 now)
{
	const struct tess_policy_entity *next = cur ? policy_first(p, cur) : NULL;
	const struct tess_policy_entity *e;
	u64 timer = 0, turn;

	if (next) {
		turn = policy_turn(p, cur, next);
		timer = turn > ran ? turn - ran : 1;
	}
	if (cur && cur->budget > 0 && policy_share(p, cur))
		timer = policy_sooner(timer, cur->budget);
	tess_policy_for_each(e, p)
		if (e->runnable && !policy_is_eligible(p, e))
			timer = policy_sooner(timer, policy_until_budget(p, e, now));
	return timer;
}
