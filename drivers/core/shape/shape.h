/* SPDX-License-Identifier: GPL-2.0-only */
/* What other rooms may use of shape/ */
#ifndef _TESSERA_CORE_SHAPE_H_
#define _TESSERA_CORE_SHAPE_H_

#include "slice/trace.h"

struct tess_gpu;
struct tess_slice;
struct tess_vgpu;
struct tess_vgpu_params;

struct tess_vgpu *tess_vgpu_make(struct tess_gpu *gpu, const struct tess_vgpu_params *params);
void tess_vgpu_unmake(struct tess_vgpu *vgpu);

int tess_sched_move(struct tess_vgpu *vgpu, unsigned int vslice, unsigned int slice,
		    enum tess_move_reason reason);

void tess_room_init(struct tess_gpu *gpu);
void tess_room_stop(struct tess_gpu *gpu);

int tess_slice_set_service(struct tess_slice *slice, bool out);

int tess_transfer_alike(struct tess_gpu *from, struct tess_gpu *to);
void tess_transfer_thaw(struct tess_vgpu *vgpu);
void tess_transfer_settle(struct tess_vgpu *vgpu);

#endif
