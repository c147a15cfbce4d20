/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_COMPOSE_H_
#define _TESSERA_CORE_COMPOSE_H_

#include <linux/types.h>

struct tess_blueprint;
struct tess_gpu;
struct tess_vgpu;
struct tess_vslice;

bool tess_blueprint_is_valid(const struct tess_gpu *gpu, const struct tess_blueprint *bp);
int tess_vgpu_compose(struct tess_vgpu *vgpu);
void tess_vgpu_decompose(struct tess_vgpu *vgpu);
void tess_elastic_fill(struct tess_gpu *gpu);
void tess_vslice_relink(struct tess_vslice *vs);

#endif
