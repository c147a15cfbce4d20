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
 * The snapshot is of one GPU. If somebody's slice is crowded and no other slice of the GPU is
 * better, one of the whole pool is taken, and the same function decides on that. A move to
 * another GPU has to be worth more, as the client's memory goes, too, and all of a vGPU goes:
 * only those of one vslice are considered. Its owner does it, when it likes (relocate()), and
 * the vGPU is placed there as a new one would be. It is not asked again for a while, whatever
 * came of it, and who came from another GPU stays for as long. Until the owner has answered
 * (tess_vgpu_relocated()), nobody else of that GPU is asked: it is still where it was crowded.
 */
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/vgpu.h>

#include "algo/swap.h"
#include "auto.h"
#include "base/gpu.h"
#include "run/run.h"
#include "shape/shape.h"
#include "slice/note.h"
#include "slice/slice.h"
#include "slice/trace.h"
#include "slice/vgpu.h"

#define SWAP_PERIOD_MS_MIN	10
#define SWAP_PERIOD_MS_MAX	10000
#define SWAP_MAX_MOVES_MAX	64

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
module_param_cb(swap_period_ms, &swap_period_ops, &tess_swap_period_ms, 0644);
MODULE_PARM_DESC(swap_period_ms, "time between two looks of the swapper, 10 to 10000, default 100");

static const struct kernel_param_ops swap_moves_ops = {
	.set = swap_moves_set,
	.get = param_get_uint,
};
module_param_cb(swap_max_moves, &swap_moves_ops, &swap_max_moves, 0644);
MODULE_PARM_DESC(swap_max_moves, "moves that it makes at a look, 0 to 64, default 1");

/**
 * struct swap_look - a look at a GPU, or from there at the whole pool
 * @gpu: GPU
 * @max_slices: there is room for so many
 * @owners: vGPUs in the snapshot
 * @leaving: a vGPU of @gpu is about to go to another GPU
 * @pool: snapshot; the slices of @gpu are the first, by number
 * @vslices: the members of the snapshot; a use of their vGPUs is held for each
 */
struct swap_look {
	struct tess_gpu *gpu;
	unsigned int max_slices;
	unsigned int owners;
	bool leaving;
	struct tess_swap_pool pool;
	struct tess_vslice **vslices;
};

/* ---- snapshot ---- */

static enum tess_swap_use swap_use(const struct tess_slice *slice)
{
	if (slice->out)
		return TESS_SWAP_OTHER;
	switch (slice->state) {
	case TESS_SLICE_FREE:
		return TESS_SWAP_FREE;
	case TESS_SLICE_SHARED:
		return slice->owner ? TESS_SWAP_OTHER : TESS_SWAP_SHARED;
	case TESS_SLICE_ELASTIC:
		return slice->leaving || slice->client->claims ? TESS_SWAP_OTHER :
								 TESS_SWAP_ELASTIC;
	default:
		return TESS_SWAP_OTHER;
	}
}

static void swap_add_slice(struct swap_look *look, const struct tess_slice *slice)
{
	struct tess_swap_slice *s = &look->pool.slices[look->pool.nr_slices++];
	unsigned int members = slice->state == TESS_SLICE_SHARED ? slice->rq.policy.count : 0;

	s->gpu = slice->gpu->info.index;
	s->kind = slice->info.kind;
	s->cores = slice->info.cores;
	s->engines = slice->info.engines;
	s->use = swap_use(slice);
	s->room = members < TESS_SHARE_MAX ? TESS_SHARE_MAX - members : 0;
	s->looks = slice->gpu == look->gpu ? look->gpu->swapper.looks[slice->index] : 0;
}

/* Was it moved to another GPU, or to be moved, in the last so many periods? */
static bool swap_was_relocated(const struct tess_vslice *vs, unsigned int periods)
{
	unsigned long length = msecs_to_jiffies(READ_ONCE(tess_swap_period_ms));
	unsigned long relocated = READ_ONCE(vs->relocated);

	return relocated && time_before(jiffies, relocated + periods * length);
}

