// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: DRM devices
 *
 * A DRM device is an elastic vGPU of the core: that of a GPU, which holds what nobody else
 * has, or one that claims its slices (nodes.c). The two differ in nothing but that the first one
 * has the GPU's display heads.
 *
 * The DRM device outlives the GPU as long as files are open. It is therefore not tied
 * to the life of its parent by devm_drm_dev_alloc(), which would also keep it until
 * the parent is unbound when only this module goes; its private part is allocated with
 * the DRM device and goes with it. All that touches the GPU runs between
 * drm_dev_enter() and drm_dev_exit().
 */
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/vgpu.h>
#include "base/device.h"
#include "debugfs.h"
#include "device.h"
#include "job/coredump.h"
#include "job/gate.h"
#include "job/lane.h"
#include "kms/kms.h"
#include "mem/bind.h"
#include "mem/evict.h"
#include "mem/gem.h"
#include "mem/import.h"
#include "mem/vm.h"
#include "queue/lanes.h"
#include "queue/queue.h"

/**
 * tess_device_changed() - tell user space that the slices changed
 * @tdev: device
 *
 * QUERY has the new number, and who listens for uevents gets one, as for what else happens to
 * DRM devices. The node is in sysfs inside drm_dev_enter(), once it is registered.
 */
void tess_device_changed(struct tess_device *tdev)
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

	/* Rings are of this one, which its creator is still waiting for the first times */
	WRITE_ONCE(tdev->vgpu, vgpu);
	ret = tess_lanes_start(&tdev->lanes[vslice]);
	if (ret && ret != -ENODEV)
		drm_warn(tdev->drm, "slice %u is there, but not all of its rings: %d\n", vslice,
			 ret);
	tess_lanes_update(&tdev->lanes[vslice]);
	tess_device_changed(tdev);
}

static u64 tess_client_evict(struct tess_vgpu *vgpu, u64 bytes)
{
	struct tess_device *tdev = tess_vgpu_priv(vgpu);
	u64 freed;
	int idx;

	/* Before the device is registered no process has a buffer */
	if (!READ_ONCE(tdev->registered) || !drm_dev_enter(tdev->drm, &idx))
		return 0;
	freed = tess_evict_for_vgpu(tdev, bytes);
	drm_dev_exit(idx);
	return freed;
}

static void tess_client_revoked(struct tess_vgpu *vgpu)
{
	struct tess_device *tdev = tess_vgpu_priv(vgpu);
	int idx;

	if (!READ_ONCE(tdev->registered) || !drm_dev_enter(tdev->drm, &idx))
		return;
	tess_imports_leave(tdev);
	drm_dev_exit(idx);
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
	.revoked = tess_client_revoked,
	.gone = tess_client_gone,
};

static struct tess_device *tess_device_alloc(struct tess_gpu *gpu,
					     const struct tess_device_params *params)
{
	struct tess_device *tdev;
	struct drm_device *drm;
	int ret;

	drm = drm_dev_alloc(params->driver, tess_gpu_dev(gpu));
	if (IS_ERR(drm))
		return ERR_CAST(drm);

	ret = -ENOMEM;
	tdev = drmm_kzalloc(drm, sizeof(*tdev), GFP_KERNEL);
	if (!tdev)
		goto err_put;

	drm->dev_private = tdev;
	tdev->name = drmm_kstrdup(drm, params->name, GFP_KERNEL);
	if (!tdev->name)
		goto err_put;
	tdev->drm = drm;
	tdev->gpu = gpu;
	tdev->info = *tess_gpu_info(gpu);
	if (!params->heads)
		tdev->info.caps &= ~TESS_CAPS_DISPLAY;
	tdev->lane_count = tdev->info.slice_count;
	atomic64_set(&tdev->generation, 1);
	tess_coredump_init(tdev);
	INIT_LIST_HEAD(&tdev->bos);
	spin_lock_init(&tdev->lru_lock);
	spin_lock_init(&tdev->damage_lock);
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

	tdev->dmem = tess_dmem_register(drm, params->region, tdev->info.vram_size);
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

	tdev->wq = alloc_workqueue("tessera-%s-%u", WQ_UNBOUND | WQ_MEM_RECLAIM, 0, tdev->name,
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

/**
 * tess_device_create() - make a DRM device and its vGPU
 * @gpu: GPU
 * @params: what it is to be
 *
 * Return: device whose node is there, or error pointer: as tess_vgpu_create().
 */
struct tess_device *tess_device_create(struct tess_gpu *gpu,
				       const struct tess_device_params *params)
{
	struct tess_vgpu_params vgpu = {
		.name = params->name,
		.blueprint = params->blueprint,
		.elastic = true,
		.ops = &tess_client_ops,
		.owner = THIS_MODULE,
		.reason = params->reason,
	};
	struct tess_device *tdev;
	int ret;

	tdev = tess_device_alloc(gpu, params);
	if (IS_ERR(tdev))
		return tdev;

	ret = tess_device_init_lanes(tdev);
	if (ret)
		goto err_put;

	vgpu.priv = tdev;
	tdev->vgpu = tess_vgpu_create(gpu, &vgpu);
	if (IS_ERR(tdev->vgpu)) {
		ret = PTR_ERR(tdev->vgpu);
		goto err_fini_lanes;
	}

	/* From here on config() does it. */
	tess_device_update_lanes(tdev);
	ret = drm_dev_register(tdev->drm, 0);
	if (ret)
		goto err_stop_lanes;
	WRITE_ONCE(tdev->registered, true);
	tess_kms_start(tdev);
	return tdev;

err_stop_lanes:
	tess_device_stop_lanes(tdev);
	tess_vgpu_destroy(tdev->vgpu);
err_fini_lanes:
	tess_device_fini_lanes(tdev);
err_put:
	drm_dev_put(tdev->drm);
	return ERR_PTR(ret);
}

/**
 * tess_device_destroy() - end a DRM device
 * @tdev: device, whose files may be open still
 */
void tess_device_destroy(struct tess_device *tdev)
{
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
