// SPDX-License-Identifier: GPL-2.0-only
/*
 * Swapper: moves vslices to better slices.
 *
 * DOC: Swapper
 *
 * swap.c decides; here is when, on what, and what becomes of it. The swapper of a GPU looks
 * every swap_period_ms, but only while a vslice that may be moved (policy=auto) waits for
 * its slice: the scheduler says so each time (tess_swapper_note()), and without that no
 * look is taken. There is nothing to gain then, and an idle GPU has no timer.
 *
 * A look takes a snapshot, with the analyzer's averages as demands, and makes at most
 * swap_max_moves moves by the same way as everybody else, tess_sched_move(). A move that
 * fails counts like one that was made, towards the slice that refused, so that it is not
 * tried again and again. Each decision, also that nothing is to be done, is the tracepoint
 * tess_swap_decision.
 *
 * The snapshot is of one GPU. Moves between GPUs are decided by the same function, but the
 * client's memory would have to move too, and its front-end maps that.
 */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "analyzer.h"
#include "gpu.h"
#include "move.h"
#include "sched.h"
#include "slice.h"
#include "swap.h"
#include "swapper.h"
#include "trace.h"
#include "vgpu.h"

#define SWAP_PERIOD_MS_MIN	10
#define SWAP_PERIOD_MS_MAX	10000
#define SWAP_MAX_MOVES_MAX	64

static unsigned int swap_period_ms = 100;
static unsigned int swap_max_moves = 1;

static int swap_param_set(const char *val, const struct kernel_param *kp, unsigned int min,
			  unsigned int max)
{
	int rc = param_set_uint_minmax(val, kp, min, max);

	if (rc == -EINVAL || rc == -ERANGE)
		pr_info("tessera: %s must be %u to %u\n", kp->name, min, max);
	return rc == -ERANGE ? -EINVAL : rc;
}

static int swap_period_set(const char *val, const struct kernel_param *kp)
{
	return swap_param_set(val, kp, SWAP_PERIOD_MS_MIN, SWAP_PERIOD_MS_MAX);
}

static int swap_moves_set(const char *val, const struct kernel_param *kp)
{
	return swap_param_set(val, kp, 0, SWAP_MAX_MOVES_MAX);
}

static const struct kernel_param_ops swap_period_ops = {
	.set = swap_period_set,
	.get = param_get_uint,
};
module_param_cb(swap_period_ms, &swap_period_ops, &swap_period_ms, 0644);
MODULE_PARM_DESC(swap_period_ms, "time between two looks of the swapper, 10 to 10000, default 100");

static const struct kernel_param_ops swap_moves_ops = {
	.set = swap_moves_set,
	.get = param_get_uint,
};
module_param_cb(swap_max_moves, &swap_moves_ops, &swap_max_moves, 0644);
MODULE_PARM_DESC(swap_max_moves, "moves that it makes at a look, 0 to 64, default 1");

/**
 * struct swap_look - a look at a GPU
 * @gpu: GPU
 * @pool: snapshot
 * @slices: of it, by number
 * @vslices: the members of the snapshot; a use of their vGPUs is held for each
 */
struct swap_look {
	struct tess_gpu *gpu;
	struct tess_swap_pool pool;
	struct tess_swap_slice slices[TESS_MAX_SLICES];
	struct tess_vslice *vslices[TESS_MAX_SLICES * TESS_SHARE_MAX];
};

/* ---- snapshot ---- */

static enum tess_swap_use swap_use(const struct tess_slice *slice)
{
	switch (slice->state) {
	case TESS_SLICE_FREE:
		return TESS_SWAP_FREE;
	case TESS_SLICE_SHARED:
		return slice->owner ? TESS_SWAP_OTHER : TESS_SWAP_SHARED;
	case TESS_SLICE_ELASTIC:
		return slice->leaving ? TESS_SWAP_OTHER : TESS_SWAP_ELASTIC;
	default:
		return TESS_SWAP_OTHER;
	}
}

static void swap_add_slice(struct swap_look *look, const struct tess_slice *slice)
{
	struct tess_swap_slice *s = &look->slices[slice->index];
	unsigned int members = slice->state == TESS_SLICE_SHARED ? slice->rq.policy.count : 0;

	s->gpu = look->gpu->info.index;
	s->kind = slice->info.kind;
	s->cores = slice->info.cores;
	s->engines = slice->info.engines;
	s->use = swap_use(slice);
	s->room = members < TESS_SHARE_MAX ? TESS_SHARE_MAX - members : 0;
	s->looks = look->gpu->swapper.looks[slice->index];
}

static void swap_add_vslice(struct swap_look *look, struct tess_vslice *vs, unsigned int owner)
{
	const struct tess_blueprint *bp = &vs->vgpu->blueprint;
	struct tess_swap_member *m = &look->pool.members[look->pool.nr_members];

	if (!vs->slice || vs->slice->state != TESS_SLICE_SHARED)
		return;
	m->slice = vs->slice->index;
	m->owner = owner;
	m->kind = bp->kind;
	m->engines = vs->setup.engines;
	m->automatic = bp->automatic;
	vs->vgpu->active++;
	look->vslices[look->pool.nr_members++] = vs;
}

static void swap_add_all(struct swap_look *look)
{
	struct tess_gpu *gpu = look->gpu;
	unsigned int i, owner = 0;
	struct tess_vgpu *vgpu;

	spin_lock(&gpu->lock);
	for (i = 0; i < gpu->info.slice_count; i++)
		swap_add_slice(look, &gpu->slices[i]);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (vgpu->dying || vgpu->frozen || gpu->gone || !vgpu->blueprint.shared)
			continue;
		for (i = 0; i < vgpu->nr_vslices; i++)
			swap_add_vslice(look, &vgpu->vslices[i], owner);
		owner++;
	}
	spin_unlock(&gpu->lock);
}

