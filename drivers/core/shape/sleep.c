// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleep: a GPU loses its power, and nobody loses any work.
 *
 * DOC: Sleep
 *
 * What a client has on a slice is exactly a context (run/switch.c), so a GPU on which everybody is
 * parked has nothing to lose but its memory, which is the back-end's to save. Before the system
 * sleeps all vslices are parked, rings of the elastic vGPU like those of vGPUs, and all slices
 * are reset. No client gets a turn until the GPU is back; then each goes on with the same context,
 * when its turn comes. A vGPU whose slices are its own has contexts from then on, as after a
 * recomposition.
 *
 * Tasks of user space are frozen when that happens, work of the kernel is not. It finds a GPU
 * that is asleep (tess_gpu.asleep): nothing is composed or moved on it, what is submitted to a
 * parked ring waits there, and calls that end something work, because they need no slice that
 * runs. Nobody waits for the GPU to come back, so that it can be taken from the pool meanwhile.
 *
 * A GPU that forgot its clients without having been asked (tess_gpu_crashed()) goes the same way,
 * except that clients that were on slices have lost the job in progress. Front-ends may still
 * ask for registers of clients meanwhile. Such calls wait (tess_gpu.stands), and then read the
 * contexts.
 *
 * tess_backend.asleep says more: no call that began before is still inside the back-end, and
 * those that come touch no register.
 */
#include <linux/list.h>
#include <tessera/compat.h>

#include "base/gpu.h"
#include "move.h"
#include "run/run.h"
#include "share.h"
#include "slice/fault.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/* Whoever is to be parked has a context */
static int sleep_prepare_vgpu(struct tess_vgpu *vgpu)
{
	if (vgpu->elastic)
		return 0;
	if (!tess_vgpu_is_parkable(vgpu))
		return -EBUSY;
	return tess_vgpu_takes_turns(vgpu) ? 0 : tess_share_dedicate(vgpu);
}

static int sleep_prepare(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu;
	int rc;

	lockdep_assert_held(&gpu->compose);
	if (READ_ONCE(gpu->gone))
		return -ENODEV;
	if (!gpu->can_switch)
		return -EOPNOTSUPP;
	/* They come and go under compose */
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		rc = sleep_prepare_vgpu(vgpu);
		if (rc)
			return rc;
	}
	return 0;
}

static bool sleep_slice_is_there(const struct tess_slice *slice)
{
	return slice->state != TESS_SLICE_ABSENT && slice->state != TESS_SLICE_FAULTY;
}

/* What it counted is not forgotten with its power: a reset keeps that */
static int sleep_slice_locked(struct tess_slice *slice)
{
	struct tess_vslice *vs = tess_slice_resident(slice);
	int rc = 0;

	if (vs)
		rc = tess_move_park(slice, vs);
	if (!rc && sleep_slice_is_there(slice))
		rc = tess_slice_reset(slice);
	slice->rq.armed = false;
	if (rc == -EIO)
		tess_slice_give_up(slice);
	return rc;
}

static int sleep_forget_locked(struct tess_slice *slice)
{
	tess_switch_forget(slice);
	return 0;
}

/* @put: takes everybody from a slice, whose hw mutex is held */
static int sleep_slices(struct tess_gpu *gpu, int (*put)(struct tess_slice *slice))
{
	unsigned int i;
	int idx, rc = 0;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	for (i = 0; !rc && i < gpu->info.slice_count; i++) {
		struct tess_slice *slice = &gpu->slices[i];

		mutex_lock(&slice->hw);
		rc = put(slice);
		mutex_unlock(&slice->hw);
	}
	tess_gpu_exit(gpu, idx);
	return rc;
}

static void sleep_end(struct tess_gpu *gpu)
{
	unsigned int i;
	int idx;

	mutex_lock(&gpu->compose);
	WRITE_ONCE(gpu->still, false);
	WRITE_ONCE(gpu->asleep, false);
	mutex_unlock(&gpu->compose);
	if (!tess_gpu_enter(gpu, &idx))
		return;
	for (i = 0; i < gpu->info.slice_count; i++) {
		tess_slice_look(&gpu->slices[i]);
		/* Some were parked with a fault that their client has to be told of */
		tess_fault_queue(&gpu->slices[i]);
	}
	tess_gpu_exit(gpu, idx);
}

static int sleep_begin(struct tess_gpu *gpu, int (*put)(struct tess_slice *slice))
{
	int rc;

	mutex_lock(&gpu->compose);
	rc = sleep_prepare(gpu);
	if (!rc) {
		WRITE_ONCE(gpu->asleep, true);
		rc = sleep_slices(gpu, put);
	}
	mutex_unlock(&gpu->compose);
	if (rc)
		return rc;
	WRITE_ONCE(gpu->be->asleep, true);
	WRITE_ONCE(gpu->still, true);
	wake_up_all(&gpu->stands);
	/* What saw it awake is over */
	synchronize_srcu(&gpu->srcu);
	return 0;
}

int tess_gpu_suspend(struct tess_backend *be)
{
	int rc = sleep_begin(be->gpu, sleep_slice_locked);

	if (rc)
		sleep_end(be->gpu);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_suspend, TESS_NS);

/* The GPU goes if that fails, so nobody is to go on */
int tess_gpu_crashed(struct tess_backend *be)
{
	return sleep_begin(be->gpu, sleep_forget_locked);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_crashed, TESS_NS);

void tess_gpu_resume(struct tess_backend *be)
{
	WRITE_ONCE(be->asleep, false);
	sleep_end(be->gpu);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_resume, TESS_NS);
