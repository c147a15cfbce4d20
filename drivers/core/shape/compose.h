/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_COMPOSE_H_
#define _TESSERA_CORE_COMPOSE_H_

#include <linux/compiler_attributes.h>
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
__printf(5, 6)
int tess_refuse(const struct tess_gpu *gpu, const char *name, struct tess_reason *reason, int rc,
		const char *fmt, ...);
int tess_refuse_slices(const struct tess_vgpu *vgpu, u32 kind, unsigned int have,
		       unsigned int want, struct tess_reason *reason);

int tess_blueprint_check(const struct tess_gpu *gpu, const char *name,
			 const struct tess_blueprint *bp, unsigned int count,
			 struct tess_reason *reason);

void tess_gpu_free_slices(struct tess_gpu *gpu, u32 *kinds, struct tess_place *place);
void tess_vgpu_free_slices(const struct tess_vgpu *vgpu, u32 *kinds, struct tess_place *place);
unsigned int tess_vslice_bank(const struct tess_vslice *vs);
int tess_vgpu_compose(struct tess_vgpu *vgpu, struct tess_reason *reason);
int tess_vgpu_clear_memory(struct tess_vgpu *vgpu);
void tess_vgpu_decompose(struct tess_vgpu *vgpu);
void tess_elastic_fill(struct tess_gpu *gpu);

#endif
