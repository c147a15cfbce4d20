// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool: all GPUs, and the front-ends that use them.
 *
 * DOC: Pool
 *
 * Back-ends bring GPUs, front-ends take an interest in all of them; the pool introduces
 * each to the others, in whatever order modules are loaded and devices come and go.
 *
 * A GPU that is taken away while it works is drained first: front-ends move to other GPUs
 * what these can have. Then, or at once, it leaves in five steps.
 *
 * 1. It is marked as gone: no call enters the back-end any more, and calls that are inside
 *    end (SRCU). Slices may still run, and a slow one may take long to be reset. So two sorts
 *    of calls work as before: taking memory out of address spaces, because its owner frees it
 *    afterwards; and leaving an object, whose back-end's part then waits for the next step,
 *    because a slice may still use it.
 * 2. The slices are reset, one that cannot be is cut off from memory with all others, and the
 *    GPU is marked as stopped: from here on it reaches no memory.
 * 3. Clients are told by gone().
 * 4. Front-ends are told by gpu_remove().
 * 5. The back-end's part of every remaining object is destroyed, and the back-end may go.
 *
 * A GPU that does not answer (tess_gpu_lost()) takes the first three steps at once and the
 * others when its back-end resets it, or the bus removes the device. The structure itself lives
 * as long as somebody holds an object or a vGPU of it.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>

#include "auto/auto.h"
#include "base/backend.h"
#include "base/gpu.h"
#include "base/object.h"
#include "pool.h"
#include "run/run.h"
#include "shape/shape.h"
#include "slice/complete.h"
#include "slice/fault.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "sysfs.h"
#include "vgpu_sysfs.h"

/* Under tess_pool_lock */
static LIST_HEAD(pool_frontends);

static void gpu_release(struct device *dev)
{
	struct tess_gpu *gpu = to_tess_gpu(dev);

	put_device(gpu->parent);
	cleanup_srcu_struct(&gpu->srcu);
	kfree(gpu->slices);
	kfree(gpu);
}

static struct class tess_class = {
	.name = "tessera",
	.dev_groups = tess_gpu_groups,
	.dev_release = gpu_release,
};

/* ---- front-ends ---- */

static void frontend_add_gpu(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	int rc;

	lockdep_assert_held(&tess_pool_lock);
	rc = xa_reserve(&fe->gpus, gpu->info.index, GFP_KERNEL);
	if (!rc && fe->gpu_add)
		rc = fe->gpu_add(fe, gpu);
	if (rc) {
		xa_release(&fe->gpus, gpu->info.index);
		dev_dbg(&gpu->dev, "front-end %s: %d\n", fe->name, rc);
		return;
	}
	xa_store(&fe->gpus, gpu->info.index, gpu, GFP_KERNEL);
}

static void frontend_remove_gpu(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	lockdep_assert_held(&tess_pool_lock);
	if (xa_erase(&fe->gpus, gpu->info.index) && fe->gpu_remove)
		fe->gpu_remove(fe, gpu);
}

int tess_frontend_register(struct tess_frontend *fe)
{
	struct tess_gpu *gpu;
	unsigned long index;

	if (!fe->name)
		return -EINVAL;
	xa_init(&fe->gpus);
	mutex_lock(&tess_pool_lock);
	list_add_tail(&fe->link, &pool_frontends);
	xa_for_each(&tess_pool_gpus, index, gpu)
		frontend_add_gpu(fe, gpu);
	mutex_unlock(&tess_pool_lock);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tess_frontend_register, TESS_NS);

void tess_frontend_unregister(struct tess_frontend *fe)
{
	struct tess_gpu *gpu;
	unsigned long index;

	mutex_lock(&tess_pool_lock);
	list_del(&fe->link);
	xa_for_each(&tess_pool_gpus, index, gpu)
		frontend_remove_gpu(fe, gpu);
	mutex_unlock(&tess_pool_lock);
	xa_destroy(&fe->gpus);
}
EXPORT_SYMBOL_NS_GPL(tess_frontend_unregister, TESS_NS);

/* ---- GPUs leave ---- */

/* Slices keep a reference through their kobjects until they are dropped */
static void gpu_put_slices(struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++)
		kobject_put(&gpu->slices[i].kobj);
}

/* The GPU is gone: only what takes memory from it calls the back-end besides this */
static void gpu_stop_slices(struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++) {
		struct tess_slice *slice = &gpu->slices[i];

		mutex_lock(&slice->hw);
		if (gpu->be->ops->slice_reset(gpu->be, i))
			gpu->be->ops->cut(gpu->be);
		mutex_unlock(&slice->hw);
	}
	tess_objects_stopped(gpu);
	/* Nobody takes memory from it any more: it reaches none */
	synchronize_srcu(&gpu->srcu);
}

