// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which GPUs give the slices of a vGPU on several of them.
 *
 * DOC: Several GPUs
 *
 * A struct tess_vgpu is of one GPU for life. A client with slices of several GPUs has several,
 * its *parts*; their owner puts them together (see mdev/parts.c). The core says how many
 * slices each GPU would give, by tess_place_pool(), and composes each part as any other vGPU.
 * A plan for new parts takes nothing and holds no lock of two GPUs: what was free may be
 * somebody else's when a part is composed, and then the owner asks again.
 *
 * Parts that there are change together, while their client works. That is one transaction with
 * tess_gpu.compose of all of them: slices are chosen, each part goes through all of its change
 * that can fail (recompose.c), and only then all are published; if one is refused, those before
 * it go back to slices that nobody can have taken meanwhile.
 *
 * The client knows its vslices by numbers that go through the parts, so no part can have more of
 * them later. The blueprint's max is divided when the parts are made: what is missing to it goes
 * to the smaller parts first, so that it can grow evenly. All of max in each part would let it
 * take its slices from wherever there are some, but a client would see, and set up rings for,
 * many times as many vslices as it can ever use. Each part keeps one slice at least, where its
 * withheld vslices work.
 *
 * VRAM of one GPU is not reached from another, and guests put buffers anywhere in what they are
 * shown; so a part has none. What needs slices that take turns is for vGPUs of one GPU.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/vgpu.h>

#include "algo/blueprint.h"
#include "algo/place.h"
#include "base/gpu.h"
#include "base/refuse.h"
#include "compose.h"
#include "elastic.h"
#include "recompose.h"
#include "shape.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/**
 * struct span_plan - GPUs, and what is chosen of them
 * @count: number of GPUs
 * @place: free slices of each; none of one that the client could not use beside the first
 * @kinds: for @place
 * @chosen: a slice for each vslice
 */
struct span_plan {
	unsigned int count;
	struct tess_place place[TESS_POOL_GPUS_MAX];
	u32 kinds[TESS_POOL_GPUS_MAX][TESS_MAX_SLICES];
	struct tess_place_spot chosen[TESS_MAX_SLICES];
};

static int span_check(const struct tess_gpu *gpu, const struct tess_span_request *req,
		      struct tess_reason *reason)
{
	const struct tess_blueprint *bp = req->blueprint;
	const char *why = NULL;

	if (bp->heads)
		why = "heads=0 is needed, they show memory of one GPU";
	else if (bp->memory)
		why = "memory=0 is needed, one GPU does not reach the memory of another";
	else if (bp->shared)
		why = "share=exclusive is needed";
	else if (bp->automatic)
		why = "policy=manual is needed";
	if (!why)
		return 0;
	return tess_refuse(gpu, req->name, reason, -EOPNOTSUPP, "gpus=%u: %s", bp->gpus, why);
}

/* Number of GPUs that can be parts beside the first */
static unsigned int span_look(struct span_plan *plan, struct tess_gpu *const *gpus,
			      unsigned int count, const struct tess_blueprint *bp)
{
	unsigned int i, alike = 0;

	plan->count = count;
	for (i = 0; i < count; i++) {
		tess_gpu_free_slices(gpus[i], bp, plan->kinds[i], &plan->place[i]);
		if (tess_transfer_alike(gpus[0], gpus[i]))
			plan->place[i].free = 0;
		else
			alike++;
	}
	return alike;
}

static struct tess_place_span span_wanted(const struct tess_blueprint *bp)
{
	return (struct tess_place_span){
		.n = bp->slices,
		.kind = bp->kind,
		.topology = bp->topology,
		.gpus = bp->gpus,
	};
}

static unsigned int span_free(const struct span_plan *plan, u32 kind)
{
	unsigned int i, have = 0;

	for (i = 0; i < plan->count; i++)
		have += tess_place_free(&plan->place[i], kind);
	return have;
}

/* Words for messages, if a kind was asked for */
static const char *span_of(u32 kind)
{
	return kind ? " of kind " : "";
}

static const char *span_kind(u32 kind)
{
	return kind ? tess_kind_name(kind) : "";
}

/* Slices of one kind are asked for as such, or another kind might be chosen there */
static void span_divide(const struct span_plan *plan, const struct tess_blueprint *bp,
			struct tess_blueprint *parts)
{
	unsigned int i;
	u32 kind;

