// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notes to the swapper, which moves vGPUs, and to the adapter, which changes their size.
 *
 * DOC: Notes
 *
 * Both look at a GPU only while there is something to look for. The scheduler and the files that
 * change a composition know when there is, and note it here: a work item of the GPU (struct
 * tess_swapper) is queued, and nothing else is done. The work is in auto/, which stands above all
 * files that write notes.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>
#include <tessera/compat.h>

#include "base/gpu.h"
#include "note.h"
#include "vgpu.h"

unsigned int tess_swap_period_ms = 100;
unsigned int tess_adapt_period_ms = 500;

/**
 * tess_swapper_note() - a vslice waits for its slice
 * @vgpu: its vGPU
 *
 * The swapper looks in a period if the vGPU may be moved. Any context.
 */
void tess_swapper_note(struct tess_vgpu *vgpu)
{
	if (READ_ONCE(vgpu->blueprint.automatic))
		queue_delayed_work(system_dfl_wq, &vgpu->gpu->swapper.work,
				   msecs_to_jiffies(READ_ONCE(tess_swap_period_ms)));
}

/**
 * tess_adapt_is_meant() - may its slices, their number or kind, change by themselves?
 * @vgpu: vGPU; tess_gpu.lock is held
 *
 * Return: true if it may.
 */
bool tess_adapt_is_meant(struct tess_vgpu *vgpu)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;

	return !vgpu->elastic && bp->automatic &&
	       (bp->min < bp->max || bp->kind == TESS_KIND_NONE || bp->heads);
}

/**
 * tess_adapt_queue() - look at the automatic vGPUs of a GPU in a period
 * @gpu: GPU
 */
void tess_adapt_queue(struct tess_gpu *gpu)
{
	queue_delayed_work(system_dfl_wq, &gpu->swapper.adapt,
			   msecs_to_jiffies(READ_ONCE(tess_adapt_period_ms)));
}

/**
 * tess_adapt_note() - a vGPU is new, or its blueprint is
 * @vgpu: vGPU that cannot be freed now
 *
 * Any context that may not be an interrupt.
 */
void tess_adapt_note(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	bool meant;

	spin_lock(&gpu->lock);
	meant = tess_adapt_is_meant(vgpu);
	spin_unlock(&gpu->lock);
	if (meant)
		tess_adapt_queue(gpu);
}