/* First three steps: nothing enters the back-end, nothing runs, clients know */
static void gpu_retire(struct tess_gpu *gpu)
{
	unsigned int i;

	mutex_lock(&gpu->gone_lock);
	if (!gpu->gone_told) {
		spin_lock(&gpu->lock);
		WRITE_ONCE(gpu->gone, true);
		spin_unlock(&gpu->lock);
		wake_up_all(&gpu->stands);
		synchronize_srcu(&gpu->srcu);
		tess_sched_stop(gpu);
		tess_fault_stop(gpu);
		for (i = 0; i < gpu->info.slice_count; i++)
			tess_route_clear(&gpu->slices[i]);
		gpu_stop_slices(gpu);
		tess_vgpus_tell_gone(gpu);
		gpu->gone_told = true;
	}
	mutex_unlock(&gpu->gone_lock);
}

static void gone_work(struct work_struct *work)
{
	struct tess_gpu *gpu = container_of(work, struct tess_gpu, gone_work);

	gpu_retire(gpu);
	/* The back-end stays until this work is disabled */
	if (gpu->be->ops->lost)
		gpu->be->ops->lost(gpu->be);
}

/* What is being composed ends before */
static void gpu_set_leaving(struct tess_gpu *gpu)
{
	mutex_lock(&gpu->compose);
	WRITE_ONCE(gpu->leaving, true);
	mutex_unlock(&gpu->compose);
}

void tess_gpu_drain(struct tess_backend *be)
{
	struct tess_gpu *gpu = be->gpu;
	struct tess_frontend *fe;

	gpu_set_leaving(gpu);
	mutex_lock(&tess_pool_lock);
	list_for_each_entry(fe, &pool_frontends, link)
		if (fe->gpu_drain && xa_load(&fe->gpus, gpu->info.index))
			fe->gpu_drain(fe, gpu);
	mutex_unlock(&tess_pool_lock);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_drain, TESS_NS);

void tess_gpu_wedged(struct tess_backend *be)
{
	struct tess_gpu *gpu = be->gpu;
	struct tess_frontend *fe;

	mutex_lock(&tess_pool_lock);
	list_for_each_entry(fe, &pool_frontends, link)
		if (fe->gpu_wedged && xa_load(&fe->gpus, gpu->info.index))
			fe->gpu_wedged(fe, gpu);
	mutex_unlock(&tess_pool_lock);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_wedged, TESS_NS);

void tess_gpu_unregister(struct tess_backend *be)
{
	struct tess_gpu *gpu = be->gpu;
	struct tess_frontend *fe;

	gpu_retire(gpu);
	/* What the ops below find out comes too late to tell anybody */
	disable_work_sync(&gpu->gone_work);
	tess_swapper_stop(gpu);
	tess_adapt_stop(gpu);
	tess_room_stop(gpu);
	mutex_lock(&tess_pool_lock);
	list_for_each_entry(fe, &pool_frontends, link)
		frontend_remove_gpu(fe, gpu);
	tess_objects_orphan(gpu);
	tess_vgpus_hide(gpu);
	tess_slices_hide(gpu);
	device_del(&gpu->dev);
	xa_erase(&tess_pool_gpus, gpu->info.index);
	mutex_unlock(&tess_pool_lock);
	WRITE_ONCE(be->gpu, NULL);
	gpu_put_slices(gpu);
	put_device(&gpu->dev);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_unregister, TESS_NS);

/* ---- GPUs come ---- */

