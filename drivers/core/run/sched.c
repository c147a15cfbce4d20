// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduler: who is on a shared slice.
 *
 * DOC: Scheduler
 *
 * Each shared slice has a work item, which looks at those that share it and decides who
 * is resident from now on; policy.c has the rules, switch.c the way. It is queued when
 * something may have changed: the slice reports that a turn is over or that nothing is
 * left to do, a client stores to a doorbell that it does not have at the moment, or
 * wants to write a register, or somebody changes a setting.
 *
 * It is lazy. A vslice that has nothing to do stays resident until another wants the
 * slice, and neither the timer nor the notification of idleness is armed unless another
 * wants it: one vGPU alone on a shared slice runs as on a slice of its own. One with a
 * budget (a cap, or a fixed share) is the exception: it is parked when it is idle,
 * because its next store to the doorbell would otherwise go unnoticed.
 *
 * A parked vslice wants to run if its context says that packets are left, if its
 * doorbell was stored to (the number is known only to its owner, resumed() asks), or if
 * somebody waits to write one of its registers. While the host brings memory that it
 * stopped for, only the last of these counts, and when it is resident it is idle: what it
 * has to do takes no slice.
 *
 * While the GPU is asleep (shape/sleep.c) it decides nothing.
 *
 * Time is GPU time. What a vslice is charged is the cycles that it was busy, or, if others
 * waited, all cycles for which it was resident: a client that waits for something of its
 * own, or comes for a moment again and again, keeps the slice from others as well as one
 * that works.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <tessera/compat.h>

#include "base/context.h"
#include "base/gpu.h"
#include "sched.h"
#include "slice/access.h"
#include "slice/look.h"
#include "slice/note.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "switch.h"
#include "turn.h"

u64 tess_sched_cycles(const struct tess_gpu *gpu, u32 us)
{
	return max(div_u64((u64)us * gpu->info.clock_khz, 1000), 1ULL);
}

/* ---- accounting ---- */

/**
 * tess_sched_charge() - charge a vslice up to now
 * @slice: slice, its hw mutex held
 * @vs: vslice that is or was resident until @now
 * @now: GPU time
 * @busy: its BUSY counter
 * @idle: it has nothing to do
 */
void tess_sched_charge(struct tess_slice *slice, struct tess_vslice *vs, u64 now, u64 busy,
		       bool idle)
{
	struct tess_sched_entity *se = &vs->sched;
	struct tess_runq *rq = &slice->rq;
	u64 delta = busy > se->busy ? busy - se->busy : 0;
	u64 elapsed = now > rq->charged_at ? now - rq->charged_at : 0;

	lockdep_assert_held(&slice->hw);
	se->busy = busy;
	se->run_cycles += delta;
	rq->charged_at = now;
	if (!tess_slice_takes_turns(slice))
		return;
	/* Also if nobody looked while it worked: the others' order depends on it */
	if (delta || !idle)
		tess_policy_wake(&rq->policy, &se->policy);
	/* Not the larger one: they are read one after the other, and that would add up */
	tess_policy_charge(&rq->policy, &se->policy, rq->contested ? elapsed : delta);
}

static u64 sched_get(struct tess_slice *slice, enum tess_client_value what)
{
	struct tess_gpu *gpu = slice->gpu;
	u64 val;

	return tess_gpu_ops(gpu)->client_get(gpu->be, slice->index, what, &val) ? 0 : val;
}

static bool sched_is_idle(struct tess_slice *slice)
{
	return tess_slice_resident(slice)->host_fault || !sched_get(slice, TESS_CLIENT_HAS_WORK);
}

static bool sched_charge_resident(struct tess_slice *slice, struct tess_vslice *cur)
{
	bool idle = sched_is_idle(slice);

	tess_sched_charge(slice, cur, slice->rq.now,
			  sched_get(slice, TESS_CLIENT_BUSY), idle);
	if (idle && tess_slice_takes_turns(slice))
		tess_policy_sleep(&slice->rq.policy, &cur->sched.policy);
	return idle;
}

static void sched_ask_time(struct tess_slice *slice)
{
	struct tess_gpu *gpu = slice->gpu;

	slice->rq.now = tess_gpu_ops(gpu)->time(gpu->be);
}

