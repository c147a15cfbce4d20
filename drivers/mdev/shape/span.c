// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: vGPUs of several GPUs
 *
 * One of several GPUs comes whole or not at all: parts are composed one after the other, and
 * nobody can reach one of them before all are there and are installed as one (shape.c). So no
 * lock is held of two GPUs.
 *
 * While a VMM has it open its parts change together (tess_span_recompose()). The guest is told
 * of no part before all have changed, and once: one generation, one interrupt.
 *
 * It keeps its GPUs as long as a VMM has it open. If one of its GPUs goes, all of it is dead:
 * drivers of guests know a device that was pulled, and none that lost some rings. The other parts
 * reach no memory from then on, so that what they run stops; they go back to their GPUs when the
 * vGPU is composed anew or removed.
 */
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/page.h"
#include "base/parts.h"
#include "compose.h"
#include "map/doorbell.h"
#include "parent.h"
#include "span.h"
#include "tell.h"

/* Others may be faster than we are; not for ever */
#define SPAN_TRIES 4

/**
 * struct span - GPUs that can give parts
 * @count: number of them
 * @gpus: the first is in use by the caller
 * @parents: of all but the first, those referenced that give a part
 * @parts: blueprints
 */
struct span {
	unsigned int count;
	struct tess_gpu *gpus[TESS_POOL_GPUS_MAX];
	struct tess_mdev_parent *parents[TESS_POOL_GPUS_MAX];
	struct tess_blueprint parts[TESS_POOL_GPUS_MAX];
};

static void span_find_gpus(struct span *span, struct tess_mdev_frontend *frontend,
			   struct tess_gpu *gpu)
{
	struct tess_mdev_parent *parent;

	lockdep_assert_held(&frontend->lock);
	memset(span, 0, sizeof(*span));
	span->gpus[span->count++] = gpu;
	list_for_each_entry(parent, &frontend->parents, link) {
		if (!parent->gpu || parent->gpu == gpu || span->count == TESS_POOL_GPUS_MAX)
			continue;
		span->parents[span->count] = parent;
		span->gpus[span->count++] = parent->gpu;
	}
}

/* Which GPUs? Those of parents stay as long as the lock is held */
static int span_plan_on(struct span *span, struct tess_mdev *tm, struct tess_gpu *gpu,
			const struct tess_blueprint *bp, struct tess_reason *reason)
{
	struct tess_mdev_frontend *frontend = tm->type->parent->frontend;
	const struct tess_span_request req = {
		.name = dev_name(tm->vdev.dev),
		.blueprint = bp,
	};
	unsigned int i;
	int ret;

	guard(mutex)(&frontend->lock);
	span_find_gpus(span, frontend, gpu);
	ret = tess_span_plan(span->gpus, span->count, &req, span->parts, reason);
	for (i = 1; i < span->count; i++) {
		if (!ret && span->parts[i].slices)
			kref_get(&span->parents[i]->ref);
		else
			span->parents[i] = NULL;
	}
	return ret;
}

static int span_add_part(struct tess_mdev *tm, struct tess_mdev_parent *parent,
			 const struct tess_blueprint *bp, struct tess_mdev_parts *out,
			 struct tess_reason *reason)
{
	/* It is gone: somebody else may have as many slices */
	int ret = -ENOSPC;

	/* Inside that of the caller; who writes has to be alone with the pool */
	down_read_nested(&parent->lock, SINGLE_DEPTH_NESTING);
	if (parent->gpu)
		ret = tess_mdev_add_part(tm, parent->gpu, bp, NULL, out, reason);
	up_read(&parent->lock);
	return ret;
}

static int span_add_planned(struct span *span, struct tess_mdev *tm, struct tess_mdev_parts *out,
			    struct tess_reason *reason)
{
	unsigned int i;
	int ret = 0;

	if (span->parts[0].slices)
		ret = tess_mdev_add_part(tm, span->gpus[0], &span->parts[0], NULL, out, reason);
	for (i = 1; i < span->count; i++) {
		if (!span->parents[i])
			continue;
		if (!ret)
			ret = span_add_part(tm, span->parents[i], &span->parts[i], out, reason);
		tess_mdev_parent_put(span->parents[i]);
	}
	if (ret)
		tess_mdev_decompose(out);
	return ret;
}

static int span_compose(struct span *span, struct tess_mdev *tm, struct tess_gpu *gpu,
			const struct tess_blueprint *bp, struct tess_mdev_parts *out,
			struct tess_reason *reason)
{
	unsigned int tries = SPAN_TRIES;
	int ret;

	do {
		reason->text[0] = 0;
		ret = span_plan_on(span, tm, gpu, bp, reason);
		if (ret)
			return ret;
		ret = span_add_planned(span, tm, out, reason);
	} while (ret == -ENOSPC && --tries);
	return ret;
}

/**
 * tess_mdev_compose_span() - make a composition of several GPUs, which is not the vGPU's yet
 * @tm: vGPU that nobody has open; shape.lock is held
 * @gpu: GPU, in use; the others are like it
 * @bp: what is wanted, resolved
 * @out: result; has no part
 * @reason: filled if it is refused
 *
 * Return: as tess_span_plan() and tess_vgpu_create().
 */
int tess_mdev_compose_span(struct tess_mdev *tm, struct tess_gpu *gpu,
			   const struct tess_blueprint *bp, struct tess_mdev_parts *out,
			   struct tess_reason *reason)
{
	struct span *span;
	int ret;

	lockdep_assert_held(&tm->shape.lock);
	if (bp->gpus > TESS_MDEV_MAX_PARTS) {
		scnprintf(reason->text, sizeof(reason->text), "gpus=%u: at most %u", bp->gpus,
			  TESS_MDEV_MAX_PARTS);
		return -EOPNOTSUPP;
	}
	ret = tess_mdev_doorbells_grow(tm, bp->max);
	if (ret)
		return ret;
	span = kvzalloc(sizeof(*span), GFP_KERNEL);
	if (!span)
		return -ENOMEM;
	out->blueprint = *bp;
	ret = span_compose(span, tm, gpu, bp, out, reason);
	kvfree(span);
	return ret;
}

/**
 * tess_mdev_recompose_span() - give a vGPU of several GPUs another shape, while it is in use
 * @tm: vGPU; shape.lock is held
 * @bp: what is wanted, of as many GPUs
 * @reason: filled if it is refused
 *
 * Return: as tess_span_recompose().
 */
int tess_mdev_recompose_span(struct tess_mdev *tm, const struct tess_blueprint *bp,
			     struct tess_reason *reason)
{
	const struct tess_span_request req = {
		.name = dev_name(tm->vdev.dev),
		.blueprint = bp,
	};
	struct tess_vgpu *vgpus[TESS_MDEV_MAX_PARTS];
	unsigned int i;
	int ret;

	lockdep_assert_held(&tm->shape.lock);
	for (i = 0; i < tm->parts.count; i++)
		vgpus[i] = tm->parts.part[i]->vgpu;
	tess_mdev_page_hold(tm);
	ret = tess_span_recompose(vgpus, tm->parts.count, &req, reason);
	if (tess_mdev_page_release(tm, ret ? NULL : bp))
		tess_mdev_tell(tm);
	return ret;
}
