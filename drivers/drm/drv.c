// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: tessera_drm
 *
 * The front-end for processes: a DRM render node per GPU. A GPU is a physical one or,
 * in a guest, a vGPU; the core makes no difference and neither does this driver. Its
 * vGPU is elastic: it has one vslice per slice, runs on those that nobody else holds,
 * and gives them back when another vGPU is composed of them.
 *
 * Objects: a BO is memory, a VM an address space, a queue feeds command buffers of one
 * VM to one lane, and a lane is what a process has of a slice: a ring, a GPU scheduler
 * and the jobs in flight.
 *
 * The DRM device outlives the GPU as long as files are open. It is therefore not tied
 * to the life of its parent by devm_drm_dev_alloc(), which would also keep it until
 * the parent is unbound when only this module goes; its private part is allocated with
 * the DRM device and goes with it. All that touches the GPU runs between
 * drm_dev_enter() and drm_dev_exit().
 *
 * Locks, outermost first: tess_file's arrays; tess_device::queue_lock, tess_queue::lock;
 * tess_device::vm_lock, tess_vm::lock; tess_device::bo_lock; reservations of BOs;
 * tess_vm::tables; tess_device::lru_lock; tess_lanes::make; tess_lanes::mutex; tess_lane::mutex;
 * tess_lane::lock; tess_lanes::lock. Modesetting has its own (kms.c).
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "base/device.h"
#include "base/usage.h"
#include "debugfs.h"
#include "fdinfo.h"
#include "job/coredump.h"
#include "job/gate.h"
#include "job/lane.h"
#include "job/queue_state.h"
#include "kms/kms.h"
#include "mem/bind.h"
#include "mem/evict.h"
#include "mem/gem.h"
#include "mem/vm.h"
#include "query.h"
#include "queue/lanes.h"
#include "queue/queue.h"
#include "queue/submit.h"

static int tess_file_hold(struct drm_device *drm, struct tess_file *tfile)
{
	int idx, rc;

	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	rc = tess_gpu_hold(to_tess_device(drm)->gpu, &tfile->backend);
	drm_dev_exit(idx);
	return rc;
}

static int tess_drm_open(struct drm_device *drm, struct drm_file *file)
{
	struct tess_file *tfile;
	int rc;

	tfile = kzalloc(sizeof(*tfile), GFP_KERNEL);
	if (!tfile)
		return -ENOMEM;
	rc = tess_file_hold(drm, tfile);
	if (rc)
		goto err_free;
	rc = -ENOMEM;
	tfile->usage = tess_usage_create();
	if (!tfile->usage)
		goto err_put;
	tfile->tables = tess_vm_tables_create();
	if (!tfile->tables)
		goto err_usage;
	xa_init_flags(&tfile->vms, XA_FLAGS_ALLOC1);
	xa_init_flags(&tfile->queues, XA_FLAGS_ALLOC1);
	file->driver_priv = tfile;
	return 0;

err_usage:
	tess_usage_put(tfile->usage);
err_put:
	module_put(tfile->backend);
err_free:
	kfree(tfile);
	return rc;
}

static void tess_drm_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct tess_file *tfile = to_tess_file(file);

	/* Queues first: what they run may fault as soon as the VMs are empty. */
	tess_queue_close_all(tfile);
	tess_vm_close_all(tfile);
	xa_destroy(&tfile->queues);
	xa_destroy(&tfile->vms);
	tess_as_budget_put(tfile->tables);
	tess_usage_put(tfile->usage);
	module_put(tfile->backend);
	kfree(tfile);
}

