// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: address spaces
 *
 * A VM is a drm_gpuvm, which knows what is mapped where, and page tables of the core.
 * VM_BIND is synchronous: page tables are written by the CPU in microseconds, so that a
 * queue of binds with fences would only add latency. Page tables are allocated meanwhile,
 * which nothing may do that a fence waits for: so a bind that has in syncs waits for them in
 * the ioctl, before it enters the device. Else nothing waits for jobs: what is
 * unmapped is invalidated before its pages can be freed, and a job that still uses it
 * faults. That keeps the rule "memory is safe" apart from "the program is right", and
 * leaves no fence in reservations.
 *
 * Page tables are limited for each open file (parameter page_tables): a page that is mapped in
 * each block of 2 MiB costs another page for tables, whatever the page itself costs.
 *
 * An operation first takes its whole range out of the page tables, then changes the
 * tree, which cannot fail with preallocated nodes, then maps what is new. So a failure
 * leaves either all as it was or the range unmapped, and tree and tables always agree.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include <tessera/compat.h>
#include "args.h"
#include "device.h"
#include "gem.h"
#include "sync.h"
#include "vm.h"

#define TESS_MAX_TABLES_MIB	1048576U
#define TESS_BIND_FLAGS \
	(DRM_TESSERA_BIND_READONLY | DRM_TESSERA_BIND_NOEXEC | DRM_TESSERA_BIND_NULL)
/* Memory behind null mappings, again and again */
#define TESS_SCRATCH_BYTES	SZ_64K
/* What one operation adds at most: the mapping, and a rest at either end */
#define TESS_BIND_SPARES	3

/* For 32 GiB in pages of 4 KiB, and for far more in blocks of 2 MiB */
static unsigned int page_tables = 64;
module_param(page_tables, uint, 0644);
MODULE_PARM_DESC(page_tables, "MiB of page tables that an open file may have (default 64)");

/**
 * struct tess_va - a mapping
 * @base: in the tree of its VM
 * @dead: in tess_bind::dead
 */
struct tess_va {
	struct drm_gpuva base;
	struct list_head dead;
};

/**
 * struct tess_bind - one operation in progress
 * @vm: VM, locked
 * @bo: MAP: BO, referenced
 * @vm_bo: MAP: connection of @vm and @bo
 * @prot: MAP: TESS_AS_*
 * @va: start of the range
 * @size: bytes
 * @offset: MAP: in @bo
 * @null: MAP: all of the range is @bo, again and again
 * @pos: MAP: offset in the range of what is mapped now
 * @spare: nodes not yet in use
 * @spares: number of them
 * @dead: nodes that left the tree, with a reference on their BO. They are freed when
 *	no reservation is held: the last reference of a BO may go with them
 */
struct tess_bind {
	struct tess_vm *vm;
	struct tess_bo *bo;
	struct drm_gpuvm_bo *vm_bo;
	u32 prot;
	u64 va;
	u64 size;
	u64 offset;
	bool null;
	u64 pos;
	struct tess_va *spare[TESS_BIND_SPARES];
	unsigned int spares;
	struct list_head dead;
};

static struct drm_gpuva *tess_bind_node(struct tess_bind *bind)
{
	return &bind->spare[--bind->spares]->base;
}

static void tess_bind_bury(struct tess_bind *bind, struct drm_gpuva *va)
{
	drm_gem_object_get(va->gem.obj);
	drm_gpuva_unlink(va);
	list_add_tail(&container_of(va, struct tess_va, base)->dead, &bind->dead);
}

static int tess_step_map(struct drm_gpuva_op *op, void *priv)
{
	struct tess_bind *bind = priv;
	struct drm_gpuva *va = tess_bind_node(bind);

	drm_gpuva_map(&bind->vm->base, va, &op->map);
	drm_gpuva_link(va, bind->vm_bo);
	return 0;
}

static int tess_step_remap(struct drm_gpuva_op *op, void *priv)
{
	struct drm_gpuva *old = op->remap.unmap->va;
	struct tess_bind *bind = priv;
	struct drm_gpuva *prev = NULL;
	struct drm_gpuva *next = NULL;

	if (op->remap.prev)
		prev = tess_bind_node(bind);
	if (op->remap.next)
		next = tess_bind_node(bind);

	drm_gpuva_remap(prev, next, &op->remap);
	if (prev)
		drm_gpuva_link(prev, old->vm_bo);
	if (next)
		drm_gpuva_link(next, old->vm_bo);
	tess_bind_bury(bind, old);
	return 0;
}