static struct tess_gpu *gpu_alloc(struct tess_backend *be, const struct tess_gpu_info *info,
				  const struct tess_slice_info *slices)
{
	struct tess_gpu *gpu;
	unsigned int i;

	gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return NULL;
	gpu->slices = kcalloc(info->slice_count, sizeof(*gpu->slices), GFP_KERNEL);
	if (!gpu->slices || init_srcu_struct(&gpu->srcu)) {
		kfree(gpu->slices);
		kfree(gpu);
		return NULL;
	}
	gpu->be = be;
	gpu->parent = get_device(be->dev);
	/* Nobody's if it is bound to no driver */
	gpu->owner = be->dev->driver ? be->dev->driver->owner : NULL;
	gpu->info = *info;
	gpu->can_switch = be->ops->switching;
	gpu->generation = 1;
	mutex_init(&gpu->gone_lock);
	INIT_WORK(&gpu->gone_work, gone_work);
	mutex_init(&gpu->compose);
	init_waitqueue_head(&gpu->stands);
	spin_lock_init(&gpu->lock);
	INIT_LIST_HEAD(&gpu->vgpus);
	tess_swapper_init(gpu);
	tess_adapt_init(gpu);
	mutex_init(&gpu->vram_lock);
	INIT_LIST_HEAD(&gpu->exports);
	tess_room_init(gpu);
	mutex_init(&gpu->objects_lock);
	INIT_LIST_HEAD(&gpu->objects);
	device_initialize(&gpu->dev);
	gpu->dev.class = &tess_class;
	gpu->dev.parent = be->dev;
	for (i = 0; i < info->slice_count; i++) {
		tess_slice_init(&gpu->slices[i], gpu, i, &slices[i]);
		tess_slice_kobject_init(&gpu->slices[i]);
		tess_fault_init_slice(&gpu->slices[i]);
		tess_sched_init_slice(&gpu->slices[i]);
	}
	return gpu;
}

/* A slice that does not even reset is out of use from the start */
static int gpu_reset_slices(struct tess_gpu *gpu)
{
	unsigned int i, good = 0;
	int rc, first = 0;

	for (i = 0; i < gpu->info.slice_count; i++) {
		struct tess_slice *slice = &gpu->slices[i];

		if (slice->state == TESS_SLICE_ABSENT)
			continue;
		mutex_lock(&slice->hw);
		rc = tess_slice_reset(slice);
		mutex_unlock(&slice->hw);
		if (rc) {
			slice->state = TESS_SLICE_FAULTY;
			first = first ?: rc;
			dev_warn(gpu->be->dev, "slice %u does not answer: %d\n", i, rc);
		} else {
			good++;
		}
	}
	return good ? 0 : first;
}

static int gpu_show(struct tess_gpu *gpu)
{
	int rc;

	/* Whoever is told of the GPU finds all of its files */
	dev_set_uevent_suppress(&gpu->dev, true);
	rc = device_add(&gpu->dev);
	if (rc)
		return rc;
	rc = tess_slices_show(gpu);
	if (rc)
		goto err_del;
	rc = tess_vgpus_show(gpu);
	if (rc)
		goto err_hide;
	dev_set_uevent_suppress(&gpu->dev, false);
	kobject_uevent(&gpu->dev.kobj, KOBJ_ADD);
	return 0;

err_hide:
	tess_slices_hide(gpu);
err_del:
	device_del(&gpu->dev);
	return rc;
}

static int gpu_register_locked(struct tess_gpu *gpu)
{
	struct tess_backend *be = gpu->be;
	struct tess_frontend *fe;
	int rc;

	lockdep_assert_held(&tess_pool_lock);
	rc = xa_alloc(&tess_pool_gpus, &gpu->info.index, gpu, XA_LIMIT(0, TESS_MAX_GPUS - 1),
		      GFP_KERNEL);
	if (rc)
		return rc;
	WRITE_ONCE(be->gpu, gpu);
	rc = dev_set_name(&gpu->dev, "gpu%u", gpu->info.index);
	if (!rc)
		rc = gpu_reset_slices(gpu);
	if (!rc)
		rc = gpu_show(gpu);
	if (rc) {
		WRITE_ONCE(be->gpu, NULL);
		xa_erase(&tess_pool_gpus, gpu->info.index);
		return rc;
	}
	list_for_each_entry(fe, &pool_frontends, link)
		frontend_add_gpu(fe, gpu);
	return 0;
}

int tess_gpu_register(struct tess_backend *be, const struct tess_gpu_info *info,
		      const struct tess_slice_info *slices)
{
	struct tess_gpu *gpu;
	int rc;

	rc = tess_backend_check(be, info);
	if (rc)
		return rc;
	gpu = gpu_alloc(be, info, slices);
	if (!gpu)
		return -ENOMEM;
	mutex_lock(&tess_pool_lock);
	rc = gpu_register_locked(gpu);
	mutex_unlock(&tess_pool_lock);
	if (rc) {
		disable_work_sync(&gpu->gone_work);
		tess_swapper_stop(gpu);
		tess_adapt_stop(gpu);
		tess_room_stop(gpu);
		gpu_put_slices(gpu);
		put_device(&gpu->dev);
	}
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_register, TESS_NS);

int tess_pool_init(void)
{
	return class_register(&tess_class);
}

void tess_pool_exit(void)
{
	class_unregister(&tess_class);
	xa_destroy(&tess_pool_gpus);
}
