// SPDX-License-Identifier: GPL-2.0-only
/*
 * The elastic vGPU: what is free, until somebody asks for it.
 *
 * DOC: The elastic vGPU
 *
 * It holds the slices that no other vGPU has. A composition takes from it exactly the slices that
 * were chosen (reclaim()), and a slice that is free again goes back to it (restore()). Its rings
 * are gone before a slice changes hands. Elastic vGPUs that claim their slices (claim.c) give
 * them up in the same way, but only when they want to.
 */
#include <tessera/compat.h>

#include "base/gpu.h"
#include "elastic.h"
#include "run/run.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/* A ring that is on the slice or takes turns there, or NULL */
static struct tess_vslice *elastic_any_ring(struct tess_slice *slice)
{
	struct tess_policy_entity *e = slice->rq.policy.first;

	return e ? to_tess_vslice(e) : tess_slice_resident(slice);
}

/* A front-end that left a ring behind must not reach the next owner's slice */
static void elastic_drop_rings(struct tess_slice *slice)
{
	struct tess_vslice *vs;

	lockdep_assert_held(&slice->hw);
	if (slice->state != TESS_SLICE_ELASTIC)
		return;
	while ((vs = elastic_any_ring(slice))) {
		dev_err(&slice->gpu->dev, "slice %u: \"%s\" left a ring behind\n", slice->index,
			slice->client->name);
		tess_ring_drop(vs->ring);
	}
}

/**
 * tess_slice_release() - take a slice from its owner
 * @slice: slice; tess_gpu.compose is held
 *
 * On return the slice makes no access for the owner.
 */
void tess_slice_release(struct tess_slice *slice)
{
	lockdep_assert_held(&slice->gpu->compose);
	mutex_lock(&slice->hw);
	elastic_drop_rings(slice);
	tess_slice_vacate(slice);
	mutex_unlock(&slice->hw);
}

/* The elastic vGPU that a slice leaves; NULL: it stays, as what another than @claimer claims */
static struct tess_vgpu *elastic_leave(struct tess_slice *slice, const struct tess_vgpu *claimer)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_vgpu *from = NULL;

	spin_lock(&gpu->lock);
	if (slice->state == TESS_SLICE_ELASTIC &&
	    (!slice->client->claims || slice->client == claimer)) {
		from = slice->client;
		slice->leaving = true;
	}
	spin_unlock(&gpu->lock);
	return from;
}

static void elastic_take(struct tess_slice *slice, const struct tess_vgpu *claimer)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_vgpu *from;

	lockdep_assert_held(&gpu->compose);
	from = elastic_leave(slice, claimer);
	if (!from)
		return;
	if (from->ops->reclaim && !READ_ONCE(gpu->gone))
		from->ops->reclaim(from, slice->vslice);
	tess_slice_release(slice);
}

/**
 * tess_slice_reclaim() - take a slice from the elastic vGPU that holds it
 * @slice: slice; tess_gpu.compose is held
 *
 * The slice is free afterwards, or faulty or absent if it is that. One that is claimed stays.
 */
void tess_slice_reclaim(struct tess_slice *slice)
{
	elastic_take(slice, NULL);
}

static void elastic_close(struct tess_slice *slice, const struct tess_vgpu *claimer)
{
	struct tess_vgpu *from = elastic_leave(slice, claimer);

	if (from && from->ops->closing && !READ_ONCE(slice->gpu->gone))
		from->ops->closing(from, slice->vslice);
}

static void elastic_take_all(struct tess_gpu *gpu, u64 mask, const struct tess_vgpu *claimer)
{
	unsigned int i;

	lockdep_assert_held(&gpu->compose);
	for (i = 0; i < gpu->info.slice_count; i++)
		if (mask & BIT_ULL(i))
			elastic_close(&gpu->slices[i], claimer);
	for (i = 0; i < gpu->info.slice_count; i++)
		if (mask & BIT_ULL(i))
			elastic_take(&gpu->slices[i], claimer);
}

/**
 * tess_slices_reclaim() - take slices from the elastic vGPU that holds them
 * @gpu: GPU; compose is held
 * @mask: slices; those of others stay theirs
 *
 * All of them take no new work before the first one is waited for, so that the waits of all
 * are one. Whoever does not use one of them in the end gives it back by tess_elastic_fill().
 */
void tess_slices_reclaim(struct tess_gpu *gpu, u64 mask)
{
	elastic_take_all(gpu, mask, NULL);
}

/**
 * tess_slices_give_up() - a vGPU gives up slices that it claimed
 * @vgpu: vGPU; tess_gpu.compose is held
 * @mask: slices
 *
 * As tess_slices_reclaim(). They are free until tess_elastic_fill().
 */
void tess_slices_give_up(struct tess_vgpu *vgpu, u64 mask)
{
	elastic_take_all(vgpu->gpu, mask, vgpu);
}

/**
 * tess_elastic_begin() - a new elastic vGPU is told of the slices that it has
 * @vgpu: vGPU that was published just now; compose is held
 */
void tess_elastic_begin(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int i;
	bool has;

	lockdep_assert_held(&gpu->compose);
	for (i = 0; vgpu->ops->restore && i < vgpu->nr_vslices; i++) {
		spin_lock(&gpu->lock);
		has = vgpu->vslices[i].slice;
		spin_unlock(&gpu->lock);
		if (has)
			vgpu->ops->restore(vgpu, i);
	}
}

static void elastic_offer(struct tess_slice *slice, struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = slice->gpu;
	bool free;

	spin_lock(&gpu->lock);
	free = slice->state == TESS_SLICE_FREE;
	spin_unlock(&gpu->lock);
	if (!free || tess_slice_take(slice, vgpu, slice->index))
		return;
	if (vgpu->ops->restore && vgpu->published)
		vgpu->ops->restore(vgpu, slice->index);
}

/**
 * tess_elastic_fill() - what is free goes to the elastic vGPU
 * @gpu: GPU; compose is held
 */
void tess_elastic_fill(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu;
	unsigned int i;

	lockdep_assert_held(&gpu->compose);
	spin_lock(&gpu->lock);
	vgpu = gpu->elastic;
	if (vgpu && (vgpu->dying || gpu->gone))
		vgpu = NULL;
	spin_unlock(&gpu->lock);
	if (!vgpu)
		return;
	for (i = 0; i < gpu->info.slice_count; i++)
		elastic_offer(&gpu->slices[i], vgpu);
}