/**
 * tess_sched_settle() - charge the resident vslice up to now
 * @slice: slice, its hw mutex held, inside tess_gpu_enter()
 *
 * Before its counters are reset, or something changes what it is charged.
 */
void tess_sched_settle(struct tess_slice *slice)
{
	struct tess_vslice *cur = tess_slice_resident(slice);

	if (!cur)
		return;
	sched_ask_time(slice);
	sched_charge_resident(slice, cur);
}

/**
 * tess_sched_restarted() - a vslice was reset by its client
 * @slice: home, its hw mutex held
 * @vs: vslice; its counters are zero, and it has no packets
 */
void tess_sched_restarted(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_sched_entity *se = &vs->sched;

	lockdep_assert_held(&slice->hw);
	se->busy = 0;
	se->has_work = false;
	se->kicked = false;
	if (tess_vslice_is_resident(vs))
		return;
	WRITE_ONCE(se->woken, false);
	se->wait_since = 0;
	if (tess_slice_takes_turns(slice) && !tess_sched_wants(vs))
		tess_policy_sleep(&slice->rq.policy, &se->policy);
}

/* ---- decisions ---- */

/**
 * tess_sched_wants() - does a parked vslice want to run?
 * @vs: vslice; the hw mutex of its home is held
 *
 * Return: true if it does.
 */
bool tess_sched_wants(const struct tess_vslice *vs)
{
	const struct tess_sched_entity *se = &vs->sched;

	if (READ_ONCE(vs->vgpu->dying) || READ_ONCE(vs->vgpu->frozen) ||
	    tess_vslice_is_denied(vs))
		return false;
	return tess_turn_is_wanted(vs) ||
	       (!vs->host_fault && (se->has_work || se->kicked || READ_ONCE(se->woken)));
}

static bool sched_anybody_waits(const struct tess_slice *slice, const struct tess_vslice *cur)
{
	struct tess_policy_entity *e;

	tess_policy_for_each(e, &slice->rq.policy) {
		const struct tess_vslice *vs = to_tess_vslice(e);

		if (vs != cur && tess_sched_wants(vs))
			return true;
	}
	return false;
}

static void sched_update(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_sched_entity *se = &vs->sched;

	se->policy.urgent = tess_turn_is_wanted(vs);
	if (!tess_sched_wants(vs)) {
		tess_policy_sleep(&slice->rq.policy, &se->policy);
		se->wait_since = 0;
		return;
	}
	if (!se->policy.runnable)
		se->wakeups++;
	if (!se->wait_since)
		se->wait_since = slice->rq.now;
	tess_policy_wake(&slice->rq.policy, &se->policy);
	tess_swapper_note(vs->vgpu);
}

static void sched_update_parked(struct tess_slice *slice, const struct tess_vslice *cur)
{
	struct tess_policy_entity *e;

	tess_policy_for_each(e, &slice->rq.policy) {
		struct tess_vslice *vs = to_tess_vslice(e);

		if (vs != cur)
			sched_update(slice, vs);
	}
}

/* The one that is resident, or nobody, stays */
static void sched_stay(struct tess_slice *slice, struct tess_vslice *cur, bool idle, bool waits)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_runq *rq = &slice->rq;
	u64 ran = rq->now > rq->turn_start ? rq->now - rq->turn_start : 0, timer;
	bool notify = cur && !idle && waits;

	if (cur && ran >= rq->policy.quantum) {
		tess_policy_start(&rq->policy, &cur->sched.policy);
		rq->turn_start = rq->now;
		ran = 0;
	}
	timer = tess_policy_timer(&rq->policy, cur && !idle ? &cur->sched.policy : NULL, ran,
				  rq->now);
	rq->contested = waits;
	if (timer || notify || rq->armed)
		tess_gpu_switch_ops(gpu)->notify(gpu->be, slice->index, timer, notify);
	rq->armed = timer || notify;
}

static void sched_to(struct tess_slice *slice, struct tess_vslice *next,
		     enum tess_out_reason reason)
{
	bool urgent = next && next->sched.policy.urgent;
	int rc;

