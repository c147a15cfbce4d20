/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_POLICY_H_
#define _TESSERA_CORE_POLICY_H_

#include <linux/types.h>

#define TESS_POLICY_KINDS	3

/**
 * enum tess_policy_kind - how a slice is divided
 * @TESS_POLICY_FAIR: by weight among those that have work, up to their caps
 * @TESS_POLICY_FIXED: each has its cap, whether others use theirs or not; those without
 *	one divide what is left by weight
 * @TESS_POLICY_BESTEFFORT: in turn among those that have work
 */
enum tess_policy_kind {
	TESS_POLICY_FAIR,
	TESS_POLICY_FIXED,
	TESS_POLICY_BESTEFFORT,
};

/**
 * struct tess_policy_entity - one of those that share a slice
 * @weight: at least 1
 * @cap: percent, at most 100; 0: none
 * @runnable: it has something to do
 * @urgent: it only needs to be there for a moment, also without a budget
 * @vruntime: cycles that it was charged, as if its weight were 100
 * @rest: what was lost in rounding it
 * @budget: cycles that are left in this period; negative: a debt
 * @turn: number of its last turn
 * @next: the one that came after it, or NULL
 */
struct tess_policy_entity {
	u32 weight;
	u32 cap;
	bool runnable;
	bool urgent;
	u64 vruntime;
	u32 rest;
	s64 budget;
	u64 turn;
	struct tess_policy_entity *next;
};

/**
 * struct tess_policy - what is known about a slice that is shared
 * @kind: how it is divided
 * @quantum: cycles of a turn, if others wait
 * @period_end: GPU time when budgets are filled up
 * @vruntime: none that can run is behind this; never goes back
 * @turns: number of turns so far
 * @count: how many share it
 * @first: those that share it, in the order in which they came
 *
 * All zeroes, it has nobody, and waits for tess_policy_set().
 */
struct tess_policy {
	enum tess_policy_kind kind;
	u64 quantum;
	u64 period_end;
	u64 vruntime;
	u64 turns;
	unsigned int count;
	struct tess_policy_entity *first;
};

#define tess_policy_for_each(e, p) \
	for ((e) = (p)->first; (e); (e) = (e)->next)

void tess_policy_join(struct tess_policy *p, struct tess_policy_entity *e);
void tess_policy_leave(struct tess_policy *p, struct tess_policy_entity *e);
void tess_policy_set(struct tess_policy *p, enum tess_policy_kind kind, u64 quantum);
void tess_policy_set_share(struct tess_policy *p, struct tess_policy_entity *e, u32 weight,
			   u32 cap);

void tess_policy_wake(struct tess_policy *p, struct tess_policy_entity *e);
void tess_policy_sleep(struct tess_policy *p, struct tess_policy_entity *e);
void tess_policy_start(struct tess_policy *p, struct tess_policy_entity *e);
void tess_policy_charge(struct tess_policy *p, struct tess_policy_entity *e, u64 cycles);
void tess_policy_refill(struct tess_policy *p, u64 now);

bool tess_policy_is_limited(const struct tess_policy *p, const struct tess_policy_entity *e);
struct tess_policy_entity *tess_policy_pick(const struct tess_policy *p);
bool tess_policy_preempt(const struct tess_policy *p, const struct tess_policy_entity *cur,
			 u64 ran);
u64 tess_policy_timer(const struct tess_policy *p, const struct tess_policy_entity *cur, u64 ran,
		      u64 now);

#endif
