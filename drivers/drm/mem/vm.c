// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: address spaces
 *
 * A VM is a drm_gpuvm, which knows what is mapped where, and page tables of the core.
 *
 * Page tables are limited for each open file (parameter page_tables): a page that is mapped in
 * each block of 2 MiB costs another page for tables, whatever the page itself costs.
 */
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/tessera_drm.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "bind_step.h"
#include "tables.h"
#include "validate.h"
#include "vm.h"

#define TESS_MAX_TABLES_MIB	1048576U

/* For 32 GiB in pages of 4 KiB, and for far more in blocks of 2 MiB */
static unsigned int page_tables = 64;
module_param(page_tables, uint, 0644);
MODULE_PARM_DESC(page_tables, "MiB of page tables that an open file may have (default 64)");

static void tess_vm_free(struct drm_gpuvm *gpuvm)
{
	struct tess_vm *vm = to_tess_vm(gpuvm);
	struct drm_device *drm = gpuvm->drm;

	mutex_destroy(&vm->tables);
	mutex_destroy(&vm->lock);
	kfree(vm);
	drm_dev_put(drm);
}

static const struct drm_gpuvm_ops tess_gpuvm_ops = {
	.vm_free = tess_vm_free,
	.vm_bo_validate = tess_vm_validate_bo,
	.sm_step_map = tess_bind_step_map,
	.sm_step_remap = tess_bind_step_remap,
	.sm_step_unmap = tess_bind_step_unmap,
};

/* Needs no memory, so that it fits for clean-up */
static void tess_vm_unmap_all(struct tess_vm *vm)
{
	u64 end = to_tess_device(vm->base.drm)->info.va_end;
	struct drm_gpuva *va, *next;

	mutex_lock(&vm->lock);
	if (vm->as && !drm_gpuvm_interval_empty(&vm->base, 0, end))
		tess_vm_unmap(vm, 0, end);

	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		struct drm_gem_object *obj = va->gem.obj;

		drm_gem_object_get(obj);
		dma_resv_lock(obj->resv, NULL);
		drm_gpuva_remove(va);
		drm_gpuva_unlink(va);
		dma_resv_unlock(obj->resv);
		drm_gem_object_put(obj);
		kfree(to_tess_va(va));
	}
	mutex_unlock(&vm->lock);
}

static void tess_vm_release_as_locked(struct tess_vm *vm)
{
	mutex_lock(&vm->lock);
	if (vm->as)
		tess_as_destroy(vm->as);
	vm->as = NULL;
	mutex_unlock(&vm->lock);
}

static void tess_vm_release(struct kref *ref)
{
	struct tess_vm *vm = container_of(ref, struct tess_vm, ref);
	struct tess_device *tdev = to_tess_device(vm->base.drm);

	tess_vm_unmap_all(vm);
	if (vm->scratch)
		drm_gem_object_put(vm->scratch);

	mutex_lock(&tdev->vm_lock);
	list_del(&vm->link);
	tess_vm_release_as_locked(vm);
	mutex_unlock(&tdev->vm_lock);

	drm_gpuvm_put(&vm->base);
}

/**
 * tess_vm_put() - drop a reference
 * @vm: VM, or NULL; sleeps if it was the last one
 */
void tess_vm_put(struct tess_vm *vm)
{
	if (vm)
		kref_put(&vm->ref, tess_vm_release);
}

/**
 * tess_vm_lookup() - find a VM
 * @tfile: open file
 * @id: from VM_CREATE
 *
 * Return: VM with a reference, or NULL.
 */
struct tess_vm *tess_vm_lookup(struct tess_file *tfile, u32 id)
{
	struct tess_vm *vm;

	xa_lock(&tfile->vms);
	vm = xa_load(&tfile->vms, id);
	if (vm)
		kref_get(&vm->ref);
	xa_unlock(&tfile->vms);
	return vm;
}

/**
 * tess_vm_close_all() - what happens to VMs when their file is closed
 * @tfile: open file that nobody uses any more
 *
 * They are emptied at once: jobs that still run for a process that is gone fault and
 * are over, instead of holding its memory until they end.
 */