	rc = tess_switch(slice, next, reason);
	/*
	 * One that came in for a moment leaves again, a failure leaves others waiting, and
	 * one that was sent away because it was idle may have got work until it was saved
	 */
	if (urgent || (rc && rc != -ENODEV) ||
	    (!rc && !next && tess_policy_pick(&slice->rq.policy)))
		tess_slice_look(slice);
}

static void sched_decide(struct tess_slice *slice, struct tess_vslice *cur, bool idle, bool waits)
{
	struct tess_runq *rq = &slice->rq;
	struct tess_policy *p = &rq->policy;
	struct tess_policy_entity *next = tess_policy_pick(p);
	enum tess_out_reason idle_reason = cur && cur->host_fault ? TESS_OUT_FAULT : TESS_OUT_IDLE;
	bool limited = cur && tess_policy_is_limited(p, &cur->sched.policy);
	u64 ran = rq->now > rq->turn_start ? rq->now - rq->turn_start : 0;

	if (cur && !idle) {
		if (!tess_policy_preempt(p, &cur->sched.policy, ran)) {
			sched_stay(slice, cur, idle, waits);
		} else if (next && next != &cur->sched.policy) {
			rq->preemptions++;
			sched_to(slice, to_tess_vslice(next), TESS_OUT_QUANTUM);
		} else {
			sched_to(slice, NULL, TESS_OUT_CAP);
		}
	} else if (next) {
		sched_to(slice, to_tess_vslice(next), idle_reason);
	} else if (limited) {
		sched_to(slice, NULL, idle_reason);
	} else {
		sched_stay(slice, cur, idle, waits);
	}
}

static void sched_look(struct tess_slice *slice)
{
	struct tess_vslice *cur = tess_slice_resident(slice);
	struct tess_runq *rq = &slice->rq;
	bool waits, idle = true;

	if (!tess_slice_takes_turns(slice) || READ_ONCE(slice->gpu->asleep))
		return;
	if (cur)
		tess_turn_run(slice, cur);
	waits = sched_anybody_waits(slice, cur);
	if (!waits && !rq->contested &&
	    !(cur && tess_policy_is_limited(&rq->policy, &cur->sched.policy)))
		return;
	sched_ask_time(slice);
	tess_policy_refill(&rq->policy, rq->now);
	if (cur) {
		cur->sched.policy.urgent = false;
		idle = sched_charge_resident(slice, cur);
	}
	sched_update_parked(slice, cur);
	sched_decide(slice, cur, idle, waits);
}

static void sched_work(struct work_struct *work)
{
	struct tess_slice *slice = container_of(work, struct tess_slice, rq.work);
	int idx;

	if (!tess_gpu_enter(slice->gpu, &idx))
		return;
	mutex_lock(&slice->hw);
	sched_look(slice);
	mutex_unlock(&slice->hw);
	tess_gpu_exit(slice->gpu, idx);
}

/* ---- settings ---- */

/* Applies the policy that was set, from now on */
static int sched_apply(struct tess_slice *slice, enum tess_policy_kind kind)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_runq *rq = &slice->rq;
	int idx;

	lockdep_assert_held(&slice->hw);
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	tess_sched_settle(slice);
	tess_policy_set(&rq->policy, kind, tess_sched_cycles(gpu, rq->quantum_us));
	tess_gpu_exit(gpu, idx);
	tess_slice_look(slice);
	return 0;
}

/**
 * tess_sched_set_policy() - divide a slice in another way
 * @slice: slice
 * @kind: how
 *
 * Return: 0, -ENODEV.
 */
int tess_sched_set_policy(struct tess_slice *slice, enum tess_policy_kind kind)
{
	int rc;

	mutex_lock(&slice->hw);
	rc = sched_apply(slice, kind);
	mutex_unlock(&slice->hw);
	return rc;
}

/**
 * tess_sched_set_quantum() - set the length of a turn
 * @slice: slice
 * @us: GPU time
 *
 * Return: 0, -EINVAL out of range, -ENODEV.
 */
int tess_sched_set_quantum(struct tess_slice *slice, u32 us)
{
	int rc;

	if (us < TESS_QUANTUM_US_MIN || us > TESS_QUANTUM_US_MAX)
		return -EINVAL;
	mutex_lock(&slice->hw);
	WRITE_ONCE(slice->rq.quantum_us, us);
	rc = sched_apply(slice, slice->rq.policy.kind);
	mutex_unlock(&slice->hw);
	return rc;
}

