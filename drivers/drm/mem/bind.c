// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: VM_BIND
 *
 * VM_BIND is synchronous: page tables are written by the CPU in microseconds, so that a
 * queue of binds with fences would only add latency. Page tables are allocated meanwhile,
 * which nothing may do that a fence waits for: so a bind that has in syncs waits for them in
 * the ioctl, before it enters the device. Else nothing waits for jobs: what is
 * unmapped is invalidated before its pages can be freed, and a job that still uses it
 * faults. That keeps the rule "memory is safe" apart from "the program is right".
 *
 * An operation first takes its whole range out of the page tables, then changes the
 * tree, which cannot fail with preallocated nodes, then maps what is new. So a failure
 * leaves either all as it was or the range unmapped, and tree and tables always agree.
 */
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <drm/drm_drv.h>
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>
#include <drm/tessera_drm.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include "base/args.h"
#include "base/device.h"
#include "base/sync.h"
#include "bind.h"
#include "bind_step.h"
#include "gem.h"
#include "tables.h"
#include "vm.h"

#define TESS_BIND_FLAGS \
	(DRM_TESSERA_BIND_READONLY | DRM_TESSERA_BIND_NOEXEC | DRM_TESSERA_BIND_NULL)
/* Memory behind null mappings, again and again */
#define TESS_SCRATCH_BYTES	SZ_64K
static int tess_bind_check(const struct drm_tessera_vm_bind_op *op, u64 va_end)
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
	if (op->size > va_end || op->va > va_end - op->size)
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
	if (bind->bo->is_import && bind->prot & TESS_AS_WRITE)
		return -EACCES;
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

	return tess_vm_map(bind->vm, bind->va + bind->pos + offset, pa, size, bind->prot);
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
		tess_vm_unmap(bind->vm, bind->va, bind->size);
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
	return tess_vm_unmap(vm, bind->va, bind->size);
}

/* Jobs of the VM that run already may use what is bound now: it does not move before they end */
static int tess_bind_add_jobs(struct tess_bind *bind)
{
	struct dma_resv *vm_resv = drm_gpuvm_resv(&bind->vm->base);
	struct dma_resv *resv = bind->bo->shmem.base.resv;
	struct dma_resv_iter cursor;
	struct dma_fence *fence;
	int ret;

	if (resv == vm_resv)
		return 0;
	dma_resv_for_each_fence(&cursor, vm_resv, DMA_RESV_USAGE_BOOKKEEP, fence) {
		if (dma_fence_is_signaled(fence))
			continue;
		ret = dma_resv_reserve_fences(resv, 1);
		if (ret)
			return ret;
		dma_resv_add_fence(resv, fence, DMA_RESV_USAGE_BOOKKEEP);
	}
	return 0;
}

static int tess_bind_new(struct tess_bind *bind)
{
	int ret;

	drm_gpuvm_bo_extobj_add(bind->vm_bo);
	/* Bound where it is; SUBMIT tries to bring it back */
	if (bind->bo->pages) {
		drm_gpuvm_bo_evict(bind->vm_bo, true);
		WRITE_ONCE(bind->vm->moved, true);
	}
	ret = tess_bind_add_jobs(bind);
	if (!ret)
		ret = tess_bind_clear(bind);
	if (!ret)
		ret = tess_bind_map(bind);
	return ret;
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
	WRITE_ONCE(bind->bo->used, ktime_get_ns());
	ret = tess_bind_new(bind);
	drm_gpuvm_bo_put(bind->vm_bo);
	return ret;
}

/* The VM's own reservation keeps jobs from looking at lists that change */
static int tess_bind_lock_objects(struct tess_bind *bind, struct drm_exec *exec)
{
	int ret;

	drm_exec_until_all_locked(exec) {
		ret = drm_gpuvm_prepare_vm(&bind->vm->base, exec, 0);
		drm_exec_retry_on_contention(exec);
		if (ret)
			break;
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

	ret = tess_bind_check(op, to_tess_device(vm->base.drm)->info.va_end);
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

/*
 * A caller that repeats an interrupted call with these arguments goes on where it was. Signals are
 * looked for behind an operation that was done: however often they come, each call does one.
 */
static int tess_vm_bind(struct tess_vm *vm, struct drm_file *file,
			struct drm_tessera_vm_bind *args,
			const struct drm_tessera_vm_bind_op *ops)
{
	int ret = 0;

	while (!ret && args->done < args->ops.count) {
		ret = tess_vm_bind_op(vm, file, &ops[args->done]);
		if (ret)
			break;
		args->done++;
		if (args->done < args->ops.count && signal_pending(current))
			ret = -EINTR;
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
 * -EACCES memory of a vGPU without READONLY; -ESTALE memory that its vGPU has given back;
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
