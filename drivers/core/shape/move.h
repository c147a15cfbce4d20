/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_MOVE_H_
#define _TESSERA_CORE_MOVE_H_

#include "slice/trace.h"

struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

bool tess_vgpu_is_parkable(const struct tess_vgpu *vgpu);
int tess_move_park(struct tess_slice *from, struct tess_vslice *vs);
int tess_move_members(struct tess_vgpu *vgpu, const u8 *homes, enum tess_move_reason reason);
int tess_move_exclusive(struct tess_vslice *vs, struct tess_slice *to,
			enum tess_move_reason reason);

#endif
