// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a vGPU can be, and why it cannot.
 *
 * DOC: Checks of blueprints
 *
 * These are the questions that need no look at what is free: is the blueprint in order, and can the
 * GPU do what it asks for? The message about too few slices is here, too: all placements use it.
 */
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>

#include "algo/blueprint.h"
#include "algo/words.h"
#include "base/gpu.h"
#include "base/refuse.h"
#include "check.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

static bool mode_is_valid(const struct tess_display_mode *mode)
{
	return mode->width <= TESS_WORDS_PIXELS_MAX && mode->height <= TESS_WORDS_PIXELS_MAX &&
	       mode->refresh <= TESS_WORDS_REFRESH_MAX;
}

static bool blueprint_is_valid(const struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	return bp->min >= 1 && bp->min <= bp->slices && bp->slices <= bp->max &&
	       bp->max <= TESS_MAX_SLICES && bp->kind <= TESS_KIND_MIXED &&
	       bp->heads <= TESS_HEADS_MAX && mode_is_valid(&bp->displays) &&
	       bp->shown.heads <= TESS_HEADS_MAX && mode_is_valid(&bp->shown.mode) &&
	       !(bp->engines & ~TESS_ENGINE_ALL) &&
	       bp->topology <= TESS_TOPOLOGY_MESH &&
	       bp->weight <= TESS_WEIGHT_MAX && bp->cap <= TESS_CAP_MAX &&
	       bp->texels <= TESS_RATE_MAX && bp->pixels <= TESS_RATE_MAX &&
	       !(bp->memory % TESS_MEMORY_GRANULE) && bp->memory <= gpu->info.vram_size;
}

static const char *blueprint_unsupported(const struct tess_gpu *gpu,
					 const struct tess_blueprint *bp)
{
	if (!tess_gpu_ops(gpu)->regs)
		return "the GPU has no registers for its client";
	if (bp->gpus > 1)
		return "gpus: its slices are of one GPU";
	if (bp->heads && !bp->memory)
		return "heads: what they show is memory, and it has none";
	if (!gpu->can_switch && (bp->shared || bp->automatic || tess_blueprint_is_dedicated(bp)))
		return "share, policy, min: the GPU cannot switch clients";
	return NULL;
}

static int blueprint_check_values(const struct tess_gpu *gpu, const char *name,
				  const struct tess_blueprint *bp, struct tess_reason *reason)
{
	if (bp->memory > gpu->info.vram_size)
		return tess_refuse(gpu, name, reason, -EINVAL, "memory=%llu: the GPU has %llu",
				   bp->memory, gpu->info.vram_size);
	if (!blueprint_is_valid(gpu, bp))
		return tess_refuse(gpu, name, reason, -EINVAL, "contradictory or out of range");
	return 0;
}

/**
 * tess_blueprint_check() - can there be such a vGPU?
 * @gpu: GPU
 * @name: of the vGPU
 * @bp: resolved
 * @count: number of its vslices
 * @reason: filled if not; may be NULL
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP, -ENOSPC.
 */
int tess_blueprint_check(const struct tess_gpu *gpu, const char *name,
			 const struct tess_blueprint *bp, unsigned int count,
			 struct tess_reason *reason)
{
	const char *what;
	int rc;

	rc = blueprint_check_values(gpu, name, bp, reason);
	if (rc)
		return rc;
	what = blueprint_unsupported(gpu, bp);
	if (what)
		return tess_refuse(gpu, name, reason, -EOPNOTSUPP, "%s", what);
	if (count > bp->slices * TESS_SHARE_MAX)
		return tess_refuse(gpu, name, reason, -ENOSPC,
				   "slices=%u: too few for %u vslices, %u can have a slice",
				   bp->slices, count, TESS_SHARE_MAX);
	return 0;
}

static const char *claim_unsupported(const struct tess_blueprint *bp)
{
	if (bp->shared || bp->automatic)
		return "share, policy: what it claims is its own, and stays where it is";
	if (bp->min != bp->slices || bp->max != bp->slices)
		return "min, max: it has other slices when it is given another blueprint";
	if (bp->gpus > 1)
		return "gpus: its slices are of one GPU";
	if (bp->heads)
		return "heads: it has none";
	if (bp->engines != TESS_ENGINE_ALL)
		return "engines: its slices are used by all that they have";
	if (!bp->memory)
		return "memory: it has VRAM of its own, so say how much for each slice";
	return NULL;
}

/**
 * tess_claim_check() - can an elastic vGPU claim so much?
 * @gpu: GPU
 * @name: of the vGPU
 * @bp: resolved
 * @reason: filled if not; may be NULL
 *
 * Return: 0, -EINVAL, -EOPNOTSUPP.
 */
int tess_claim_check(const struct tess_gpu *gpu, const char *name, const struct tess_blueprint *bp,
		     struct tess_reason *reason)
{
	const char *what;
	int rc;

	rc = blueprint_check_values(gpu, name, bp, reason);
	if (rc)
		return rc;
	what = claim_unsupported(bp);
	return what ? tess_refuse(gpu, name, reason, -EOPNOTSUPP, "%s", what) : 0;
}

/**
 * tess_blueprint_is_possible() - would the GPU do if all of it were free?
 * @gpu: GPU
 * @bp: resolved
 *
 * As tess_blueprint_check() for a new vGPU, without a word.
 *
 * Return: true if so.
 */
