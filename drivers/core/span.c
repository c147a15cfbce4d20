// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which GPUs give the slices of a vGPU on several of them.
 *
 * DOC: Several GPUs
 *
 * A struct tess_vgpu is of one GPU for life. A client with slices of several GPUs has several,
 * its *parts*; their owner puts them together (see mdev/parts.c). The core says how many
 * slices each GPU would give, by tess_place_pool(), and composes each part as any other vGPU.
 * Nothing is taken here and no lock is held of two GPUs: what was free may be somebody else's
 * when a part is composed, and then the owner asks again.
 *
 * VRAM of one GPU is not reached from another, and guests put buffers anywhere in what they are
 * shown; so a part has none. What needs slices that take turns is for vGPUs of one GPU.
 */
#include <linux/slab.h>
#include <tessera/compat.h>

#include "blueprint.h"
#include "compose.h"
#include "gpu.h"
#include "place.h"
#include "slice.h"
#include "transfer.h"

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
	else if (bp->min != bp->max)
		why = "min and max have to be those of slices, their number does not change";
	if (!why)
		return 0;
	return tess_refuse(gpu, req->name, reason, -EOPNOTSUPP, "gpus=%u: %s", bp->gpus, why);
}

/* Number of GPUs that can be parts beside the first */
static unsigned int span_look(struct span_plan *plan, struct tess_gpu *const *gpus,
			      unsigned int count)
{
	unsigned int i, alike = 0;

	plan->count = count;
	for (i = 0; i < count; i++) {
		tess_gpu_free_slices(gpus[i], plan->kinds[i], &plan->place[i]);
		if (tess_transfer_alike(gpus[0], gpus[i]))
			plan->place[i].free = 0;
		else
			alike++;
	}
	return alike;
}

static int span_choose(struct span_plan *plan, struct tess_gpu *gpu, unsigned int alike,
		       const struct tess_span_request *req, struct tess_reason *reason)
{
	const struct tess_blueprint *bp = req->blueprint;
	const struct tess_place_span span = {
		.n = bp->slices,
		.kind = bp->kind,
		.topology = bp->topology,
		.gpus = bp->gpus,
	};
	unsigned int i, have = 0;

	if (!tess_place_pool(plan->place, plan->count, &span, plan->chosen))
		return 0;
	for (i = 0; i < plan->count; i++)
		have += tess_place_free(&plan->place[i], bp->kind);
	return tess_refuse(gpu, req->name, reason, -ENOSPC,
			   "gpus=%u: %u alike give vGPUs, with %u free slices%s%s, %u asked",
			   bp->gpus, alike, have, bp->kind ? " of kind " : "",
			   bp->kind ? tess_kind_name(bp->kind) : "", bp->slices);
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
		part->min = part->slices;
		part->max = part->slices;
	}
}

int tess_span_plan(struct tess_gpu *const *gpus, unsigned int count,
		   const struct tess_span_request *req, struct tess_blueprint *parts,
		   struct tess_reason *reason)
{
	struct span_plan *plan;
	unsigned int alike;
	int rc;

	if (!count || count > TESS_POOL_GPUS_MAX || req->blueprint->gpus < 2)
		return -EINVAL;
	rc = span_check(gpus[0], req, reason);
	if (rc)
		return rc;
	plan = kvzalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return -ENOMEM;
	alike = span_look(plan, gpus, count);
	rc = span_choose(plan, gpus[0], alike, req, reason);
	if (!rc)
		span_divide(plan, req->blueprint, parts);
	kvfree(plan);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_span_plan, TESS_NS);
