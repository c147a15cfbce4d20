// SPDX-License-Identifier: GPL-2.0-only
/*
 * Composition: slices and memory for vGPUs.
 *
 * DOC: Composition
 *
 * A vGPU is composed whole or not at all, under tess_gpu.compose: memory first, because
 * that can fail without anybody noticing, then the slices. The memory is zeroed when the
 * mutex is free again, before the client knows the vGPU. What an elastic vGPU holds
 * counts as free; it is asked to let go (reclaim()) of exactly the slices that were
 * chosen and gets them back (restore()) when their owner is destroyed.
 *
 * A vGPU has as many vslices as its blueprint's max, for life, and memory for all of them:
 * that of each near the slice that it has, or is likely to get. As many as the blueprint
 * has slices are given; the others are withheld, their home is the slice of one that is
 * given, and they cost nothing as long as their client leaves them alone. Slices that run
 * more than one vslice of a vGPU that does not share, or may have to, are *dedicated*: the
 * scheduler's machinery runs them, for this vGPU alone.
 *
 * Each step that can fail can be made to fail (inject.c), because what is undone rarely is
 * wrong most often.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>

#include "algo/blueprint.h"
#include "algo/place.h"
#include "base/export.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "base/refuse.h"
#include "check.h"
#include "claim.h"
#include "compose.h"
#include "elastic.h"
#include "room.h"
#include "run/run.h"
#include "share.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/* ---- memory ---- */

/**
 * tess_vslice_bank() - where the memory of a vslice is
 * @vs: vslice of a vGPU with memory; compose is held
 *
 * Return: number of the slice in whose bank it begins.
 */
unsigned int tess_vslice_bank(const struct tess_vslice *vs)
{
	const struct tess_gpu_info *info = &vs->vgpu->gpu->info;
	u64 offset = vs->vgpu->banks[vs->index]->extent[0].offset;

	lockdep_assert_held(&vs->vgpu->gpu->compose);
	/* VRAM may go on behind the last bank */
	return min_t(u64, div64_u64(offset, info->bank_size), info->slice_count - 1);
}

/* @near: for each vslice, a slice */
static int vgpu_alloc_memory(struct tess_vgpu *vgpu, const u8 *near)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	struct tess_vram *bank;
	unsigned int i, count = 0;

	if (!bp->memory)
		return 0;
	vgpu->banks = kcalloc(vgpu->nr_vslices, sizeof(*vgpu->banks), GFP_KERNEL);
	if (!vgpu->banks)
		return -ENOMEM;
	for (i = 0; i < vgpu->nr_vslices; i++) {
		int rc = tess_compose_step();

		if (rc)
			return rc;
		bank = tess_vram_reserve_of(vgpu->gpu, NULL, bp->memory, near[i], false);
		if (IS_ERR(bank))
			return PTR_ERR(bank);
		vgpu->banks[i] = bank;
		count += bank->count;
	}
	vgpu->vram.extent = kvmalloc_array(count, sizeof(*vgpu->vram.extent), GFP_KERNEL);
	if (!vgpu->vram.extent)
		return -ENOMEM;
	for (i = 0; i < vgpu->nr_vslices; i++) {
		bank = vgpu->banks[i];
		memcpy(&vgpu->vram.extent[vgpu->vram.count], bank->extent,
		       bank->count * sizeof(*bank->extent));
		vgpu->vram.count += bank->count;
		vgpu->vram.size += bank->size;
	}
	return 0;
}

/**
 * tess_vgpu_clear_memory() - zero the memory that a new vGPU was composed with
 * @vgpu: vGPU whose client has not seen it yet; no lock is held
 *
 * Return: 0; -EBUSY the GPU is asleep, and somebody else's data is there still; -ENODEV nobody
 * reads it any more.
 */
int tess_vgpu_clear_memory(struct tess_vgpu *vgpu)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && vgpu->banks && i < vgpu->nr_vslices; i++)
		rc = tess_vram_clear(vgpu->banks[i]);
	return rc;
}