void tess_vm_close_all(struct tess_file *tfile)
{
	struct tess_vm *vm;
	unsigned long id;

	xa_for_each(&tfile->vms, id, vm) {
		tess_vm_unmap_all(vm);
		tess_vm_put(vm);
	}
}

/**
 * tess_vm_release_all() - give back the page tables of a GPU that goes away
 * @tdev: unplugged device without rings
 */
void tess_vm_release_all(struct tess_device *tdev)
{
	struct tess_vm *vm;

	mutex_lock(&tdev->vm_lock);
	list_for_each_entry(vm, &tdev->vms, link)
		tess_vm_release_as_locked(vm);
	mutex_unlock(&tdev->vm_lock);
}

/**
 * tess_vm_tables_create() - page tables that an open file may have
 *
 * Return: budget, or NULL.
 */
struct tess_as_budget *tess_vm_tables_create(void)
{
	unsigned int mib = min(READ_ONCE(page_tables), TESS_MAX_TABLES_MIB);

	return tess_as_budget_create(mib * (SZ_1M / SZ_4K));
}

static struct tess_vm *tess_vm_create(struct tess_device *tdev, struct tess_file *tfile)
{
	struct drm_gem_object *resv;
	struct tess_vm *vm;
	int ret;

	vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);
	if (!vm)
		return ERR_PTR(-ENOMEM);
	resv = drm_gpuvm_resv_object_alloc(tdev->drm);
	if (!resv) {
		ret = -ENOMEM;
		goto err_free;
	}
	vm->as = tess_as_create(tdev->gpu, TESS_AS_STAGE1, tfile->tables);
	if (IS_ERR(vm->as)) {
		ret = PTR_ERR(vm->as);
		goto err_put_resv;
	}
	kref_init(&vm->ref);
	mutex_init(&vm->lock);
	mutex_init(&vm->tables);
	vm->return_at = jiffies;
	drm_dev_get(tdev->drm);
	drm_gpuvm_init(&vm->base, "tessera", 0, tdev->drm, resv, 0, tdev->info.va_end, 0, 0,
		       &tess_gpuvm_ops);
	drm_gem_object_put(resv);

	mutex_lock(&tdev->vm_lock);
	list_add_tail(&vm->link, &tdev->vms);
	mutex_unlock(&tdev->vm_lock);
	return vm;

err_put_resv:
	drm_gem_object_put(resv);
err_free:
	kfree(vm);
	return ERR_PTR(ret);
}

/**
 * tess_vm_create_ioctl() - DRM_IOCTL_TESSERA_VM_CREATE
 * @drm: device
 * @data: struct drm_tessera_vm_create
 * @file: open file
 *
 * Return: 0; -EINVAL flags; -EMFILE too many VMs; -ENOMEM; -ENODEV.
 */
int tess_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tess_file *tfile = to_tess_file(file);
	struct drm_tessera_vm_create *args = data;
	struct tess_vm *vm;
	int idx, ret;

	if (args->flags)
		return -EINVAL;
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;

	vm = tess_vm_create(to_tess_device(drm), tfile);
	if (IS_ERR(vm)) {
		ret = PTR_ERR(vm);
		goto out_exit;
	}
	ret = xa_alloc(&tfile->vms, &args->id, vm, XA_LIMIT(1, TESS_MAX_VMS), GFP_KERNEL);
	if (ret)
		tess_vm_put(vm);
	if (ret == -EBUSY)
		ret = -EMFILE;
out_exit:
	drm_dev_exit(idx);
	return ret;
}

/**
 * tess_vm_destroy_ioctl() - DRM_IOCTL_TESSERA_VM_DESTROY
 * @drm: device
 * @data: struct drm_tessera_vm_destroy
 * @file: open file
 *
 * Return: 0; -EINVAL padding; -ENOENT no such VM.
 */
int tess_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tess_file *tfile = to_tess_file(file);
	struct drm_tessera_vm_destroy *args = data;
	struct tess_vm *vm;

	if (args->pad)
		return -EINVAL;
	vm = xa_erase(&tfile->vms, args->id);
	if (!vm)
		return -ENOENT;
	tess_vm_put(vm);
	return 0;
}