/* @first: slice 0 of its GPU in the snapshot. Those of other GPUs are only there to be seen */
static void swap_add_vslice(struct swap_look *look, struct tess_vslice *vs, unsigned int first)
{
	const struct tess_blueprint *bp = &vs->vgpu->blueprint;
	struct tess_swap_member *m = &look->pool.members[look->pool.nr_members];

	if (!vs->slice || vs->slice->state != TESS_SLICE_SHARED)
		return;
	m->slice = first + vs->slice->index;
	m->owner = look->owners;
	m->kind = bp->kind;
	/* Slices of one kind are equally fast, so the rates hold there too */
	if (bp->texels || bp->pixels || bp->displays.width || bp->shown.heads ||
	    bp->leans != TESS_KIND_NONE)
		m->kind = vs->slice->info.kind;
	m->engines = vs->setup.engines;
	m->automatic = bp->automatic && vs->vgpu->gpu == look->gpu;
	m->roams = vs->vgpu->nr_vslices == 1 && vs->vgpu->ops->relocate &&
		   !swap_was_relocated(vs, TESS_SWAP_AVOID);
	vs->vgpu->active++;
	look->vslices[look->pool.nr_members++] = vs;
}

static void swap_add_gpu(struct swap_look *look, struct tess_gpu *gpu)
{
	unsigned int i, first = look->pool.nr_slices;
	struct tess_vgpu *vgpu;

	spin_lock(&gpu->lock);
	for (i = 0; i < gpu->info.slice_count; i++)
		swap_add_slice(look, &gpu->slices[i]);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		look->leaving |= vgpu->leaving && gpu == look->gpu;
		if (vgpu->dying || vgpu->frozen || gpu->gone || !vgpu->blueprint.shared)
			continue;
		for (i = 0; i < vgpu->nr_vslices; i++)
			swap_add_vslice(look, &vgpu->vslices[i], first);
		look->owners++;
	}
	spin_unlock(&gpu->lock);
}

static void swap_add_other(struct tess_gpu *gpu, void *data)
{
	struct swap_look *look = data;

	if (gpu != look->gpu && !tess_transfer_alike(look->gpu, gpu) &&
	    look->pool.nr_slices + gpu->info.slice_count <= look->max_slices)
		swap_add_gpu(look, gpu);
}

/* What it would use of a slice of its own; a fixed share is taken whether it is used or not */
static u32 swap_demand(struct tess_vslice *vs)
{
	const struct tess_slice *slice = READ_ONCE(vs->slice);
	u32 cap = READ_ONCE(vs->vgpu->blueprint.cap) * 10;
	struct tess_load load;

	if (cap && slice && READ_ONCE(slice->rq.policy.kind) == TESS_POLICY_FIXED)
		return cap;
	if (tess_analyze_read(vs->vgpu, vs->index, TESS_ANALYZE_DECIDE, &load))
		return 0;
	return cap ? min(load.demand, cap) : load.demand;
}

static void swap_ask_all(struct swap_look *look)
{
	u64 period = look->gpu->swapper.period;
	unsigned int i;

	for (i = 0; i < look->pool.nr_members; i++) {
		struct tess_swap_member *m = &look->pool.members[i];

		m->demand = swap_demand(look->vslices[i]);
		/* What it remembers are slices of its own GPU */
		if (!m->automatic)
			continue;
		tess_swap_recall(&look->vslices[i]->swap, period, m);
		m->held |= swap_was_relocated(look->vslices[i], TESS_SWAP_HOLD);
	}
}

static void swap_count_other(struct tess_gpu *gpu, void *data)
{
	struct swap_look *look = data;

	if (gpu != look->gpu)
		look->max_slices += gpu->info.slice_count;
}

static bool swap_alloc(struct swap_look *look)
{
	unsigned int members = look->max_slices * TESS_SHARE_MAX;

	look->pool.slices = kvcalloc(look->max_slices, sizeof(*look->pool.slices), GFP_KERNEL);
	look->pool.members = kvcalloc(members, sizeof(*look->pool.members), GFP_KERNEL);
	look->vslices = kvcalloc(members, sizeof(struct tess_vslice *), GFP_KERNEL);
	return look->pool.slices && look->pool.members && look->vslices;
}

static void swap_look_end(struct swap_look *look)
{
	unsigned int i;

	for (i = 0; i < look->pool.nr_members; i++)
		tess_vgpu_put_client(look->vslices[i]->vgpu);
	kvfree(look->vslices);
	kvfree(look->pool.members);
	kvfree(look->pool.slices);
}

