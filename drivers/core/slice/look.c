// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slices that the scheduler has to look at.
 *
 * DOC: Looks at slices
 *
 * Which vslice is on a slice depends on its clients, on the GPU and on faults. Each change is
 * announced here: the slice's work item (tess_runq.work) is queued, and nothing else is done. The
 * work belongs to the scheduler (run/sched.c), which stands above the files that announce changes.
 */
#include <linux/workqueue.h>
#include <tessera/compat.h>
#include <tessera/vslice.h>

#include "base/gpu.h"
#include "look.h"
#include "slice.h"
#include "trace.h"
#include "vgpu.h"

static struct workqueue_struct *look_wq;

/**
 * tess_slice_look() - have the scheduler look at a slice
 * @slice: slice
 *
 * Any context.
 */
void tess_slice_look(struct tess_slice *slice)
{
	int idx;

	if (!tess_gpu_enter(slice->gpu, &idx))
		return;
	queue_work(look_wq, &slice->rq.work);
	tess_gpu_exit(slice->gpu, idx);
}

void tess_gpu_slice_event(struct tess_gpu *gpu, unsigned int slice, u32 events)
{
	if (slice < gpu->info.slice_count && events)
		tess_slice_look(&gpu->slices[slice]);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_slice_event, TESS_NS);

void tess_vslice_wake(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_vslice *vs = &vgpu->vslices[vslice];
	struct tess_slice *slice;

	if (vslice >= vgpu->nr_vslices)
		return;
	WRITE_ONCE(vs->sched.woken, true);
	/* Pairs with the one in move_member(): either it finds the flag or this the new home */
	smp_mb();
	slice = READ_ONCE(vs->slice);
	if (!slice)
		return;
	trace_tess_kick(slice, vgpu, vslice, 0, true);
	tess_slice_look(slice);
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_wake, TESS_NS);

int tess_look_init(void)
{
	/* Fences of jobs wait for their turns, and memory management for fences */
	look_wq = alloc_workqueue("tessera_sched", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	return look_wq ? 0 : -ENOMEM;
}

void tess_look_exit(void)
{
	destroy_workqueue(look_wq);
}
