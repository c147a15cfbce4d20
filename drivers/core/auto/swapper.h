/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SWAPPER_H_
#define _TESSERA_CORE_SWAPPER_H_

#include <linux/types.h>
#include <linux/workqueue.h>
#include <tessera/hw/tess_regs.h>

struct tess_gpu;
struct tess_vgpu;

/**
 * struct tess_swapper - the swapper of a GPU
 * @work: looks at the GPU; pending only while a vGPU that may be moved waits. The rest but
 *	@adapt is for it alone
 * @adapt: composes automatic vGPUs anew; pending only while there is one with a range
 * @period: number of the period, from 1; 0: it never looked
 * @looked: when that was (jiffies)
 * @looks: tess_swap_slice.looks of each slice
 */
struct tess_swapper {
	struct delayed_work work;
	struct delayed_work adapt;
	u64 period;
	unsigned long looked;
	unsigned int looks[TESS_MAX_SLICES];
};

void tess_swapper_init(struct tess_gpu *gpu);
void tess_swapper_stop(struct tess_gpu *gpu);
void tess_swapper_note(struct tess_vgpu *vgpu);

#endif
