// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: parts
 *
 * What a vGPU consists of is one struct tess_vgpu of the core, its *part*, or several of as
 * many GPUs. Vslices are numbered through the parts: those of the first, then those of the
 * second. All that concerns one vslice, its doorbell, registers, record and call-backs, goes to
 * its part under its number there (tess_mdev_find(), &tess_mdev_part.first). All that concerns
 * the vGPU is done for each part: resets, stage 2, DMA mappings (dma.c).
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_mem.h>
#include "parts.h"

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

/* Busy time @x and @y: the mean of what is counted in it */
static u32 busy_mean(u64 x, u32 a, u64 y, u32 b)
{
	return x + y ? div64_u64(x * a + y * b, x + y) : 0;
}

/* A mean of two, by slices; of what is counted while they are busy, by their busy time */
static void parts_add_profile(struct tess_profile *sum, const struct tess_profile *p)
{
	u64 a = sum->slices, b = p->slices, n = a + b;
	u64 x = a * sum->utilization, y = b * p->utilization;

	sum->utilization = div64_u64(x + y, n);
	sum->queue_milli = div64_u64(a * sum->queue_milli + b * p->queue_milli, n);
	sum->shader = busy_mean(x, sum->shader, y, p->shader);
	sum->texture = busy_mean(x, sum->texture, y, p->texture);
	sum->pixel = busy_mean(x, sum->pixel, y, p->pixel);
	sum->ray = busy_mean(x, sum->ray, y, p->ray);
	sum->units = busy_mean(x, sum->units, y, p->units);
	sum->memory = busy_mean(x, sum->memory, y, p->memory);
	sum->ops = busy_mean(sum->fps, sum->ops, p->fps, p->ops);
	sum->fps = min_t(u64, (u64)sum->fps + p->fps, U32_MAX);
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
			parts_add_profile(profile, &one);
	}
	return ret;
}

/* ---- the composition page ---- */

/* Links are between slices of one GPU */
static void parts_add_composition(struct tess_composition *out, const struct tess_composition *one,
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
		parts_add_composition(out, scratch, parts->part[i]->first);
	}
}