	for (i = 0; i < plan->count; i++) {
		parts[i] = *bp;
		parts[i].gpus = 1;
		parts[i].slices = 0;
		/* A ring over several is a chain in each */
		if (bp->topology == TESS_TOPOLOGY_RING)
			parts[i].topology = TESS_TOPOLOGY_CHAIN;
	}
	for (i = 0; i < bp->slices; i++) {
		struct tess_blueprint *part = &parts[plan->chosen[i].gpu];

		kind = plan->kinds[plan->chosen[i].gpu][plan->chosen[i].slice];
		part->kind = !part->slices || part->kind == kind ? kind : TESS_KIND_NONE;
		part->slices++;
	}
	for (i = 0; i < plan->count; i++) {
		parts[i].texels = DIV_ROUND_UP(bp->texels * parts[i].slices, bp->slices);
		parts[i].pixels = DIV_ROUND_UP(bp->pixels * parts[i].slices, bp->slices);
	}
}

static void span_set_bounds(struct tess_blueprint *part, bool fixed, unsigned int max)
{
	part->min = fixed ? part->slices : 1;
	part->max = max;
}

/* The smallest part that gives slices */
static unsigned int span_smallest(const struct tess_blueprint *parts, unsigned int count,
				  const u8 *max)
{
	unsigned int i, found = count;

	for (i = 0; i < count; i++)
		if (parts[i].slices && (found == count || max[i] < max[found]))
			found = i;
	return found;
}

/* How many vslices each part has for life */
static void span_divide_max(const struct tess_blueprint *bp, struct tess_blueprint *parts,
			    unsigned int count)
{
	u8 max[TESS_POOL_GPUS_MAX];
	unsigned int i;

	for (i = 0; i < count; i++)
		max[i] = parts[i].slices;
	for (i = bp->slices; i < bp->max; i++)
		max[span_smallest(parts, count, max)]++;
	for (i = 0; i < count; i++)
		span_set_bounds(&parts[i], bp->min == bp->max, max[i]);
}

static int span_plan(struct span_plan *plan, struct tess_gpu *const *gpus, unsigned int count,
		     const struct tess_span_request *req, struct tess_blueprint *parts,
		     struct tess_reason *reason)
{
	const struct tess_blueprint *bp = req->blueprint;
	const struct tess_place_span span = span_wanted(bp);
	unsigned int alike = span_look(plan, gpus, count, bp);

	if (tess_place_pool(plan->place, plan->count, &span, plan->chosen))
		return tess_refuse(gpus[0], req->name, reason, -ENOSPC,
				   "gpus=%u: %u alike give vGPUs, with %u free slices%s%s, %u asked",
				   bp->gpus, alike, span_free(plan, bp->kind), span_of(bp->kind),
				   span_kind(bp->kind), bp->slices);
	span_divide(plan, bp, parts);
	span_divide_max(bp, parts, count);
	return 0;
}

int tess_span_plan(struct tess_gpu *const *gpus, unsigned int count,
		   const struct tess_span_request *req, struct tess_blueprint *parts,
		   struct tess_reason *reason)
{
	struct span_plan *plan;
	int rc;

	if (!count || count > TESS_POOL_GPUS_MAX || req->blueprint->gpus < 2)
		return -EINVAL;
	rc = span_check(gpus[0], req, reason);
	if (rc)
		return rc;
	plan = kvzalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return -ENOMEM;
	rc = span_plan(plan, gpus, count, req, parts, reason);
	kvfree(plan);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_span_plan, TESS_NS);

/* ---- another shape for parts that there are ---- */

/**
 * struct span_change - a change of all parts of a vGPU
 * @vgpus: its parts
 * @order: by numbers of their GPUs
 * @plan: slices of their GPUs
 * @keep: those that the parts have
 * @limit: vslices of each
 * @parts: what they become
 * @changes: changes of each
 */
struct span_change {
	struct tess_vgpu *const *vgpus;
	u8 order[TESS_SPAN_PARTS_MAX];
	struct span_plan plan;
	u64 keep[TESS_SPAN_PARTS_MAX];
	u8 limit[TESS_SPAN_PARTS_MAX];
	struct tess_blueprint parts[TESS_SPAN_PARTS_MAX];
	struct recompose_plan *changes[TESS_SPAN_PARTS_MAX];
};

/* Nobody has two GPUs of one number */
static void span_sort(struct span_change *change)
{
	unsigned int i, k, index;

	for (i = 0; i < change->plan.count; i++) {
		index = change->vgpus[i]->gpu->info.index;
		for (k = i; k && change->vgpus[change->order[k - 1]]->gpu->info.index > index; k--)
			change->order[k] = change->order[k - 1];
		change->order[k] = i;
	}
}

static struct tess_gpu *span_gpu(const struct span_change *change, unsigned int i)
{
	return change->vgpus[change->order[i]]->gpu;
}