/**
 * tess_sched_set_timeout() - set how long a client may take to stop
 * @slice: slice
 * @us: GPU time
 *
 * Return: 0, -EINVAL out of range.
 */
int tess_sched_set_timeout(struct tess_slice *slice, u32 us)
{
	if (us < TESS_TIMEOUT_US_MIN || us > TESS_TIMEOUT_US_MAX)
		return -EINVAL;
	mutex_lock(&slice->hw);
	WRITE_ONCE(slice->rq.timeout_us, us);
	mutex_unlock(&slice->hw);
	return 0;
}

static int vslice_set_share(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_slice *slice;
	u32 weight, cap;
	int idx;

	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	tess_sched_settle(slice);
	spin_lock(&vgpu->gpu->lock);
	weight = vgpu->blueprint.weight;
	cap = vgpu->blueprint.cap;
	spin_unlock(&vgpu->gpu->lock);
	tess_policy_set_share(&slice->rq.policy, &vgpu->vslices[vslice].sched.policy, weight, cap);
	tess_vslice_end(slice, idx);
	tess_slice_look(slice);
	return 0;
}

/**
 * tess_sched_share_changed() - the weight or the cap of a vGPU is another
 * @vgpu: vGPU that shares
 *
 * Return: 0, -ENXIO, -ENODEV.
 */
int tess_sched_share_changed(struct tess_vgpu *vgpu)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < vgpu->nr_vslices; i++)
		rc = vslice_set_share(vgpu, i);
	return rc;
}

static int vgpu_set_share(struct tess_vgpu *vgpu, u32 *where, u32 val)
{
	spin_lock(&vgpu->gpu->lock);
	*where = val;
	spin_unlock(&vgpu->gpu->lock);
	return tess_sched_share_changed(vgpu);
}

int tess_vgpu_set_weight(struct tess_vgpu *vgpu, u32 weight)
{
	if (!weight || weight > TESS_WEIGHT_MAX) {
		dev_info_ratelimited(&vgpu->gpu->dev, "\"%s\": weight %u: 1 to %u are allowed\n",
				     vgpu->name, weight, TESS_WEIGHT_MAX);
		return -EINVAL;
	}
	if (!vgpu->blueprint.shared)
		return -EOPNOTSUPP;
	return vgpu_set_share(vgpu, &vgpu->blueprint.weight, weight);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_set_weight, TESS_NS);

int tess_vgpu_set_cap(struct tess_vgpu *vgpu, u32 cap)
{
	if (cap > TESS_CAP_MAX) {
		dev_info_ratelimited(&vgpu->gpu->dev,
				     "\"%s\": cap %u: 1 to %u percent, or 0 for none, are allowed\n",
				     vgpu->name, cap, TESS_CAP_MAX);
		return -EINVAL;
	}
	if (!vgpu->blueprint.shared)
		return -EOPNOTSUPP;
	return vgpu_set_share(vgpu, &vgpu->blueprint.cap, cap);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_set_cap, TESS_NS);

/* ---- questions ---- */

static u64 sched_queue_depth(struct tess_slice *slice, const struct tess_vslice *vs)
{
	if (!tess_vslice_is_resident(vs))
		return tess_context_value(vs->context, TESS_CLIENT_QUEUE);
	return sched_get(slice, TESS_CLIENT_QUEUE);
}

/* Busy cycles of the resident vslice since it was charged */
static u64 sched_not_charged(struct tess_slice *slice, const struct tess_sched_entity *se)
{
	u64 busy = sched_get(slice, TESS_CLIENT_BUSY);

	return busy > se->busy ? busy - se->busy : 0;
}

/* For how long a parked vslice has been waiting by now */
static u64 sched_waits(const struct tess_slice *slice, const struct tess_sched_entity *se)
{
	struct tess_gpu *gpu = slice->gpu;
	u64 now = se->wait_since ? tess_gpu_ops(gpu)->time(gpu->be) : 0;

	return now > se->wait_since ? now - se->wait_since : 0;
}

