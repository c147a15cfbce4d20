/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ELASTIC_H_
#define _TESSERA_CORE_ELASTIC_H_

#include <linux/types.h>

struct tess_gpu;
struct tess_slice;
struct tess_vgpu;

void tess_slice_release(struct tess_slice *slice);
void tess_slice_reclaim(struct tess_slice *slice);
void tess_slices_reclaim(struct tess_gpu *gpu, u64 mask);
void tess_slices_give_up(struct tess_vgpu *vgpu, u64 mask);
void tess_elastic_begin(struct tess_vgpu *vgpu);
void tess_elastic_fill(struct tess_gpu *gpu);

#endif