static void vgpu_free_memory(struct tess_vgpu *vgpu)
{
	bool is_read = false;
	unsigned int i;

	for (i = 0; vgpu->banks && i < vgpu->nr_vslices; i++) {
		if (!vgpu->banks[i])
			continue;
		is_read |= tess_vram_revoke(vgpu->gpu, vgpu->banks[i]);
		tess_vram_free(vgpu->gpu, vgpu->banks[i]);
	}
	if (is_read)
		tess_room_revoked(vgpu->gpu);
	kfree(vgpu->banks);
	kvfree(vgpu->vram.extent);
	vgpu->banks = NULL;
	memset(&vgpu->vram, 0, sizeof(vgpu->vram));
}

/* ---- composition ---- */

/* Slices that have what becomes of the frames of heads */
static u64 slices_for_heads(const struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	u32 engines = tess_blueprint_is_remote(bp) ? TESS_ENGINES_CAPTURE : TESS_ENGINE_DISPLAY;
	unsigned int i;
	u64 mask = 0;

	for (i = 0; i < gpu->info.slice_count; i++)
		if (gpu->slices[i].info.engines & engines)
			mask |= BIT_ULL(i);
	return mask;
}

/**
 * tess_gpu_free_slices() - which slices can be had?
 * @gpu: GPU
 * @bp: what they are for
 * @kinds: for @place, one for each slice
 * @place: result
 */
void tess_gpu_free_slices(struct tess_gpu *gpu, const struct tess_blueprint *bp, u32 *kinds,
			  struct tess_place *place)
{
	unsigned int i;

	place->count = gpu->info.slice_count;
	place->free = 0;
	place->avoid = 0;
	place->unfit = tess_blueprint_unfit(gpu, bp);
	place->heads = slices_for_heads(gpu, bp);
	place->kind = kinds;
	spin_lock(&gpu->lock);
	for (i = 0; i < gpu->info.slice_count; i++) {
		kinds[i] = gpu->slices[i].info.kind;
		if (tess_slice_can_be_had(&gpu->slices[i]))
			place->free |= BIT_ULL(i);
	}
	spin_unlock(&gpu->lock);
}

/* Slices at whose banks there is memory of vslices that have no slice yet */
static u64 vgpu_grows_to(const struct tess_vgpu *vgpu)
{
	unsigned int i;
	u64 mask = 0;

	if (!vgpu->banks || vgpu->blueprint.shared)
		return 0;
	for (i = vgpu->blueprint.slices; i < vgpu->nr_vslices; i++)
		mask |= BIT_ULL(tess_vslice_bank(&vgpu->vslices[i]));
	return mask;
}

/**
 * tess_vgpu_free_slices() - what placement has to choose from
 * @vgpu: for which vGPU; compose is held
 * @bp: what it is to be
 * @kinds: for @place, one for each slice
 * @place: result
 */
void tess_vgpu_free_slices(const struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			   u32 *kinds, struct tess_place *place)
{
	struct tess_gpu *gpu = vgpu->gpu;
	const struct tess_vgpu *other;

	lockdep_assert_held(&gpu->compose);
	tess_gpu_free_slices(gpu, bp, kinds, place);
	spin_lock(&gpu->lock);
	list_for_each_entry(other, &gpu->vgpus, link)
		if (other != vgpu)
			place->avoid |= vgpu_grows_to(other);
	spin_unlock(&gpu->lock);
}

/* @slices: for those that are given, then those that the others are likely to get */
static int vgpu_place(struct tess_vgpu *vgpu, u8 *slices, struct tess_reason *reason)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	struct tess_place_request req = {
		.n = bp->slices, .kind = bp->kind, .topology = bp->topology, .heads = bp->heads,
	};
	u32 kinds[TESS_MAX_SLICES];
	struct tess_place place;

	tess_vgpu_free_slices(vgpu, bp, kinds, &place);
	if (tess_place_choose(&place, &req, slices))
		return tess_refuse_slices(vgpu, bp, tess_place_free(&place, bp->kind), reason);
	tess_place_likely(&place, &req, vgpu->nr_vslices, slices);
	return 0;
}