static int tess_step_unmap(struct drm_gpuva_op *op, void *priv)
{
	struct tess_bind *bind = priv;

	drm_gpuva_unmap(&op->unmap);
	tess_bind_bury(bind, op->unmap.va);
	return 0;
}

static void tess_vm_free(struct drm_gpuvm *gpuvm)
{
	struct tess_vm *vm = to_tess_vm(gpuvm);
	struct drm_device *drm = gpuvm->drm;

	mutex_destroy(&vm->lock);
	kfree(vm);
	drm_dev_put(drm);
}

static const struct drm_gpuvm_ops tess_gpuvm_ops = {
	.vm_free = tess_vm_free,
	.sm_step_map = tess_step_map,
	.sm_step_remap = tess_step_remap,
	.sm_step_unmap = tess_step_unmap,
};

/* Needs no memory, so that it fits for clean-up */
static void tess_vm_unmap_all(struct tess_vm *vm)
{
	struct drm_gpuva *va, *next;

	mutex_lock(&vm->lock);
	if (vm->as && !drm_gpuvm_interval_empty(&vm->base, 0, TESS_VA_END))
		tess_as_unmap(vm->as, 0, TESS_VA_END);

	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		struct drm_gem_object *obj = va->gem.obj;

		drm_gem_object_get(obj);
		dma_resv_lock(obj->resv, NULL);
		drm_gpuva_remove(va);
		drm_gpuva_unlink(va);
		dma_resv_unlock(obj->resv);
		drm_gem_object_put(obj);
		kfree(container_of(va, struct tess_va, base));
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
	drm_dev_get(tdev->drm);
	drm_gpuvm_init(&vm->base, "tessera", 0, tdev->drm, resv, 0, TESS_VA_END, 0, 0,
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

static int tess_bind_check(const struct drm_tessera_vm_bind_op *op)
{
	if (op->pad || op->op > DRM_TESSERA_BIND_UNMAP)
		return -EINVAL;
	if (op->op == DRM_TESSERA_BIND_UNMAP && (op->flags || op->handle || op->offset))
		return -EINVAL;
	if (op->flags & ~TESS_BIND_FLAGS)
		return -EINVAL;
	if ((op->flags & DRM_TESSERA_BIND_NULL) && (op->handle || op->offset))
		return -EINVAL;
	if (!op->size || !PAGE_ALIGNED(op->size | op->va | op->offset))
		return -EINVAL;
	if (op->size > TESS_VA_END || op->va > TESS_VA_END - op->size)
		return -EINVAL;
	return 0;
}

/*
 * A null mapping is of a BO that only the VM knows, so that the tree, locks and clean-up need
 * no exception. It is made when it is needed first.
 */
static struct drm_gem_object *tess_bind_scratch(struct tess_vm *vm, struct drm_file *file)
{
	struct drm_gem_object *obj;
	struct tess_bo *bo;

	mutex_lock(&vm->lock);
	if (!vm->scratch) {
		bo = tess_bo_create_scratch(to_tess_file(file)->usage, vm, TESS_SCRATCH_BYTES);
		if (!IS_ERR(bo))
			vm->scratch = &bo->shmem.base;
	}
	obj = vm->scratch;
	if (obj)
		drm_gem_object_get(obj);
	mutex_unlock(&vm->lock);
	return obj;
}

static int tess_bind_find(struct tess_bind *bind, struct drm_file *file,
			  const struct drm_tessera_vm_bind_op *op)
{
	struct drm_gem_object *obj;

	bind->null = op->flags & DRM_TESSERA_BIND_NULL;
	obj = bind->null ? tess_bind_scratch(bind->vm, file) :
			   drm_gem_object_lookup(file, op->handle);
	if (!obj)
		return bind->null ? -ENOMEM : -ENOENT;
	bind->bo = to_tess_bo(obj);
	bind->offset = op->offset;
	bind->prot = TESS_AS_READ;
	if (!(op->flags & DRM_TESSERA_BIND_READONLY))
		bind->prot |= TESS_AS_WRITE;
	if (!(op->flags & (DRM_TESSERA_BIND_NOEXEC | DRM_TESSERA_BIND_NULL)))
		bind->prot |= TESS_AS_EXEC;
	if (bind->null)
		return 0;
	if (op->size > obj->size || op->offset > obj->size - op->size)
		return -EINVAL;
	if (bind->bo->vm_root && bind->bo->vm_root != drm_gpuvm_resv_obj(&bind->vm->base))
		return -EINVAL;
	return 0;
}

/* Take the BO, check the range in it, allocate */
static int tess_bind_prepare(struct tess_bind *bind, struct drm_file *file,
			     const struct drm_tessera_vm_bind_op *op)
{
	int ret;

	bind->va = op->va;
	bind->size = op->size;
	INIT_LIST_HEAD(&bind->dead);

	if (op->op == DRM_TESSERA_BIND_MAP) {
		ret = tess_bind_find(bind, file, op);
		if (ret)
			return ret;
	}

	while (bind->spares < TESS_BIND_SPARES) {
		struct tess_va *va = kzalloc(sizeof(*va), GFP_KERNEL_ACCOUNT);

		if (!va)
			return -ENOMEM;
		bind->spare[bind->spares++] = va;
	}
	return 0;
}

static void tess_bind_finish(struct tess_bind *bind)
{
	struct tess_va *va, *next;

	list_for_each_entry_safe(va, next, &bind->dead, dead) {
		drm_gem_object_put(va->base.gem.obj);
		kfree(va);
	}
	while (bind->spares)
		kfree(bind->spare[--bind->spares]);
	if (bind->bo)
		drm_gem_object_put(&bind->bo->shmem.base);
}

static int tess_bind_map_piece(void *priv, u64 pa, u64 offset, u64 size)
{
	struct tess_bind *bind = priv;

	return tess_as_map(bind->vm->as, bind->va + bind->pos + offset, pa, size, bind->prot);
}

static int tess_bind_map_pages(struct tess_bind *bind)
{
	u64 size;
	int ret = 0;

	if (!bind->null)
		return tess_bo_walk(bind->bo, bind->offset, bind->size, tess_bind_map_piece, bind);

	for (; bind->pos < bind->size && !ret; bind->pos += size) {
		size = min(bind->size - bind->pos, TESS_SCRATCH_BYTES);
		ret = tess_bo_walk(bind->bo, 0, size, tess_bind_map_piece, bind);
		cond_resched();
	}
	return ret;
}

static int tess_bind_map(struct tess_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->vm->base;
	struct drm_gem_object *obj = &bind->bo->shmem.base;
	int ret;

	ret = tess_gpuvm_sm_map(gpuvm, bind, bind->va, bind->size, obj, bind->offset);
	if (ret)
		return ret;

	ret = tess_bind_map_pages(bind);
	if (ret) {
		tess_as_unmap(bind->vm->as, bind->va, bind->size);
		drm_gpuvm_sm_unmap(gpuvm, bind, bind->va, bind->size);
	}
	return ret;
}

/* It leaves the tables as they were if it fails, and the tree is not touched yet */
static int tess_bind_clear(struct tess_bind *bind)
{
	struct tess_vm *vm = bind->vm;

	if (drm_gpuvm_interval_empty(&vm->base, bind->va, bind->size))
		return 0;
	return tess_as_unmap(vm->as, bind->va, bind->size);
}

static int tess_bind_locked(struct tess_bind *bind)
{
	struct drm_gpuvm *gpuvm = &bind->vm->base;
	int ret;

	if (!bind->bo)
		return tess_bind_clear(bind) ?:
		       drm_gpuvm_sm_unmap(gpuvm, bind, bind->va, bind->size);

	ret = tess_bo_pin_locked(bind->bo);
	if (ret)
		return ret;
	bind->vm_bo = tess_gpuvm_bo_obtain(gpuvm, &bind->bo->shmem.base);
	if (IS_ERR(bind->vm_bo))
		return PTR_ERR(bind->vm_bo);
	ret = tess_bind_clear(bind);
	if (!ret)
		ret = tess_bind_map(bind);
	drm_gpuvm_bo_put(bind->vm_bo);
	return ret;
}

static int tess_bind_lock_objects(struct tess_bind *bind, struct drm_exec *exec)
{
	int ret = 0;

	drm_exec_until_all_locked(exec) {
		if (bind->bo) {
			ret = drm_exec_lock_obj(exec, &bind->bo->shmem.base);
			drm_exec_retry_on_contention(exec);
			if (ret)
				break;
		}
		ret = drm_gpuvm_prepare_range(&bind->vm->base, exec, bind->va, bind->size, 0);
		drm_exec_retry_on_contention(exec);
		if (ret)
			break;
	}
	return ret;
}

static int tess_vm_bind_op(struct tess_vm *vm, struct drm_file *file,
			   const struct drm_tessera_vm_bind_op *op)
{
	struct tess_bind bind = { .vm = vm };
	struct drm_exec exec;
	int ret;

	ret = tess_bind_check(op);
	if (ret)
		return ret;
	ret = tess_bind_prepare(&bind, file, op);
	if (ret)
		goto out_finish;
	ret = mutex_lock_interruptible(&vm->lock);
	if (ret)
		goto out_finish;

	drm_exec_init(&exec, DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES, 0);
	ret = tess_bind_lock_objects(&bind, &exec);
	if (!ret)
		ret = tess_bind_locked(&bind);
	drm_exec_fini(&exec);
	mutex_unlock(&vm->lock);

out_finish:
	tess_bind_finish(&bind);
	return ret;
}

/* A caller that repeats an interrupted call with these arguments goes on where it was */
static int tess_vm_bind(struct tess_vm *vm, struct drm_file *file,
			struct drm_tessera_vm_bind *args,
			const struct drm_tessera_vm_bind_op *ops)
{
	int ret = 0;

	while (!ret && args->done < args->ops.count) {
		ret = tess_vm_bind_op(vm, file, &ops[args->done]);
		if (!ret)
			args->done++;
	}
	return ret;
}

static int tess_vm_bind_entered(struct tess_vm *vm, struct drm_file *file,
				struct drm_tessera_vm_bind *args,
				const struct drm_tessera_vm_bind_op *ops)
{
	int idx, ret;

	if (!drm_dev_enter(vm->base.drm, &idx))
		return -ENODEV;
	ret = tess_vm_bind(vm, file, args, ops);
	drm_dev_exit(idx);
	return ret;
}

/* Page tables are written when it is time to, so what is signalled afterwards is signalled */
static int tess_vm_bind_signal(struct tess_vm *vm, struct drm_file *file,
			       struct drm_tessera_vm_bind *args,
			       const struct drm_tessera_vm_bind_op *ops,
			       const struct drm_tessera_sync *out_syncs)
{
	u32 count = args->out_syncs.count;
	struct dma_fence *done;
	struct tess_out *outs;
	int ret;

	outs = tess_outs_create(file, out_syncs, count);
	if (IS_ERR(outs))
		return PTR_ERR(outs);
	ret = tess_vm_bind_entered(vm, file, args, ops);
	if (!ret) {
		done = dma_fence_get_stub();
		tess_outs_attach(outs, count, done);
		dma_fence_put(done);
	}
	tess_outs_free(outs, count);
	return ret;
}

static int tess_vm_bind_synced(struct tess_vm *vm, struct drm_file *file,
			       struct drm_tessera_vm_bind *args,
			       const struct drm_tessera_vm_bind_op *ops)
{
	struct drm_tessera_sync *ins, *outs;
	int ret;

	ins = tess_syncs_copy(&args->in_syncs);
	if (IS_ERR(ins))
		return PTR_ERR(ins);
	outs = tess_syncs_copy(&args->out_syncs);
	if (IS_ERR(outs)) {
		ret = PTR_ERR(outs);
		goto out_free_ins;
	}
	ret = tess_syncs_wait(file, ins, args->in_syncs.count);
	if (!ret)
		ret = tess_vm_bind_signal(vm, file, args, ops, outs);
	kvfree(outs);
out_free_ins:
	kvfree(ins);
	return ret;
}

static int tess_vm_bind_check(const struct drm_tessera_vm_bind *args)
{
	if (args->flags || args->pad)
		return -EINVAL;
	if (!args->ops.count || args->done > args->ops.count)
		return -EINVAL;
	return 0;
}

/**
 * tess_vm_bind_ioctl() - DRM_IOCTL_TESSERA_VM_BIND
 * @drm: device
 * @data: struct drm_tessera_vm_bind
 * @file: open file
 *
 * Return: 0; -EINVAL flags, padding, counts, alignment, range, an in sync without a fence;
 * -E2BIG an element has a part that is not known; -ENOENT no such VM, handle or syncobj;
 * -EFAULT; -EINTR; -ENOMEM; -EDQUOT too many page tables; -ENODEV.
 */
int tess_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_vm_bind *args = data;
	struct drm_tessera_vm_bind_op *ops;
	struct tess_vm *vm;
	int ret;

	ret = tess_vm_bind_check(args);
	if (ret)
		return ret;
	ops = tess_args_array(&args->ops, TESS_MAX_BIND_OPS, struct drm_tessera_vm_bind_op, size);
	if (IS_ERR(ops))
		return PTR_ERR(ops);
	ret = -ENOENT;
	vm = tess_vm_lookup(to_tess_file(file), args->vm);
	if (vm)
		ret = tess_vm_bind_synced(vm, file, args, ops);
	tess_vm_put(vm);
	kvfree(ops);
	return ret;
}
