/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_TURN_H_
#define _TESSERA_CORE_TURN_H_

#include <linux/types.h>

struct tess_gpu;
struct tess_slice;
struct tess_vslice;

int tess_turn_write(struct tess_vslice *vs, u32 off, unsigned int width, u64 val);
bool tess_turn_is_wanted(const struct tess_vslice *vs);
void tess_turn_run(struct tess_slice *slice, struct tess_vslice *vs);
void tess_turn_cancel(struct tess_vslice *vs, int rc);
void tess_turn_cancel_all(struct tess_gpu *gpu);

#endif