static void span_lock(const struct span_change *change)
{
	unsigned int i;

	for (i = 0; i < change->plan.count; i++)
		mutex_lock_nested(&span_gpu(change, i)->compose, i);
}

static void span_unlock(const struct span_change *change)
{
	unsigned int i = change->plan.count;

	while (i--) {
		tess_elastic_fill(span_gpu(change, i));
		mutex_unlock(&span_gpu(change, i)->compose);
	}
}

static u64 span_own_slices(const struct tess_vgpu *vgpu)
{
	unsigned int i;
	u64 mask = 0;

	spin_lock(&vgpu->gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++)
		mask |= BIT_ULL(vgpu->vslices[i].slice->index);
	spin_unlock(&vgpu->gpu->lock);
	return mask;
}

/* compose of all is held, so what is chosen can be had */
static int span_choose_anew(struct span_change *change, const struct tess_span_request *req,
			    struct tess_reason *reason)
{
	struct tess_place_span span = span_wanted(req->blueprint);
	const struct tess_blueprint *bp = req->blueprint;
	struct span_plan *plan = &change->plan;
	unsigned int i;

	for (i = 0; i < plan->count; i++) {
		tess_vgpu_free_slices(change->vgpus[i], bp, plan->kinds[i], &plan->place[i]);
		change->keep[i] = span_own_slices(change->vgpus[i]);
	}
	span.keep = change->keep;
	span.limit = change->limit;
	if (!tess_place_pool(plan->place, plan->count, &span, plan->chosen))
		return 0;
	for (i = 0; i < plan->count; i++)
		plan->place[i].free |= change->keep[i];
	return tess_refuse(change->vgpus[0]->gpu, req->name, reason, -ENOSPC,
			   "gpus=%u: its GPUs have %u free slices%s%s, %u asked", bp->gpus,
			   span_free(plan, bp->kind), span_of(bp->kind), span_kind(bp->kind),
			   bp->slices);
}

/* All or none */
static int span_begin(struct span_change *change, struct tess_reason *reason)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; i < change->plan.count; i++) {
		change->changes[i] =
			tess_recompose_alloc(change->vgpus[i], &change->parts[i], reason);
		if (IS_ERR(change->changes[i])) {
			rc = PTR_ERR(change->changes[i]);
			break;
		}
		rc = tess_recompose_begin(change->changes[i]);
		if (!rc)
			continue;
		kfree(change->changes[i]);
		break;
	}
	while (rc && i--) {
		tess_recompose_cancel(change->changes[i]);
		kfree(change->changes[i]);
	}
	return rc;
}

static void span_commit(struct span_change *change)
{
	unsigned int i;

	for (i = 0; i < change->plan.count; i++) {
		tess_recompose_commit(change->changes[i]);
		kfree(change->changes[i]);
	}
}

static int span_recompose_locked(struct span_change *change, const struct tess_span_request *req,
				 struct tess_reason *reason)
{
	const struct tess_blueprint *bp = req->blueprint;
	unsigned int i, vslices = 0;
	int rc;

	for (i = 0; i < change->plan.count; i++) {
		if (READ_ONCE(change->vgpus[i]->gpu->gone))
			return -ENODEV;
		change->limit[i] = change->vgpus[i]->nr_vslices;
		vslices += change->limit[i];
	}
	if (bp->max > vslices)
		return tess_refuse(change->vgpus[0]->gpu, req->name, reason, -EBUSY,
				   "max=%u: it is in use and has %u vslices", bp->max, vslices);
	rc = span_choose_anew(change, req, reason);
	if (rc)
		return rc;
	span_divide(&change->plan, bp, change->parts);
	for (i = 0; i < change->plan.count; i++)
		span_set_bounds(&change->parts[i], false, change->limit[i]);
	rc = span_begin(change, reason);
	if (!rc)
		span_commit(change);
	return rc;
}

int tess_span_recompose(struct tess_vgpu *const *parts, unsigned int count,
			const struct tess_span_request *req, struct tess_reason *reason)
{
	struct span_change *change;
	int rc;

	if (count < 2 || count > TESS_SPAN_PARTS_MAX || req->blueprint->gpus != count)
		return -EINVAL;
	if (reason)
		reason->text[0] = '\0';
	rc = span_check(parts[0]->gpu, req, reason);
	if (rc)
		return rc;
	change = kvzalloc(sizeof(*change), GFP_KERNEL);
	if (!change)
		return -ENOMEM;
	change->vgpus = parts;
	change->plan.count = count;
	span_sort(change);
	span_lock(change);
	rc = span_recompose_locked(change, req, reason);
	span_unlock(change);
	kvfree(change);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_span_recompose, TESS_NS);