static void stats_add_sums(struct tess_sched_stats *stats, const struct tess_sched_entity *se)
{
	stats->run_cycles += se->run_cycles;
	stats->wait_cycles += se->wait_cycles;
	stats->switches += se->switches;
	stats->wakeups += se->wakeups;
	stats->moves += se->moves;
	stats->lost += se->lost;
}

static void stats_add(struct tess_sched_stats *stats, struct tess_slice *slice,
		      const struct tess_vslice *vs)
{
	const struct tess_sched_entity *se = &vs->sched;

	stats_add_sums(stats, se);
	if (tess_vslice_is_resident(vs)) {
		stats->resident = true;
		stats->runnable |= !sched_is_idle(slice);
		stats->run_cycles += sched_not_charged(slice, se);
	} else {
		stats->runnable |= tess_sched_wants(vs);
		stats->wait_cycles += sched_waits(slice, se);
	}
	stats->queue += sched_queue_depth(slice, vs);
}

/* An elastic vGPU: the rings that there were, and those that there are */
static void stats_add_rings(struct tess_sched_stats *stats, struct tess_slice *slice,
			    const struct tess_vslice *vs)
{
	const struct tess_vslice *resident = tess_slice_resident(slice);
	struct tess_policy_entity *e;

	stats_add_sums(stats, &vs->sched);
	if (resident && !slice->rq.policy.count)
		stats_add(stats, slice, resident);
	tess_policy_for_each(e, &slice->rq.policy)
		stats_add(stats, slice, to_tess_vslice(e));
}

/**
 * tess_sched_stats() - what the scheduler knows of a vslice
 * @vgpu: vGPU, shared or not; of an elastic one it is what is known of its rings
 * @vslice: index
 * @stats: result, up to date
 *
 * Registers are read and nothing is written: whoever asks charges nobody, puts nobody to sleep,
 * and does not change when anything is decided.
 *
 * Process context, no lock of a slice is held.
 *
 * Return: 0, also if it has no slice now; -EINVAL, -ENODEV.
 */
int tess_sched_stats(struct tess_vgpu *vgpu, unsigned int vslice, struct tess_sched_stats *stats)
{
	struct tess_slice *slice;
	int idx;

	*stats = (struct tess_sched_stats){ .slice = -1 };
	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice) == -ENXIO ? 0 : PTR_ERR(slice);
	stats->slice = slice->index;
	if (vgpu->elastic)
		stats_add_rings(stats, slice, &vgpu->vslices[vslice]);
	else
		stats_add(stats, slice, &vgpu->vslices[vslice]);
	tess_vslice_end(slice, idx);
	return 0;
}

/**
 * tess_sched_home() - the slice that a vslice has or waits for
 * @vgpu: vGPU
 * @vslice: index, below its number of vslices
 *
 * Return: its number; -1: none.
 */
int tess_sched_home(struct tess_vgpu *vgpu, unsigned int vslice)
{
	const struct tess_slice *slice;
	int home;

	spin_lock(&vgpu->gpu->lock);
	slice = vgpu->vslices[vslice].slice;
	home = slice ? (int)slice->index : -1;
	spin_unlock(&vgpu->gpu->lock);
	return home;
}

/* ---- life cycle ---- */

void tess_sched_init_slice(struct tess_slice *slice)
{
	struct tess_runq *rq = &slice->rq;

	INIT_WORK(&rq->work, sched_work);
	rq->quantum_us = TESS_QUANTUM_US_DEFAULT;
	rq->timeout_us = TESS_TIMEOUT_US_DEFAULT;
	tess_policy_set(&rq->policy, TESS_POLICY_FAIR,
			tess_sched_cycles(slice->gpu, rq->quantum_us));
}

void tess_sched_init_vslice(struct tess_vslice *vs)
{
	INIT_LIST_HEAD(&vs->sched.writes);
	vs->sched.policy.weight = vs->vgpu->blueprint.weight;
	vs->sched.policy.cap = vs->vgpu->blueprint.cap;
}

/**
 * tess_sched_stop() - nothing is scheduled any more
 * @gpu: GPU that is gone: nothing new is queued
 */
void tess_sched_stop(struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++)
		cancel_work_sync(&gpu->slices[i].rq.work);
	tess_turn_cancel_all(gpu);
}
