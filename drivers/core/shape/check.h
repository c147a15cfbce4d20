/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_CHECK_H_
#define _TESSERA_CORE_CHECK_H_

#include <linux/types.h>
#include <tessera/blueprint.h>

struct tess_gpu;
struct tess_reason;
struct tess_vgpu;

/* Some of its vslices may have to take turns on a slice */
static inline bool tess_blueprint_is_dedicated(const struct tess_blueprint *bp)
{
	return !bp->shared && bp->min < bp->max;
}

int tess_blueprint_check(const struct tess_gpu *gpu, const char *name,
			 const struct tess_blueprint *bp, unsigned int count,
			 struct tess_reason *reason);
int tess_claim_check(const struct tess_gpu *gpu, const char *name, const struct tess_blueprint *bp,
		     struct tess_reason *reason);
bool tess_blueprint_is_possible(const struct tess_gpu *gpu, const struct tess_blueprint *bp);
u64 tess_blueprint_unfit(struct tess_gpu *gpu, const struct tess_blueprint *bp);
int tess_refuse_slices(const struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
		       unsigned int have, struct tess_reason *reason);

#endif
