// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduler: who is on a shared slice.
 *
 * DOC: Scheduler
 *
 * Each shared slice has a work item, which looks at those that share it and decides who
 * is resident from now on; policy.c has the rules, account.c what they go by, switch.c the
 * way. It is queued when something may have changed: the slice reports that a turn is over or
 * that nothing is left to do, a client stores to a doorbell that it does not have at the
 * moment, or wants to write a register, or somebody changes a setting.
 *
 * It is lazy. A vslice that has nothing to do stays resident until another wants the
 * slice, and neither the timer nor the notification of idleness is armed unless another
 * wants it: one vGPU alone on a shared slice runs as on a slice of its own. One with a
 * budget (a cap, or a fixed share) is the exception: it is parked when it is idle,
 * because its next store to the doorbell would otherwise go unnoticed.
 *
 * While the GPU is asleep (shape/sleep.c) it decides nothing.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/vgpu.h>

#include "account.h"
#include "base/gpu.h"
#include "run.h"
#include "slice/access.h"
#include "slice/look.h"
#include "slice/note.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "turn.h"

/* ---- decisions ---- */

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

/* @now: GPU time if the caller knows it, else not later than the last: reading it takes long */
static void sched_look(struct tess_slice *slice, u64 now)
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
	if (now > rq->now)
		rq->now = now;
	else
		tess_sched_ask_time(slice);
	tess_policy_refill(&rq->policy, rq->now);
	if (cur) {
		cur->sched.policy.urgent = false;
		idle = tess_sched_charge_resident(slice, cur);
	}
	sched_update_parked(slice, cur);
	sched_decide(slice, cur, idle, waits);
}

/**
 * tess_sched_look_at() - decide now who is on a slice
 * @slice: slice, its hw mutex held, inside tess_gpu_enter()
 * @now: GPU time, not later than that; 0: not known
 *
 * For a caller who has the mutex anyway: a vslice that just came stands still until somebody looks.
 */
void tess_sched_look_at(struct tess_slice *slice, u64 now)
{
	lockdep_assert_held(&slice->hw);
	sched_look(slice, now);
}

static void sched_work(struct work_struct *work)
{
	struct tess_slice *slice = container_of(work, struct tess_slice, rq.work);
	int idx;

	if (!tess_gpu_enter(slice->gpu, &idx))
		return;
	mutex_lock(&slice->hw);
	sched_look(slice, 0);
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
