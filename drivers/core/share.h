/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SHARE_H_
#define _TESSERA_CORE_SHARE_H_

#include <linux/types.h>

struct tess_blueprint;
struct tess_gpu;
struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

int tess_share_alloc(struct tess_vgpu *vgpu);
void tess_share_free(struct tess_vgpu *vgpu);
int tess_share_place(struct tess_vgpu *vgpu, u8 *slices);
unsigned int tess_share_available(struct tess_gpu *gpu, const struct tess_blueprint *bp);

int tess_share_add(struct tess_slice *slice, struct tess_vslice *vs);
int tess_share_join(struct tess_slice *slice, struct tess_vslice *vs);
void tess_share_leave(struct tess_slice *slice, struct tess_vslice *vs);

#endif