static const struct drm_ioctl_desc tess_ioctls[] = {
	DRM_IOCTL_DEF_DRV(TESSERA_QUERY, tess_query_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_BO_CREATE, tess_bo_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_BO_MMAP_OFFSET, tess_bo_mmap_offset_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_VM_CREATE, tess_vm_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_VM_DESTROY, tess_vm_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_VM_BIND, tess_vm_bind_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_QUEUE_CREATE, tess_queue_create_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_QUEUE_DESTROY, tess_queue_destroy_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_QUEUE_STATE, tess_queue_state_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(TESSERA_SUBMIT, tess_submit_ioctl, DRM_RENDER_ALLOW),
};

static const struct file_operations tess_drm_fops = {
	.owner = THIS_MODULE,
	DRM_GEM_FOPS,
	.show_fdinfo = drm_show_fdinfo,
};

/*
 * Versions of the interface for processes (Documentation/uapi.rst has the rules of growth):
 * - 1.0: the first one that is kept
 * - 1.1: queues of high priority; several command buffers in a SUBMIT; BOs that are contiguous,
 *   write-combined, of one VM, or imported; limits, times, and memory of the file by QUERY
 * - 1.2: VM_BIND with syncs and null mappings
 * - 1.3: VRAM that is full is evicted to the system, which QUERY tells; what became of the jobs of
 *   a VM by QUERY
 * - 1.4: queues of several slices, and jobs that run on several at the same time
 */
static const struct drm_driver tess_drm_driver = {
	.driver_features = DRIVER_RENDER | DRIVER_GEM | DRIVER_GEM_GPUVA | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE | DRIVER_MODESET | DRIVER_ATOMIC,
	.open = tess_drm_open,
	.postclose = tess_drm_postclose,
	.gem_create_object = tess_bo_create_object,
	.gem_prime_import_sg_table = tess_bo_import,
	.dumb_create = tess_bo_create_dumb,
	.show_fdinfo = tess_fdinfo_show,
	.ioctls = tess_ioctls,
	.num_ioctls = ARRAY_SIZE(tess_ioctls),
	.fops = &tess_drm_fops,
	.name = "tessera",
	.desc = "Tessera GPU",
	TESS_DRM_DRIVER_DATE
	.major = 1,
	.minor = 4,
};

/*
 * Tell user space that the slices changed: QUERY has the new number, and who listens for
 * uevents gets one, as for what else happens to DRM devices. The node is in sysfs inside
 * drm_dev_enter(), once it is registered.
 */
static void tess_device_changed(struct tess_device *tdev)
{
	u64 generation = atomic64_inc_return_release(&tdev->generation);
	char number[sizeof("TESSERA_GENERATION=18446744073709551615")];
	char *env[3] = { number };
	int idx;

	if (!READ_ONCE(tdev->registered) || !drm_dev_enter(tdev->drm, &idx))
		return;
	snprintf(number, sizeof(number), "TESSERA_GENERATION=%llu", generation);
	env[1] = "TESSERA_EVENT=composition";
	kobject_uevent_env(&tdev->drm->render->kdev->kobj, KOBJ_CHANGE, env);
	drm_dev_exit(idx);
}

static void tess_device_update_lanes(struct tess_device *tdev)
{
	unsigned int i;

	for (i = 0; i < tdev->lane_count; i++)
		tess_lanes_update(&tdev->lanes[i]);
}

static void tess_client_config(struct tess_vgpu *vgpu)
{
	struct tess_device *tdev = tess_vgpu_priv(vgpu);

	tess_device_update_lanes(tdev);
	tess_kms_changed(tdev);
	tess_device_changed(tdev);
}

static void tess_client_closing(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_device *tdev = tess_vgpu_priv(vgpu);

	tess_lanes_close(&tdev->lanes[vslice]);
}

static void tess_client_reclaim(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_device *tdev = tess_vgpu_priv(vgpu);

	tess_lanes_reclaim(&tdev->lanes[vslice]);
	tess_device_changed(tdev);
}

static void tess_client_restore(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_device *tdev = tess_vgpu_priv(vgpu);
	int ret;

	ret = tess_lanes_start(&tdev->lanes[vslice]);
	if (ret && ret != -ENODEV)
		drm_warn(tdev->drm, "slice %u came back, but not all of its rings: %d\n", vslice,
			 ret);
	tess_lanes_update(&tdev->lanes[vslice]);
	tess_device_changed(tdev);
}

static u64 tess_client_evict(struct tess_vgpu *vgpu, u64 bytes)
{
	struct tess_device *tdev = tess_vgpu_priv(vgpu);
	u64 freed;
	int idx;

	if (!drm_dev_enter(tdev->drm, &idx))
		return 0;
	freed = tess_evict_for_vgpu(tdev, bytes);
	drm_dev_exit(idx);
	return freed;
}

static void tess_device_stop_lanes(struct tess_device *tdev)
{
	unsigned int i;

	for (i = 0; i < tdev->lane_count; i++)
		tess_lanes_stop(&tdev->lanes[i]);
}

static void tess_client_gone(struct tess_vgpu *vgpu)
{
	tess_device_stop_lanes(tess_vgpu_priv(vgpu));
}

static const struct tess_client_ops tess_client_ops = {
	.config = tess_client_config,
	.closing = tess_client_closing,
	.reclaim = tess_client_reclaim,
	.restore = tess_client_restore,
	.evict = tess_client_evict,
	.gone = tess_client_gone,
};

/* struct tess_device by number of its GPU */
static DEFINE_XARRAY(tess_drm_devices);

static struct tess_device *tess_device_alloc(struct tess_gpu *gpu)
{
	struct tess_device *tdev;
	struct drm_device *drm;
	int ret;

	drm = drm_dev_alloc(&tess_drm_driver, tess_gpu_dev(gpu));
	if (IS_ERR(drm))
		return ERR_CAST(drm);

	ret = -ENOMEM;
	tdev = drmm_kzalloc(drm, sizeof(*tdev), GFP_KERNEL);
	if (!tdev)
		goto err_put;

	drm->dev_private = tdev;
	tdev->drm = drm;
	tdev->gpu = gpu;
	tdev->info = *tess_gpu_info(gpu);
	tdev->lane_count = tdev->info.slice_count;
	atomic64_set(&tdev->generation, 1);
	tess_coredump_init(tdev);
	INIT_LIST_HEAD(&tdev->bos);
	spin_lock_init(&tdev->lru_lock);
	tdev->lru = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&tdev->vms);
	INIT_LIST_HEAD(&tdev->queues);

	ret = drmm_mutex_init(drm, &tdev->bo_lock);
	if (!ret)
		ret = drmm_mutex_init(drm, &tdev->vm_lock);
	if (!ret)
		ret = drmm_mutex_init(drm, &tdev->queue_lock);
	if (ret)
		goto err_put;

	ret = -ENOMEM;
	tdev->lanes = drmm_kcalloc(drm, tdev->lane_count, sizeof(*tdev->lanes), GFP_KERNEL);
	if (!tdev->lanes)
		goto err_put;

	tdev->dmem = tess_dmem_register(drm, "vram", tdev->info.vram_size);
	if (IS_ERR(tdev->dmem)) {
		ret = PTR_ERR(tdev->dmem);
		goto err_put;
	}
	ret = tess_kms_init(tdev);
	if (ret)
		goto err_put;
	tess_debugfs_init(tdev);
	return tdev;

err_put:
	drm_dev_put(drm);
	return ERR_PTR(ret);
}

