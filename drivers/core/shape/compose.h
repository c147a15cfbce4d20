/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_COMPOSE_H_
#define _TESSERA_CORE_COMPOSE_H_

#include <linux/types.h>

struct tess_blueprint;
struct tess_gpu;
struct tess_place;
struct tess_reason;
struct tess_vgpu;
struct tess_vslice;

#ifdef TESSERA_INJECT
int tess_compose_step(void);
#else
static inline int tess_compose_step(void)
{
	return 0;
}
#endif

void tess_gpu_free_slices(struct tess_gpu *gpu, const struct tess_blueprint *bp, u32 *kinds,
			  struct tess_place *place);
void tess_vgpu_free_slices(const struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			   u32 *kinds, struct tess_place *place);
unsigned int tess_vslice_bank(const struct tess_vslice *vs);
int tess_vgpu_compose(struct tess_vgpu *vgpu, struct tess_reason *reason);
int tess_vgpu_clear_memory(struct tess_vgpu *vgpu);
void tess_vgpu_decompose(struct tess_vgpu *vgpu);

#endif
