/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_TURN_H_
#define _TESSERA_CORE_TURN_H_

#include <linux/list.h>
#include <linux/types.h>

#include "slice/vgpu.h"

struct tess_gpu;

/* Does the client of a vslice wait for its turn to write a register? */
static inline bool tess_turn_is_wanted(const struct tess_vslice *vs)
{
	return !list_empty_careful(&vs->sched.writes);
}

int tess_turn_write(struct tess_vslice *vs, u32 off, unsigned int width, u64 val);
void tess_turn_run(struct tess_slice *slice, struct tess_vslice *vs);
void tess_turn_cancel_all(struct tess_gpu *gpu);

#endif
