/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SHAPE_VGPU_H_
#define _TESSERA_CORE_SHAPE_VGPU_H_

struct tess_gpu;
struct tess_vgpu;
struct tess_vgpu_params;

struct tess_vgpu *tess_vgpu_make(struct tess_gpu *gpu, const struct tess_vgpu_params *params);
void tess_vgpu_unmake(struct tess_vgpu *vgpu);

#endif