/* Nobody knows where there will be room */
static int vgpu_place_shared(struct tess_vgpu *vgpu, u8 *slices, struct tess_reason *reason)
{
	unsigned int i, n = vgpu->blueprint.slices;
	int rc;

	rc = tess_share_place(vgpu, slices, reason);
	for (i = n; !rc && i < vgpu->nr_vslices; i++)
		slices[i] = slices[i % n];
	return rc;
}

/* Give all slices back that the vGPU has; compose is held */
static void vgpu_release_slices(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_slice *slice;
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++) {
		spin_lock(&gpu->lock);
		slice = vgpu->vslices[i].slice;
		spin_unlock(&gpu->lock);
		if (slice && tess_vgpu_takes_turns(vgpu))
			tess_share_leave(slice, &vgpu->vslices[i]);
		else if (slice)
			tess_slice_release(slice);
	}
}

static int vgpu_take_slice(struct tess_vgpu *vgpu, struct tess_slice *slice, unsigned int vslice)
{
	int rc = tess_compose_step();

	if (rc)
		return rc;
	if (tess_vgpu_takes_turns(vgpu))
		return tess_share_join(slice, &vgpu->vslices[vslice]);
	return tess_slice_take(slice, vgpu, vslice);
}

/* What was queued before it came here may need the links that there were */
static u64 vslice_continued_reach(const struct tess_vslice *vs)
{
	struct tess_vgpu *from = vs->vgpu->continues;
	u64 reach = 0;

	if (!from)
		return 0;
	spin_lock(&from->gpu->lock);
	if (from->blueprint.topology == vs->vgpu->blueprint.topology)
		reach = from->vslices[vs->index].reach;
	spin_unlock(&from->gpu->lock);
	return reach;
}

static int vgpu_setup(struct tess_vgpu *vgpu)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < vgpu->nr_vslices; i++) {
		vgpu->vslices[i].reach = tess_topology_reach(bp, i, vgpu->nr_vslices) |
					 vslice_continued_reach(&vgpu->vslices[i]);
		rc = tess_compose_step();
		if (!rc)
			rc = tess_vslice_setup(&vgpu->vslices[i], bp->engines);
	}
	return rc;
}

/* -EAGAIN: a slice turned out to be faulty, choose again without it */
static int vgpu_take_slices(struct tess_vgpu *vgpu, const u8 *slices)
{
	unsigned int i, n = vgpu->blueprint.slices;
	u64 mask = 0;
	int rc = 0;

	for (i = 0; i < n; i++)
		mask |= BIT_ULL(slices[i]);
	tess_slices_reclaim(vgpu->gpu, mask);
	for (i = 0; !rc && i < vgpu->nr_vslices; i++)
		rc = vgpu_take_slice(vgpu, &vgpu->gpu->slices[slices[i % n]], i);
	if (!rc)
		rc = vgpu_setup(vgpu);
	if (rc)
		vgpu_release_slices(vgpu);
	return rc == -EIO ? -EAGAIN : rc;
}

static int vgpu_compose_once(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	u8 slices[TESS_MAX_SLICES];
	int rc;

	rc = vgpu->blueprint.shared ? vgpu_place_shared(vgpu, slices, reason) :
				      vgpu_place(vgpu, slices, reason);
	if (rc)
		return rc;
	rc = vgpu_alloc_memory(vgpu, slices);
	/* The first time its creator has room made, and tries again */
	if (rc == -ENOSPC && vgpu->lacks_memory)
		tess_refuse(vgpu->gpu, vgpu->name, reason, rc,
			    "insufficient VRAM: %llu bytes free, %llu asked",
			    tess_gpu_vram_free(vgpu->gpu),
			    vgpu->blueprint.memory * vgpu->nr_vslices);
	vgpu->lacks_memory = rc == -ENOSPC;
	if (!rc)
		rc = vgpu_take_slices(vgpu, slices);
	if (rc)
		vgpu_free_memory(vgpu);
	return rc;
}

