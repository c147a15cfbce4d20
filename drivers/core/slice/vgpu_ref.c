// SPDX-License-Identifier: GPL-2.0-only
/*
 * vGPUs: call-backs of their owners.
 *
 * DOC: References to vGPUs
 *
 * Call-backs count in tess_vgpu.active, so that destroying a vGPU can wait for them
 * without a lock that a call-back would hold: call-backs may call the core.
 */
#include <linux/wait.h>
#include <tessera/compat.h>

#include "base/gpu.h"
#include "vgpu.h"

/**
 * tess_vgpu_get() - count a call-back
 * @vgpu: vGPU that cannot be freed now
 *
 * Return: false if no call-back may start; else tess_vgpu_put_client() has to follow.
 */
bool tess_vgpu_get(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	bool alive;

	spin_lock(&gpu->lock);
	alive = !vgpu->dying && !gpu->gone;
	if (alive)
		vgpu->active++;
	spin_unlock(&gpu->lock);
	return alive;
}

void tess_vgpu_put_client(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;

	/* Wake under the lock: who waits may free the vGPU as soon as it is released */
	spin_lock(&gpu->lock);
	if (!--vgpu->active)
		wake_up_all(&vgpu->idle);
	spin_unlock(&gpu->lock);
}

static bool vgpu_is_idle(struct tess_vgpu *vgpu)
{
	bool idle;

	spin_lock(&vgpu->gpu->lock);
	idle = !vgpu->active;
	spin_unlock(&vgpu->gpu->lock);
	return idle;
}

/**
 * tess_vgpu_wait_idle() - wait for call-backs that run
 * @vgpu: vGPU
 */
void tess_vgpu_wait_idle(struct tess_vgpu *vgpu)
{
	wait_event(vgpu->idle, vgpu_is_idle(vgpu));
}

/**
 * tess_vgpu_tell() - the composition is another
 * @vgpu: vGPU; compose is held
 */
void tess_vgpu_tell(struct tess_vgpu *vgpu)
{
	if (!vgpu->ops->config || !tess_vgpu_get(vgpu))
		return;
	vgpu->ops->config(vgpu);
	tess_vgpu_put_client(vgpu);
}

/* The next vGPU behind @last, counted as one with a running call-back */
static struct tess_vgpu *vgpu_next(struct tess_gpu *gpu, struct tess_vgpu *last,
				   bool (*want)(struct tess_vgpu *vgpu))
{
	struct tess_vgpu *vgpu, *found = NULL;
	bool behind = !last;

	spin_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (behind && !vgpu->dying && !gpu->gone && want(vgpu)) {
			found = vgpu;
			vgpu->active++;
			break;
		}
		behind |= vgpu == last;
	}
	spin_unlock(&gpu->lock);
	return found;
}

/**
 * tess_vgpus_each() - do something with the vGPUs of a GPU, one after the other
 * @gpu: GPU
 * @want: asked for each vGPU that can be used, with tess_gpu.lock held: is it one of those?
 * @look: what is done with it, right after @want and without the lock. The vGPU counts as one with
 *	a running call-back meanwhile
 *
 * It ends when the GPU goes.
 *
 * Return: true if there was one.
 */
bool tess_vgpus_each(struct tess_gpu *gpu, bool (*want)(struct tess_vgpu *vgpu),
		     void (*look)(struct tess_vgpu *vgpu))
{
	struct tess_vgpu *vgpu, *last = NULL;

	while ((vgpu = vgpu_next(gpu, last, want))) {
		if (last)
			tess_vgpu_put_client(last);
		look(vgpu);
		last = vgpu;
	}
	if (last)
		tess_vgpu_put_client(last);
	return last;
}

/* Next vGPU that was not told; in the list until it is destroyed */
static struct tess_vgpu *vgpu_next_to_tell(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu, *found = NULL;

	spin_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (vgpu->dying || vgpu->told_gone)
			continue;
		vgpu->told_gone = true;
		vgpu->active++;
		found = vgpu;
		break;
	}
	spin_unlock(&gpu->lock);
	return found;
}

/**
 * tess_vgpus_tell_gone() - gone() for all vGPUs of a GPU
 * @gpu: GPU, marked as gone
 */
void tess_vgpus_tell_gone(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu;

	/* No reclaim() or restore() after gone() */
	mutex_lock(&gpu->compose);
	while ((vgpu = vgpu_next_to_tell(gpu))) {
		vgpu->ops->gone(vgpu);
		tess_vgpu_put_client(vgpu);
	}
	mutex_unlock(&gpu->compose);
}
