// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: tessera_drm
 *
 * The front-end for processes: a DRM render node per GPU. A GPU is a physical one or,
 * in a guest, a vGPU; the core makes no difference and neither does this driver. Its
 * vGPU is elastic: it has one vslice per slice, runs on those that nobody else holds,
 * and gives them back when another vGPU is composed of them. More render nodes can be made
 * whose vGPUs have slices and VRAM of their own (nodes.c).
 *
 * Objects: a BO is memory, a VM an address space, a queue feeds command buffers of one
 * VM to one lane, and a lane is what a process has of a slice: a ring, a GPU scheduler
 * and the jobs in flight.
 *
 * Locks, outermost first: tess_nodes::lock; tess_node::lock; tess_file's arrays;
 * tess_device::queue_lock, tess_queue::lock; tess_device::vm_lock, tess_vm::lock;
 * tess_device::bo_lock; reservations of BOs; tess_vm::tables; tess_device::lru_lock;
 * tess_lanes::make; tess_lanes::mutex; tess_lane::mutex; tess_lane::lock; tess_lanes::lock.
 * Modesetting has its own (kms.c).
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>
#include <drm/tessera_drm.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "base/usage.h"
#include "device.h"
#include "fdinfo.h"
#include "job/queue_state.h"
#include "kms/damage.h"
#include "kms/kms.h"
#include "mem/bind.h"
#include "mem/gem.h"
#include "mem/import.h"
#include "mem/vm.h"
#include "nodes.h"
#include "query.h"
#include "queue/queue.h"
#include "queue/submit.h"

/* The console is no program that could close its file: it keeps no module */
static int tess_file_hold(struct drm_device *drm, struct tess_file *tfile)
{
	int idx, rc;

	if (tess_kms_is_console(to_tess_device(drm)))
		return 0;
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
	DRM_IOCTL_DEF_DRV(TESSERA_BO_DAMAGE, tess_bo_damage_ioctl, DRM_RENDER_ALLOW),
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
 * - 1.5: which SUBMIT it was that faulted or hung
 * - 1.6: hints with a SUBMIT: pictures that are complete, operations
 * - 1.7: what changed in the picture in a BO
 * - 1.8: what a display head of a vGPU shows is imported, to be read by jobs of the host
 */
static const struct drm_driver tess_drm_driver = {
	.driver_features = DRIVER_RENDER | DRIVER_GEM | DRIVER_GEM_GPUVA | DRIVER_SYNCOBJ |
			   DRIVER_SYNCOBJ_TIMELINE | DRIVER_MODESET | DRIVER_ATOMIC,
	.open = tess_drm_open,
	.postclose = tess_drm_postclose,
	.gem_create_object = tess_bo_create_object,
	.gem_prime_import = tess_bo_prime_import,
	.gem_prime_import_sg_table = tess_bo_import,
	.dumb_create = tess_bo_create_dumb,
	.show_fdinfo = tess_fdinfo_show,
	TESS_FBDEV_OPS
	.ioctls = tess_ioctls,
	.num_ioctls = ARRAY_SIZE(tess_ioctls),
	.fops = &tess_drm_fops,
	.name = "tessera",
	.desc = "Tessera GPU",
	TESS_DRM_DRIVER_DATE
	.major = 1,
	.minor = 8,
};

/* struct tess_device by number of its GPU */
static DEFINE_XARRAY(tess_drm_devices);

static int tess_drm_gpu_add(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_device_params params = {
		.driver = &tess_drm_driver,
		.name = "drm",
		.region = "vram",
		.heads = true,
	};
	struct tess_device *tdev;
	int ret;

	tdev = tess_device_create(gpu, &params);
	if (IS_ERR(tdev))
		return PTR_ERR(tdev);
	ret = tess_nodes_init(tdev, &tess_drm_driver);
	if (!ret)
		ret = xa_insert(&tess_drm_devices, tdev->info.index, tdev, GFP_KERNEL);
	if (ret) {
		tess_nodes_fini(tdev);
		tess_device_destroy(tdev);
	}
	return ret;
}

#ifdef TESS_DRM_WEDGED
/* The GPU is reset when the driver binds to it again, and on the way of a reset of its bus */
static void tess_drm_wedged(struct tess_device *tdev)
{
	drm_dev_wedged_event(tdev->drm, DRM_WEDGE_RECOVERY_REBIND | DRM_WEDGE_RECOVERY_BUS_RESET,
			     NULL);
}

static void tess_drm_gpu_wedged(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_device *tdev = xa_load(&tess_drm_devices, tess_gpu_info(gpu)->index);

	if (tdev) {
		tess_drm_wedged(tdev);
		tess_nodes_each(tdev, tess_drm_wedged);
	}
}
#else
#define tess_drm_gpu_wedged NULL
#endif

static void tess_drm_gpu_remove(struct tess_frontend *fe, struct tess_gpu *gpu)
{
	struct tess_device *tdev = xa_erase(&tess_drm_devices, tess_gpu_info(gpu)->index);

	if (!tdev)
		return;

	tess_nodes_fini(tdev);
	tess_device_destroy(tdev);
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