static int tess_device_init_lanes(struct tess_device *tdev)
{
	unsigned int i;
	int ret;

	tdev->wq = alloc_workqueue("tessera-drm-%u", WQ_UNBOUND | WQ_MEM_RECLAIM, 0,
				   tdev->info.index);
	if (!tdev->wq)
		return -ENOMEM;

	for (i = 0; i < tdev->lane_count; i++) {
		ret = tess_lanes_init(&tdev->lanes[i], tdev, i);
		if (ret)
			goto err_fini;
	}
	return 0;

err_fini:
	while (i--)
		tess_lanes_fini(&tdev->lanes[i]);
	destroy_workqueue(tdev->wq);
	return ret;
}

static void tess_device_fini_lanes(struct tess_device *tdev)
{
	unsigned int i;

	for (i = 0; i < tdev->lane_count; i++)
		tess_lanes_fini(&tdev->lanes[i]);
	destroy_workqueue(tdev->wq);
}

/* Slices that somebody else has by now are no error: they come with restore(). */
static int tess_device_start_lanes(struct tess_device *tdev)
{
	unsigned int i;
	int ret;

	for (i = 0; i < tdev->lane_count; i++) {
		ret = tess_lanes_start(&tdev->lanes[i]);
		if (ret && ret != -ENXIO)
			return ret;
	}
	return 0;
}

