/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SWAPPER_H_
#define _TESSERA_CORE_SWAPPER_H_

#include <linux/types.h>
#include <linux/workqueue.h>

struct tess_gpu;
struct tess_vgpu;

/**
 * struct tess_swapper - the swapper of a GPU
 * @work: looks at the GPU; pending only while a vGPU that may be moved has work
 * @period: number of times that it looked, from 1. Changed by @work only
 */
struct tess_swapper {
	struct delayed_work work;
	u64 period;
};

void tess_swapper_init(struct tess_gpu *gpu);
void tess_swapper_stop(struct tess_gpu *gpu);
void tess_swapper_note(struct tess_vgpu *vgpu);

#endif
