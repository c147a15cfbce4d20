// SPDX-License-Identifier: GPL-2.0-only
/*
 * A composition is made, part by part (parts.c), and given up.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "client.h"
#include "compose.h"
#include "map/doorbell.h"
#include "mem/dma.h"

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
	unsigned int i;

	bitmap_free(part->touched);
	for (i = 0; i < TESS_MDEV_GATHERERS; i++)
		bitmap_free(part->fresh[i]);
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
	unsigned int count = vram ? TESS_VRAM_BLOCKS(vram) : 0, i;

	if (!count)
		return 0;
	part->touched = bitmap_alloc(count, GFP_KERNEL_ACCOUNT);
	part->blocks = bitmap_alloc(count, GFP_KERNEL_ACCOUNT);
	if (!part->touched || !part->blocks)
		return -ENOMEM;
	bitmap_fill(part->touched, count);
	for (i = 0; i < TESS_MDEV_GATHERERS; i++) {
		part->fresh[i] = bitmap_alloc(count, GFP_KERNEL_ACCOUNT);
		if (!part->fresh[i])
			return -ENOMEM;
		bitmap_fill(part->fresh[i], count);
	}
	return 0;
}

/**
 * tess_mdev_add_part() - make the next part of a composition
 * @tm: vGPU
 * @gpu: GPU, in use
 * @bp: what is wanted of it
 * @continues: as in tess_mdev_compose()
 * @out: composition that it joins
 * @reason: filled if it is refused
 *
 * Return: as tess_vgpu_create().
 */
int tess_mdev_add_part(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
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
	return ret ?: tess_mdev_add_part(tm, gpu, bp, continues, out, reason);
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
