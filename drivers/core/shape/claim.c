// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims: elastic vGPUs whose slices and VRAM are their own.
 *
 * DOC: Claims
 *
 * Processes share what nobody else has. Those that are to have something for certain get an elastic
 * vGPU with a blueprint: slices that no composition takes, and a quota of VRAM. All else is as with
 * the one that holds what is free: rings, and how slices come (restore()) and go (closing(),
 * reclaim()). So a new blueprint is simple: slices come, then others go, and the front-end moves
 * the queues of processes as always.
 *
 * VRAM comes first, because others may have to be asked to evict theirs, which takes long and
 * is done without a lock. One that is to have less evicts its own, and until then it has the
 * smaller quota already: it cannot hold up what shrinks it.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/vgpu.h>

#include "algo/blueprint.h"
#include "algo/place.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "base/refuse.h"
#include "check.h"
#include "claim.h"
#include "compose.h"
#include "elastic.h"
#include "room.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

static u64 claim_bytes(const struct tess_blueprint *bp)
{
	return bp->memory * bp->slices;
}

/* ---- memory ---- */

static int claim_lacks_memory(struct tess_vgpu *vgpu, u64 bytes, struct tess_reason *reason)
{
	return tess_refuse(vgpu->gpu, vgpu->name, reason, -ENOSPC,
			   "insufficient VRAM: %llu bytes free, %llu more asked",
			   tess_gpu_vram_free(vgpu->gpu), bytes);
}

/* It has the smaller one of the two quotas, and may have used more than that */
static int claim_evict(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	u64 excess, freed = 1;

	excess = tess_vram_quota_excess(gpu, &vgpu->quota);
	while (excess && freed && vgpu->ops->evict) {
		freed = vgpu->ops->evict(vgpu, excess);
		excess = tess_vram_quota_excess(gpu, &vgpu->quota);
	}
	if (!excess)
		return 0;
	return tess_refuse(gpu, vgpu->name, reason, -EBUSY,
			   "%llu bytes of VRAM more than that are in use", excess);
}

/**
 * tess_claim_memory() - begin to change the quota of VRAM of a vGPU that claims
 * @vgpu: vGPU; no lock is held, and nobody else changes it
 * @bp: what it is to be, checked
 * @reason: filled if it is refused; may be NULL
 *
 * If it succeeds tess_claim_settle() has to follow.
 *
 * Return: 0; -ENOSPC; -EBUSY what it has is in use.
 */
int tess_claim_memory(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
		      struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	u64 limit = claim_bytes(bp), old = vgpu->quota.limit;
	int rc;

	rc = tess_vram_quota_set(gpu, &vgpu->quota, limit);
	if (rc == -ENOSPC) {
		tess_gpu_make_room(gpu, limit - old);
		rc = tess_vram_quota_set(gpu, &vgpu->quota, limit);
	}
	if (rc)
		return claim_lacks_memory(vgpu, limit - old, reason);
	rc = claim_evict(vgpu, reason);
	if (rc)
		tess_vram_quota_settle(gpu, &vgpu->quota, old);
	return rc;
}

/**
 * tess_claim_settle() - end the change of a quota
 * @vgpu: vGPU
 * @bp: what it is now: as it was, or as it was to be
 */
void tess_claim_settle(struct tess_vgpu *vgpu, const struct tess_blueprint *bp)
{
	tess_vram_quota_settle(vgpu->gpu, &vgpu->quota, claim_bytes(bp));
}

/* ---- slices ---- */

/* Those that it has */
static u64 claim_slices(const struct tess_vgpu *vgpu)
{
	u64 mask = 0;
	unsigned int i;

	spin_lock(&vgpu->gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++)
		if (vgpu->vslices[i].slice)
			mask |= BIT_ULL(i);
	spin_unlock(&vgpu->gpu->lock);
	return mask;
}

/* As many as possible of those that it has */
static int claim_place(const struct tess_vgpu *vgpu, const struct tess_blueprint *bp, u64 has,
		       u64 *wanted, struct tess_reason *reason)
{
	struct tess_place_request req = {
		.n = bp->slices, .kind = bp->kind, .topology = bp->topology, .keep = has,
	};
	u32 kinds[TESS_MAX_SLICES];
	u8 slices[TESS_MAX_SLICES];
	struct tess_place place;
	unsigned int i;

	tess_vgpu_free_slices(vgpu, bp, kinds, &place);
	if (tess_place_choose(&place, &req, slices)) {
		place.free |= has;
		return tess_refuse_slices(vgpu, bp, tess_place_free(&place, bp->kind), reason);
	}
	*wanted = 0;
	for (i = 0; i < bp->slices; i++)
		*wanted |= BIT_ULL(slices[i]);
	return 0;
}

