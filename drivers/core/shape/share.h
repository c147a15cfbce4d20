/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SHARE_H_
#define _TESSERA_CORE_SHARE_H_

#include <linux/types.h>

struct tess_blueprint;
struct tess_gpu;
struct tess_place_shared;
struct tess_reason;
struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

int tess_share_alloc(struct tess_vgpu *vgpu);
void tess_share_free(struct tess_vgpu *vgpu);

void tess_share_open_slices(struct tess_gpu *gpu, const struct tess_blueprint *bp, u32 *kinds,
			    struct tess_place_shared *place);
int tess_share_choose(struct tess_place_shared *place, const struct tess_blueprint *bp,
		      unsigned int n, unsigned int count, u8 *slices);
unsigned int tess_share_count(const struct tess_place_shared *place, u32 kind);
int tess_share_place(struct tess_vgpu *vgpu, u8 *slices, struct tess_reason *reason);
unsigned int tess_share_available(struct tess_gpu *gpu, const struct tess_blueprint *bp);

int tess_share_open(struct tess_slice *slice, struct tess_vgpu *vgpu);
void tess_share_close(struct tess_slice *slice);
int tess_share_add(struct tess_slice *slice, struct tess_vslice *vs);
int tess_share_join(struct tess_slice *slice, struct tess_vslice *vs);
int tess_share_dedicate(struct tess_vgpu *vgpu);
void tess_share_leave(struct tess_slice *slice, struct tess_vslice *vs);

#endif
