// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: parts
 *
 * What a vGPU consists of is one struct tess_vgpu of the core, its *part*, or several of as
 * many GPUs. Vslices are numbered through the parts: those of the first, then those of the
 * second. All that concerns one vslice, its doorbell, registers, record and call-backs, goes to
 * its part under its number there (tess_mdev_find(), &tess_mdev_part.first). All that concerns
 * the vGPU is done for each part: resets, stage 2, DMA mappings (dma.c).
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
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "device.h"
#include "parent.h"
#include "parts.h"

/* Others may be faster than we are; not for ever */
#define SPAN_TRIES 4

/* ---- questions ---- */

bool tess_mdev_has_part(const struct tess_mdev_parts *parts, const struct tess_mdev_part *part)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++)
		if (parts->part[i] == part)
			return true;
	return false;
}

struct tess_vgpu *tess_mdev_part_on(const struct tess_mdev_parts *parts, const struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++)
		if (tess_vgpu_gpu(parts->part[i]->vgpu) == gpu)
			return parts->part[i]->vgpu;
	return NULL;
}

bool tess_mdev_parts_gone(const struct tess_mdev_parts *parts)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++)
		if (tess_vgpu_is_gone(parts->part[i]->vgpu))
			return true;
	return false;
}

unsigned int tess_mdev_parts_vslices(const struct tess_mdev_parts *parts)
{
	const struct tess_mdev_part *last;

	if (!parts->count)
		return 0;
	last = parts->part[parts->count - 1];
	return last->first + tess_vgpu_vslices(last->vgpu);
}

void tess_mdev_parts_gpus(const struct tess_mdev_parts *parts, unsigned long *gpus)
{
	unsigned int i;

	for (i = 0; i < parts->count; i++)
		__set_bit(tess_gpu_info(tess_vgpu_gpu(parts->part[i]->vgpu))->index, gpus);
}

void tess_mdev_parts_blueprint(const struct tess_mdev_parts *parts, struct tess_blueprint *bp)
{
	if (tess_mdev_spans(parts))
		*bp = parts->blueprint;
	else
		tess_vgpu_blueprint(tess_mdev_first(parts), bp);
}

/* A mean of two, by slices; of what is counted while they are busy, by their busy time */
static void add_profile(struct tess_profile *sum, const struct tess_profile *p)
{
	u64 a = sum->slices, b = p->slices, n = a + b;
	u64 x = a * sum->utilization, y = b * p->utilization, busy = x + y;

	sum->utilization = div64_u64(busy, n);
	sum->queue_milli = div64_u64(a * sum->queue_milli + b * p->queue_milli, n);
	sum->shader = busy ? div64_u64(x * sum->shader + y * p->shader, busy) : 0;
	sum->memory = busy ? div64_u64(x * sum->memory + y * p->memory, busy) : 0;
	sum->slices = n;
}

int tess_mdev_parts_profile(const struct tess_mdev_parts *parts, struct tess_profile *profile)
{
	struct tess_profile one;
	unsigned int i;
	int ret;

	ret = tess_vgpu_profile(tess_mdev_first(parts), profile);
	for (i = 1; !ret && i < parts->count; i++) {
		ret = tess_vgpu_profile(parts->part[i]->vgpu, &one);
		if (!ret)
			add_profile(profile, &one);
	}
	return ret;
}

/* ---- the composition page ---- */

/* Links are between slices of one GPU */
static void add_composition(struct tess_composition *out, const struct tess_composition *one,
			    unsigned int first)
{
	unsigned int i, n = le32_to_cpu(one->slice_count);

	le64_add_cpu(&out->generation, le64_to_cpu(one->generation) - 1);
	out->slice_mask |= cpu_to_le64(le64_to_cpu(one->slice_mask) << first);
	le32_add_cpu(&out->slice_count, n);
	out->engines |= one->engines;
	for (i = 0; i < n; i++) {
		out->slice[first + i] = one->slice[i];
		out->slice[first + i].links =
			cpu_to_le64(le64_to_cpu(one->slice[i].links) << first);
	}
}

void tess_mdev_parts_composition(const struct tess_mdev_parts *parts,
				 struct tess_composition *scratch, struct tess_composition *out)
{
	unsigned int i;

	if (!parts->count)
		return;
	tess_vgpu_composition(tess_mdev_first(parts), out);
	if (!tess_mdev_spans(parts))
		return;
	out->topology = cpu_to_le32(parts->blueprint.topology);
	for (i = 1; i < parts->count; i++) {
		tess_vgpu_composition(parts->part[i]->vgpu, scratch);
		add_composition(out, scratch, parts->part[i]->first);
	}
}

/* ---- one part ---- */

static struct tess_vgpu *create_vgpu(struct tess_mdev_part *part, struct tess_gpu *gpu,
				     const struct tess_blueprint *bp, struct tess_vgpu *continues,
				     struct tess_reason *reason)
{
	const struct tess_vgpu_params params = {
		.name = dev_name(part->tm->vdev.dev),
		.blueprint = *bp,
		.part = part->spans,
		.ops = &tess_mdev_client_ops,
		.priv = part,
		.owner = THIS_MODULE,
		/* Of its name there may be one more on a GPU */
		.replaces = tess_mdev_part_on(&part->tm->parts, gpu),
		.continues = continues,
		.reason = reason,
	};

	return tess_vgpu_create(gpu, &params);
}

static int create_part(struct tess_mdev_part *part, struct tess_gpu *gpu,
		       const struct tess_blueprint *bp, struct tess_vgpu *continues,
		       struct tess_reason *reason)
{
	struct tess_vgpu *vgpu;
	struct tess_as *as;
	int ret;

