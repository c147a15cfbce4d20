// SPDX-License-Identifier: GPL-2.0-only
/*
 * What vslices want, and what they are charged.
 *
 * DOC: Accounts
 *
 * A parked vslice wants to run if its context says that packets are left, if its
 * doorbell was stored to (the number is known only to its owner, resumed() asks), or if
 * somebody waits to write one of its registers. While the host brings memory that it
 * stopped for, only the last of these counts, and when it is resident it is idle: what it
 * has to do takes no slice.
 *
 * Time is GPU time. What a vslice is charged is the cycles that it was busy, or, if others
 * waited, all cycles for which it was resident: a client that waits for something of its
 * own, or comes for a moment again and again, keeps the slice from others as well as one
 * that works.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <tessera/compat.h>

#include "account.h"
#include "base/context.h"
#include "base/gpu.h"
#include "run.h"
#include "slice/access.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "turn.h"

u64 tess_sched_cycles(const struct tess_gpu *gpu, u32 us)
{
	return max(div_u64((u64)us * gpu->info.clock_khz, 1000), 1ULL);
}

void tess_sched_init_vslice(struct tess_vslice *vs)
{
	INIT_LIST_HEAD(&vs->sched.writes);
	vs->sched.policy.weight = vs->vgpu->blueprint.weight;
	vs->sched.policy.cap = vs->vgpu->blueprint.cap;
}

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

/**
 * tess_sched_charge_resident() - charge the resident vslice up to tess_runq.now
 * @slice: slice, its hw mutex held, inside tess_gpu_enter()
 * @cur: vslice that is resident
 *
 * Return: true if it has nothing to do; it does not count as runnable then.
 */
bool tess_sched_charge_resident(struct tess_slice *slice, struct tess_vslice *cur)
{
	bool idle = sched_is_idle(slice);

	tess_sched_charge(slice, cur, slice->rq.now,
			  sched_get(slice, TESS_CLIENT_BUSY), idle);
	if (idle && tess_slice_takes_turns(slice))
		tess_policy_sleep(&slice->rq.policy, &cur->sched.policy);
	return idle;
}

/**
 * tess_sched_ask_time() - renew tess_runq.now
 * @slice: slice, its hw mutex held, inside tess_gpu_enter()
 */
void tess_sched_ask_time(struct tess_slice *slice)
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
	tess_sched_ask_time(slice);
	tess_sched_charge_resident(slice, cur);
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