/* At its own slices, or at those of the whole pool, too */
static bool swap_look_begin(struct swap_look *look, struct tess_gpu *gpu, bool far)
{
	*look = (struct swap_look){ .gpu = gpu, .max_slices = gpu->info.slice_count };
	if (far && (!tess_pool_each(swap_count_other, look) ||
		    look->max_slices == gpu->info.slice_count))
		return false;
	if (!swap_alloc(look)) {
		swap_look_end(look);
		return false;
	}
	swap_add_gpu(look, gpu);
	if (far)
		tess_pool_each(swap_add_other, look);
	swap_ask_all(look);
	return true;
}

/* ---- moves ---- */

/* Number of a slice of the snapshot on its GPU */
static int swap_slice_number(const struct tess_swap_pool *pool, int slice)
{
	int first = slice;

	while (first > 0 && pool->slices[first - 1].gpu == pool->slices[slice].gpu)
		first--;
	return slice < 0 ? slice : slice - first;
}

static void swap_trace(struct swap_look *look, const struct tess_swap_decision *d, int from, int rc)
{
	const struct tess_vslice *vs = d->member >= 0 ? look->vslices[d->member] : NULL;
	int gpu = -1;

	if (!trace_tess_swap_decision_enabled())
		return;
	if (d->to >= 0 && look->pool.slices[d->to].gpu != look->gpu->info.index)
		gpu = look->pool.slices[d->to].gpu;
	trace_tess_swap_decision(look->gpu, vs ? vs->vgpu->name : "-", vs ? vs->index : 0,
				 tess_gpu_time(look->gpu), from, gpu,
				 swap_slice_number(&look->pool, d->to), d->gain, d->reason, rc);
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

/* True: somebody would like to move, and there is nowhere to go on this GPU */
static bool swap_moves(struct swap_look *look)
{
	unsigned int i, max = READ_ONCE(swap_max_moves);
	struct tess_swap_decision d;

	for (i = 0; i < max; i++) {
		if (!tess_swap_decide(&look->pool, &d)) {
			if (!i)
				swap_trace(look, &d, d.member < 0 ? -1 :
					   (int)look->pool.members[d.member].slice, 0);
			return !i && (d.reason == TESS_SWAP_NOWHERE || d.reason == TESS_SWAP_GAIN);
		}
		/* What is in the way of one move is likely to be in the way of the next */
		if (!swap_move(look, &d))
			return false;
	}
	return false;
}

/* Asks for one move to another GPU, if one pays */
static void swap_far(struct tess_gpu *gpu)
{
	struct tess_swap_decision d;
	struct tess_vslice *vs;
	struct swap_look look;
	unsigned int i;

	if (!swap_look_begin(&look, gpu, true))
		return;
	tess_swap_look(&look.pool);
	/* The same look as that before */
	for (i = 0; i < gpu->info.slice_count; i++)
		look.pool.slices[i].looks = gpu->swapper.looks[i];
	if (!look.leaving && tess_swap_decide(&look.pool, &d) && d.to >= gpu->info.slice_count) {
		vs = look.vslices[d.member];
		spin_lock(&gpu->lock);
		vs->vgpu->leaving = true;
		spin_unlock(&gpu->lock);
		WRITE_ONCE(vs->relocated, jiffies | 1);
		swap_trace(&look, &d, look.pool.members[d.member].slice, 0);
		vs->vgpu->ops->relocate(vs->vgpu, look.pool.slices[d.to].gpu);
	}
	swap_look_end(&look);
}

/* Periods in which there was no reason to look count too, and end what was crowded */
static void swap_advance(struct tess_swapper *swapper)
{
	unsigned long now = jiffies, length = msecs_to_jiffies(READ_ONCE(tess_swap_period_ms));
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
	struct swap_look look;
	unsigned int i;
	bool far;

	swap_advance(swapper);
	if (!swap_look_begin(&look, gpu, false))
		return;
	tess_swap_look(&look.pool);
	for (i = 0; i < look.pool.nr_slices; i++)
		swapper->looks[i] = look.pool.slices[i].looks;
	far = swap_moves(&look);
	swap_look_end(&look);
	if (far)
		swap_far(gpu);
}

void tess_vgpu_relocated(struct tess_vgpu *vgpu)
{
	spin_lock(&vgpu->gpu->lock);
	vgpu->leaving = false;
	spin_unlock(&vgpu->gpu->lock);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_relocated, TESS_NS);

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
