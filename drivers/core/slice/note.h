/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_NOTE_H_
#define _TESSERA_CORE_NOTE_H_

#include <linux/types.h>

struct tess_gpu;
struct tess_vgpu;

/* Time between two looks: module parameters, which are in auto/ */
extern unsigned int tess_swap_period_ms;
extern unsigned int tess_adapt_period_ms;

void tess_swapper_note(struct tess_vgpu *vgpu);

bool tess_adapt_is_meant(struct tess_vgpu *vgpu);
void tess_adapt_note(struct tess_vgpu *vgpu);
void tess_adapt_queue(struct tess_gpu *gpu);

#endif