bool tess_blueprint_is_possible(const struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	return blueprint_is_valid(gpu, bp) && !blueprint_unsupported(gpu, bp) &&
	       bp->max <= bp->slices * TESS_SHARE_MAX;
}

/* Can it do what is asked of each slice? */
static bool slice_is_fit(const struct tess_slice_info *info, const struct tess_slice_rates *rates,
			 const struct tess_blueprint *bp, const struct tess_demand *demand)
{
	if (tess_blueprint_is_remote(bp) && !(info->engines & TESS_ENGINES_CAPTURE))
		return false;
	return rates->texels >= demand->texels && rates->pixels >= demand->pixels &&
	       rates->bandwidth >= demand->bytes;
}

static u64 unfit_kind(const struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	unsigned int i;
	u64 mask = 0;

	for (i = 0; bp->leans != TESS_KIND_NONE && i < gpu->info.slice_count; i++)
		if (gpu->slices[i].info.kind != bp->leans)
			mask |= BIT_ULL(i);
	return mask;
}

/**
 * tess_blueprint_unfit() - slices that are too slow or lack what a remote path needs, or of a kind
 *	that it does not lean to
 * @gpu: GPU
 * @bp: resolved
 *
 * Return: mask of them; of the slow ones none if the GPU is gone, which others find out.
 */
u64 tess_blueprint_unfit(struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	const struct tess_demand demand = tess_blueprint_demand(bp);
	u64 mask = unfit_kind(gpu, bp);
	struct tess_slice_rates rates;
	unsigned int i;
	int idx;

	if (!demand.texels && !demand.pixels && !demand.bytes && !tess_blueprint_is_remote(bp))
		return mask;
	if (!tess_gpu_enter(gpu, &idx))
		return mask;
	for (i = 0; i < gpu->info.slice_count; i++) {
		tess_gpu_ops(gpu)->rates(gpu->be, i, &rates);
		if (!slice_is_fit(&gpu->slices[i].info, &rates, bp, &demand))
			mask |= BIT_ULL(i);
	}
	tess_gpu_exit(gpu, idx);
	return mask;
}

unsigned int tess_gpu_able_slices(struct tess_gpu *gpu, const struct tess_blueprint *blueprint)
{
	struct tess_blueprint bp = *blueprint;
	unsigned int i, n = 0;
	u64 unfit;

	tess_blueprint_resolve(&bp);
	unfit = tess_blueprint_unfit(gpu, &bp);
	for (i = 0; i < gpu->info.slice_count; i++)
		n += !(unfit & BIT_ULL(i)) &&
		     (bp.kind == TESS_KIND_NONE || gpu->slices[i].info.kind == bp.kind);
	return n;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_able_slices, TESS_NS);

/* Bytes per second of the fastest slice of a kind, whoever has it */
static u64 best_bandwidth(struct tess_gpu *gpu, u32 kind)
{
	struct tess_slice_rates rates;
	unsigned int i;
	u64 best = 0;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return U64_MAX;
	for (i = 0; i < gpu->info.slice_count; i++) {
		if (kind != TESS_KIND_NONE && gpu->slices[i].info.kind != kind)
			continue;
		tess_gpu_ops(gpu)->rates(gpu->be, i, &rates);
		best = max(best, rates.bandwidth);
	}
	tess_gpu_exit(gpu, idx);
	return best;
}

/* Megabytes per second: what is needed is rounded up, what there is down */
static int refuse_bandwidth(const struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			    u64 best, struct tess_reason *reason)
{
	u32 kind = bp->kind ?: bp->leans;
	const char *path = tess_blueprint_is_remote(bp) ? " with path=remote" : "";
	u64 needed = div_u64(tess_blueprint_display_bytes(bp) + 999999, 1000000);

	return tess_refuse(vgpu->gpu, vgpu->name, reason, -ENOSPC,
			   "displays%s need %llu MB/s of memory, slices=%u%s%s give %llu",
			   path, needed, bp->slices, kind ? " of kind " : "",
			   kind ? tess_kind_name(kind) : "", div_u64(best * bp->slices, 1000000));
}

/**
 * tess_refuse_slices() - there are not enough slices
 * @vgpu: vGPU
 * @bp: what it was to be
 * @have: slices that it can have
 * @reason: filled; may be NULL
 *
 * Return: -ENOSPC.
 */
int tess_refuse_slices(const struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
		       unsigned int have, struct tess_reason *reason)
{
	const struct tess_demand demand = tess_blueprint_demand(bp);
	u32 kind = bp->kind ?: bp->leans;
	char fast[64] = "";
	u64 best = U64_MAX;

	if (demand.bytes)
		best = best_bandwidth(vgpu->gpu, kind);
	if (best < demand.bytes)
		return refuse_bandwidth(vgpu, bp, best, reason);
	if (demand.texels)
		scnprintf(fast, sizeof(fast), " of %llu texels/s", demand.texels);
	if (demand.pixels)
		scnprintf(fast + strlen(fast), sizeof(fast) - strlen(fast), "%s %llu pixels/s",
			  demand.texels ? "," : " of", demand.pixels);
	return tess_refuse(vgpu->gpu, vgpu->name, reason, -ENOSPC,
			   "insufficient slices%s%s%s%s: %u free, %u asked",
			   kind ? " of kind " : "", kind ? tess_kind_name(kind) : "",
			   fast, bp->shared ? " to share" : "", have, bp->slices);
}