	vgpu = create_vgpu(part, gpu, bp, continues, reason);
	if (IS_ERR(vgpu))
		return PTR_ERR(vgpu);
	as = tess_mdev_stage2_create(vgpu);
	if (IS_ERR(as)) {
		tess_vgpu_destroy(vgpu);
		return PTR_ERR(as);
	}
	ret = tess_vgpu_set_stage2(vgpu, as);
	if (ret) {
		/* Some vslices may have it */
		tess_vgpu_destroy(vgpu);
		tess_as_destroy(as);
		return ret;
	}
	part->vgpu = vgpu;
	part->dev = tess_gpu_dev(gpu);
	part->as = as;
	return 0;
}

static void free_blocks(struct tess_mdev_part *part)
{
	bitmap_free(part->touched);
	bitmap_free(part->blocks);
}

static void destroy_part(struct tess_mdev_part *part)
{
	/* Until its slices were reset, stage 2 is what keeps them from the host's memory */
	tess_vgpu_destroy(part->vgpu);
	tess_as_destroy(part->as);
	free_blocks(part);
	kfree(part);
}

/* As of memory of which nothing is known */
static int alloc_blocks(struct tess_mdev_part *part)
{
	const struct tess_vram *vram = tess_vgpu_vram(part->vgpu);
	unsigned int count = vram ? TESS_VRAM_BLOCKS(vram) : 0;

	if (!count)
		return 0;
	part->touched = bitmap_alloc(count, GFP_KERNEL_ACCOUNT);
	part->blocks = bitmap_alloc(count, GFP_KERNEL_ACCOUNT);
	if (!part->touched || !part->blocks)
		return -ENOMEM;
	bitmap_fill(part->touched, count);
	return 0;
}

/* The next one of @out */
static int add_part(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
		    struct tess_vgpu *continues, struct tess_mdev_parts *out,
		    struct tess_reason *reason)
{
	struct tess_mdev_part *part;
	int ret;

	part = kzalloc_obj(*part);
	if (!part)
		return -ENOMEM;
	part->tm = tm;
	part->first = tess_mdev_parts_vslices(out);
	part->spans = out->blueprint.gpus > 1;
	ret = create_part(part, gpu, bp, continues, reason);
	if (ret) {
		kfree(part);
		return ret;
	}
	ret = alloc_blocks(part);
	if (ret)
		destroy_part(part);
	else
		out->part[out->count++] = part;
	return ret;
}

/**
 * tess_mdev_compose() - make a composition, which is not the vGPU's yet
 * @tm: vGPU; shape.lock is held, or nobody knows it yet
 * @gpu: GPU, in use
 * @bp: what is wanted, of one GPU
 * @continues: composition of another GPU that it continues; NULL: none
 * @out: result; has no part
 * @reason: filled if it is refused
 *
 * Return: as tess_vgpu_create().
 */
int tess_mdev_compose(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
		      struct tess_vgpu *continues, struct tess_mdev_parts *out,
		      struct tess_reason *reason)
{
	int ret;

	/* Before the vGPU: call-backs use them */
	ret = tess_mdev_doorbells_grow(tm, max(bp->slices, bp->max));
	return ret ?: add_part(tm, gpu, bp, continues, out, reason);
}

/**
 * tess_mdev_decompose() - give up a composition that is not the vGPU's, or not any more
 * @parts: composition; has no part then
 */
void tess_mdev_decompose(struct tess_mdev_parts *parts)
{
	while (parts->count)
		destroy_part(parts->part[--parts->count]);
}

/* ---- several ---- */

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

static void find_gpus(struct span *span, struct tess_mdev_frontend *frontend, struct tess_gpu *gpu)
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
static int plan(struct span *span, struct tess_mdev *tm, struct tess_gpu *gpu,
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
	find_gpus(span, frontend, gpu);
	ret = tess_span_plan(span->gpus, span->count, &req, span->parts, reason);
	for (i = 1; i < span->count; i++) {
		if (!ret && span->parts[i].slices)
			kref_get(&span->parents[i]->ref);
		else
			span->parents[i] = NULL;
	}
	return ret;
}

static int add_parent_part(struct tess_mdev *tm, struct tess_mdev_parent *parent,
			   const struct tess_blueprint *bp, struct tess_mdev_parts *out,
			   struct tess_reason *reason)
{
	/* It is gone: somebody else may have as many slices */
	int ret = -ENOSPC;

	/* Inside that of the caller; who writes has to be alone with the pool */
	down_read_nested(&parent->lock, SINGLE_DEPTH_NESTING);
	if (parent->gpu)
		ret = add_part(tm, parent->gpu, bp, NULL, out, reason);
	up_read(&parent->lock);
	return ret;
}

static int add_planned(struct span *span, struct tess_mdev *tm, struct tess_mdev_parts *out,
		       struct tess_reason *reason)
{
	unsigned int i;
	int ret = 0;

	if (span->parts[0].slices)
		ret = add_part(tm, span->gpus[0], &span->parts[0], NULL, out, reason);
	for (i = 1; i < span->count; i++) {
		if (!span->parents[i])
			continue;
		if (!ret)
			ret = add_parent_part(tm, span->parents[i], &span->parts[i], out, reason);
		tess_mdev_parent_put(span->parents[i]);
	}
	if (ret)
		tess_mdev_decompose(out);
	return ret;
}

static int compose_span(struct span *span, struct tess_mdev *tm, struct tess_gpu *gpu,
			const struct tess_blueprint *bp, struct tess_mdev_parts *out,
			struct tess_reason *reason)
{
	unsigned int tries = SPAN_TRIES;
	int ret;

	do {
		reason->text[0] = 0;
		ret = plan(span, tm, gpu, bp, reason);
		if (ret)
			return ret;
		ret = add_planned(span, tm, out, reason);
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
	ret = compose_span(span, tm, gpu, bp, out, reason);
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