static int tess_drm_gpu_add(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_vgpu_params params = {
		.name = "drm",
		.elastic = true,
		.ops = &tess_client_ops,
		.owner = THIS_MODULE,
	};
	struct tess_device *tdev;
	int ret;

	tdev = tess_device_alloc(gpu);
	if (IS_ERR(tdev))
		return PTR_ERR(tdev);

	ret = tess_device_init_lanes(tdev);
	if (ret)
		goto err_put;

	params.priv = tdev;
	tdev->vgpu = tess_vgpu_create(gpu, &params);
	if (IS_ERR(tdev->vgpu)) {
		ret = PTR_ERR(tdev->vgpu);
		goto err_fini_lanes;
	}

	/* From here on config() does it. */
	tess_device_update_lanes(tdev);
	ret = tess_device_start_lanes(tdev);
	if (ret)
		goto err_stop_lanes;

	ret = xa_insert(&tess_drm_devices, tdev->info.index, tdev, GFP_KERNEL);
	if (ret)
		goto err_stop_lanes;

	ret = drm_dev_register(tdev->drm, 0);
	if (ret)
		goto err_erase;
	WRITE_ONCE(tdev->registered, true);
	tess_kms_start(tdev);
	return 0;

err_erase:
	xa_erase(&tess_drm_devices, tdev->info.index);
err_stop_lanes:
	tess_device_stop_lanes(tdev);
	tess_vgpu_destroy(tdev->vgpu);
err_fini_lanes:
	tess_device_fini_lanes(tdev);
err_put:
	drm_dev_put(tdev->drm);
	return ret;
}

#ifdef TESS_DRM_WEDGED
/* The GPU is reset when the driver binds to it again, and on the way of a reset of its bus */
static void tess_drm_gpu_wedged(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_device *tdev = xa_load(&tess_drm_devices, tess_gpu_info(gpu)->index);

	if (tdev)
		drm_dev_wedged_event(tdev->drm,
				     DRM_WEDGE_RECOVERY_REBIND | DRM_WEDGE_RECOVERY_BUS_RESET,
				     NULL);
}
#else
#define tess_drm_gpu_wedged NULL
#endif

static void tess_drm_gpu_remove(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_device *tdev = xa_erase(&tess_drm_devices, tess_gpu_info(gpu)->index);

	if (!tdev)
		return;

	tess_kms_quiesce(tdev);
	/* From here on no ioctl, page fault or job enters. */
	drm_dev_unplug(tdev->drm);
	tess_kms_stop(tdev);
	tess_device_stop_lanes(tdev);
	tess_queue_kill_all(tdev);
	tess_device_fini_lanes(tdev);
	tess_coredump_stop(tdev);

	/* Files may stay open, but what they hold of the GPU goes back now. */
	tess_vm_release_all(tdev);
	tess_bo_release_all(tdev);
	tess_vgpu_destroy(tdev->vgpu);
	drm_dev_put(tdev->drm);
}

static struct tess_frontend tess_drm_frontend = {
	.name = "drm",
	.owner = THIS_MODULE,
	.gpu_add = tess_drm_gpu_add,
	.gpu_wedged = tess_drm_gpu_wedged,
	.gpu_remove = tess_drm_gpu_remove,
};

static int __init tess_drm_init(void)
{
	int ret;

	ret = tess_queue_module_init();
	if (ret)
		return ret;
	ret = tess_frontend_register(&tess_drm_frontend);
	if (ret)
		tess_queue_module_exit();
	return ret;
}
module_init(tess_drm_init);

static void __exit tess_drm_exit(void)
{
	tess_frontend_unregister(&tess_drm_frontend);
	tess_queue_module_exit();
}
module_exit(tess_drm_exit);

MODULE_DESCRIPTION("Tessera DRM front-end");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(TESS_NS);
MODULE_IMPORT_NS(TESS_DMA_BUF_NS);