/* What it would use of a slice of its own; a fixed share is taken whether it is used or not */
static u32 swap_demand(struct swap_look *look, const struct tess_swap_member *m,
		       struct tess_vslice *vs)
{
	u32 cap = READ_ONCE(vs->vgpu->blueprint.cap) * 10;
	struct tess_load load;

	if (cap && READ_ONCE(look->gpu->slices[m->slice].rq.policy.kind) == TESS_POLICY_FIXED)
		return cap;
	if (tess_analyze_read(vs->vgpu, vs->index, &load))
		return 0;
	return cap ? min(load.demand, cap) : load.demand;
}

static void swap_ask_all(struct swap_look *look)
{
	u64 period = look->gpu->swapper.period;
	unsigned int i;

	for (i = 0; i < look->pool.nr_members; i++) {
		struct tess_swap_member *m = &look->pool.members[i];

		m->demand = swap_demand(look, m, look->vslices[i]);
		tess_swap_recall(&look->vslices[i]->swap, period, m);
	}
}

static struct swap_look *swap_look_begin(struct tess_gpu *gpu)
{
	struct swap_look *look = kvzalloc(sizeof(*look), GFP_KERNEL);

	if (!look)
		return NULL;
	look->gpu = gpu;
	look->pool.nr_slices = gpu->info.slice_count;
	look->pool.slices = look->slices;
	look->pool.members = kvcalloc(ARRAY_SIZE(look->vslices), sizeof(*look->pool.members),
				      GFP_KERNEL);
	if (!look->pool.members) {
		kvfree(look);
		return NULL;
	}
	swap_add_all(look);
	swap_ask_all(look);
	return look;
}

static void swap_look_end(struct swap_look *look)
{
	unsigned int i;

	for (i = 0; i < look->pool.nr_members; i++)
		tess_vgpu_put_client(look->vslices[i]->vgpu);
	kvfree(look->pool.members);
	kvfree(look);
}

/* ---- moves ---- */

static void swap_trace(struct swap_look *look, const struct tess_swap_decision *d, int from, int rc)
{
	const struct tess_vslice *vs = d->member >= 0 ? look->vslices[d->member] : NULL;

	if (!trace_tess_swap_decision_enabled())
		return;
	trace_tess_swap_decision(look->gpu, vs ? vs->vgpu->name : "-", vs ? vs->index : 0,
				 tess_gpu_time(look->gpu), from, d->to, d->gain, d->reason, rc);
}

static bool swap_move(struct swap_look *look, const struct tess_swap_decision *d)
{
	struct tess_vslice *vs = look->vslices[d->member];
	unsigned int from = look->pool.members[d->member].slice;
	u64 period = look->gpu->swapper.period;
	int rc;

	rc = tess_sched_move(vs->vgpu, vs->index, d->to, TESS_MOVE_SWAP);
	swap_trace(look, d, from, rc);
	tess_swap_remember(&vs->swap, period, rc ? d->to : from);
	if (!rc)
		tess_swap_apply(&look->pool, d);
	return !rc;
}

static void swap_moves(struct swap_look *look)
{
	unsigned int i, max = READ_ONCE(swap_max_moves);
	struct tess_swap_decision d;

	for (i = 0; i < max; i++) {
		if (!tess_swap_decide(&look->pool, &d)) {
			if (!i)
				swap_trace(look, &d, d.member < 0 ? -1 :
					   (int)look->pool.members[d.member].slice, 0);
			return;
		}
		/* What is in the way of one move is likely to be in the way of the next */
		if (!swap_move(look, &d))
			return;
	}
}

/* Periods in which there was no reason to look count too, and end what was crowded */
static void swap_advance(struct tess_swapper *swapper)
{
	unsigned long now = jiffies, length = msecs_to_jiffies(READ_ONCE(swap_period_ms));
	unsigned long periods = max((now - swapper->looked) / max(length, 1UL), 1UL);

	if (periods > 2 || !swapper->period)
		memset(swapper->looks, 0, sizeof(swapper->looks));
	swapper->period += periods;
	swapper->looked = now;
}

static void swapper_work(struct work_struct *work)
{
	struct tess_swapper *swapper = container_of(work, struct tess_swapper, work.work);
	struct tess_gpu *gpu = container_of(swapper, struct tess_gpu, swapper);
	struct swap_look *look;
	unsigned int i;

	swap_advance(swapper);
	look = swap_look_begin(gpu);
	if (!look)
		return;
	tess_swap_look(&look->pool);
	for (i = 0; i < look->pool.nr_slices; i++)
		swapper->looks[i] = look->slices[i].looks;
	swap_moves(look);
	swap_look_end(look);
}

/**
 * tess_swapper_note() - a vslice waits for its slice
 * @vgpu: its vGPU
 *
 * The swapper looks in a period if the vGPU may be moved. Any context.
 */
void tess_swapper_note(struct tess_vgpu *vgpu)
{
	if (READ_ONCE(vgpu->blueprint.automatic))
		queue_delayed_work(system_dfl_wq, &vgpu->gpu->swapper.work,
				   msecs_to_jiffies(READ_ONCE(swap_period_ms)));
}

/**
 * tess_swapper_init() - prepare the swapper of a GPU
 * @gpu: GPU
 */
void tess_swapper_init(struct tess_gpu *gpu)
{
	INIT_DELAYED_WORK(&gpu->swapper.work, swapper_work);
}

/**
 * tess_swapper_stop() - no look is taken any more
 * @gpu: GPU; no lock is held
 */
void tess_swapper_stop(struct tess_gpu *gpu)
{
	disable_delayed_work_sync(&gpu->swapper.work);
}