/* All or none; -EIO one turned out to be faulty */
static int claim_take(struct tess_vgpu *vgpu, u64 mask)
{
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int i;
	u64 taken = 0;
	int rc = 0;

	tess_slices_reclaim(gpu, mask);
	for (i = 0; !rc && i < gpu->info.slice_count; i++) {
		if (!(mask & BIT_ULL(i)))
			continue;
		rc = tess_compose_step();
		if (!rc)
			rc = tess_slice_take(&gpu->slices[i], vgpu, i);
		if (!rc)
			taken |= BIT_ULL(i);
	}
	for (i = 0; rc && i < gpu->info.slice_count; i++)
		if (taken & BIT_ULL(i))
			tess_slice_release(&gpu->slices[i]);
	return rc;
}

static void claim_restore(struct tess_vgpu *vgpu, u64 mask)
{
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++)
		if ((mask & BIT_ULL(i)) && vgpu->ops->restore)
			vgpu->ops->restore(vgpu, i);
}

/**
 * tess_claim_compose() - get slices for a new vGPU that claims
 * @vgpu: vGPU that nobody was told of; compose is held
 * @reason: filled if it is refused; may be NULL
 *
 * Return: 0, -ENOSPC, -ENODEV, -ENOMEM.
 */
int tess_claim_compose(struct tess_vgpu *vgpu, struct tess_reason *reason)
{
	u64 wanted;
	int rc;

	lockdep_assert_held(&vgpu->gpu->compose);
	do {
		rc = claim_place(vgpu, &vgpu->blueprint, 0, &wanted, reason);
		if (!rc)
			rc = claim_take(vgpu, wanted);
	} while (rc == -EIO);
	return rc;
}

static int claim_change(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			struct tess_reason *reason)
{
	struct tess_gpu *gpu = vgpu->gpu;
	u64 had = claim_slices(vgpu), wanted;
	int rc;

	lockdep_assert_held(&gpu->compose);
	if (READ_ONCE(gpu->gone) || READ_ONCE(vgpu->dying))
		return -ENODEV;
	if (gpu->asleep)
		return tess_refuse(gpu, vgpu->name, reason, -EBUSY, "the GPU is asleep");
	do {
		rc = claim_place(vgpu, bp, had, &wanted, reason);
		if (!rc)
			rc = claim_take(vgpu, wanted & ~had);
	} while (rc == -EIO);
	if (rc)
		return rc;
	claim_restore(vgpu, wanted & ~had);
	tess_slices_give_up(vgpu, had & ~wanted);
	spin_lock(&gpu->lock);
	vgpu->blueprint = *bp;
	vgpu->generation++;
	spin_unlock(&gpu->lock);
	if (vgpu->ops->config)
		vgpu->ops->config(vgpu);
	return 0;
}

/**
 * tess_claim_recompose() - tess_vgpu_recompose() of a vGPU that claims
 * @vgpu: vGPU; nobody else recomposes it meanwhile
 * @blueprint: what it is to be
 * @reason: filled if it is refused; may be NULL
 *
 * Return: as tess_vgpu_recompose().
 */
int tess_claim_recompose(struct tess_vgpu *vgpu, const struct tess_blueprint *blueprint,
			 struct tess_reason *reason)
{
	struct tess_blueprint bp = *blueprint, old;
	struct tess_gpu *gpu = vgpu->gpu;
	int rc;

	tess_blueprint_resolve(&bp);
	rc = tess_claim_check(gpu, vgpu->name, &bp, reason);
	if (!rc)
		rc = tess_claim_memory(vgpu, &bp, reason);
	if (rc)
		return rc;
	tess_vgpu_blueprint(vgpu, &old);
	mutex_lock(&gpu->compose);
	rc = claim_change(vgpu, &bp, reason);
	tess_elastic_fill(gpu);
	mutex_unlock(&gpu->compose);
	tess_claim_settle(vgpu, rc ? &old : &bp);
	return rc;
}