/**
 * tess_vgpu_compose() - get memory and slices
 * @vgpu: new vGPU; compose is held
 * @reason: filled if slices or memory are missing; may be NULL
 *
 * Return: 0, -ENOSPC, -ENOMEM, -ENODEV, -EBUSY the GPU has one already that holds what is free.
 */
int tess_vgpu_compose(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	int rc;

	lockdep_assert_held(&gpu->compose);
	if (!vgpu->elastic) {
		/* One that continues another begins with contexts */
		vgpu->dedicated = tess_blueprint_is_dedicated(&vgpu->blueprint) ||
				  (vgpu->continues && !vgpu->blueprint.shared);
		rc = tess_vgpu_takes_turns(vgpu) ? tess_share_alloc(vgpu) : 0;
		if (rc)
			return rc;
		do {
			rc = vgpu_compose_once(vgpu, reason);
		} while (rc == -EAGAIN);
		return rc;
	}
	if (vgpu->claims)
		return tess_claim_compose(vgpu, reason);
	spin_lock(&gpu->lock);
	rc = gpu->elastic ? -EBUSY : 0;
	if (!rc)
		gpu->elastic = vgpu;
	spin_unlock(&gpu->lock);
	if (!rc)
		tess_elastic_fill(gpu);
	return rc;
}

/**
 * tess_vgpu_decompose() - return everything to the pool
 * @vgpu: vGPU, also one that tess_vgpu_compose() failed for; compose is held
 *
 * On return the GPU makes no access for the client.
 */
void tess_vgpu_decompose(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;

	lockdep_assert_held(&gpu->compose);
	spin_lock(&gpu->lock);
	if (gpu->elastic == vgpu)
		gpu->elastic = NULL;
	spin_unlock(&gpu->lock);
	vgpu_release_slices(vgpu);
	tess_share_free(vgpu);
	vgpu_free_memory(vgpu);
}

unsigned int tess_gpu_available(struct tess_gpu *gpu, const struct tess_blueprint *blueprint)
{
	struct tess_blueprint bp = *blueprint;
	u32 kinds[TESS_MAX_SLICES];
	struct tess_place place;
	unsigned int n;
	u64 bytes = 0;
	int idx;

	tess_blueprint_resolve(&bp);
	if (!tess_blueprint_is_possible(gpu, &bp) || READ_ONCE(gpu->leaving) ||
	    !tess_gpu_enter(gpu, &idx))
		return 0;
	if (bp.memory)
		bytes = tess_gpu_ops(gpu)->vram_free_bytes(gpu->be, TESS_MEMORY_GRANULE);
	tess_gpu_exit(gpu, idx);

	if (bp.shared) {
		n = tess_share_available(gpu, &bp);
	} else {
		tess_gpu_free_slices(gpu, &bp, kinds, &place);
		n = tess_place_free(&place, bp.kind) / bp.slices;
	}
	if (bp.memory)
		n = min_t(u64, n, div64_u64(bytes, bp.memory * bp.max));
	return n;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_available, TESS_NS);

unsigned int tess_gpu_room(struct tess_gpu *gpu, const struct tess_blueprint *blueprint)
{
	struct tess_blueprint bp = *blueprint;
	unsigned int n = tess_gpu_available(gpu, &bp);
	u32 kinds[TESS_MAX_SLICES];
	struct tess_place place;

	tess_blueprint_resolve(&bp);
	if (!n || !tess_blueprint_is_remote(&bp))
		return n;
	tess_gpu_free_slices(gpu, &bp, kinds, &place);
	return 1 + hweight64(place.free & place.heads);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_room, TESS_NS);
