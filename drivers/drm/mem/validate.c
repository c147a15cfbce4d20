// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: before a job
 *
 * SUBMIT locks all that its VM maps (drm_gpuvm_exec), so that nothing of it moves until the fence
 * of the job is in the reservations. What moved since the last job is mapped again, where it is:
 * a BO that is evicted is used in pages of the system.
 *
 * It comes back to VRAM when there is room, or when others have BOs there which they did not use
 * for a second. So two processes that both work on more than there is VRAM do not copy it to
 * and fro: one of them uses pages of the system. A VM looks for room once a second, and waits
 * for its own earlier jobs then, as a BO does not move under them.
 */
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/timekeeping.h>
#include <drm/drm_exec.h>
#include <drm/drm_gem.h>
#include "base/device.h"
#include "evict.h"
#include "gem.h"
#include "import.h"
#include "tables.h"
#include "validate.h"
#include "vm.h"

#define TESS_RETURN_AGE_NS	NSEC_PER_SEC
#define TESS_RETURN_PERIOD	HZ
#define TESS_RETURN_PATIENCE	(HZ / 10)

/* Where in a mapping the walk over its BO begins */
struct tess_va_walk {
	struct tess_vm *vm;
	struct tess_va *va;
};

static int tess_va_map_piece(void *priv, u64 pa, u64 offset, u64 size)
{
	const struct tess_va_walk *walk = priv;

	return tess_vm_map(walk->vm, walk->va->base.va.addr + offset, pa, size, walk->va->prot);
}

static int tess_va_map(struct tess_vm *vm, struct tess_va *va)
{
	struct tess_va_walk walk = { .vm = vm, .va = va };
	int ret;

	ret = tess_bo_walk(to_tess_bo(va->base.gem.obj), va->base.gem.offset, va->base.va.range,
			   tess_va_map_piece, &walk);
	va->mapped = !ret;
	if (ret)
		tess_vm_unmap(vm, va->base.va.addr, va->base.va.range);
	return ret;
}

/**
 * tess_vm_validate_bo() - map a BO that moved, perhaps back in VRAM
 * @vm_bo: BO and VM, whose reservations are held
 * @exec: that holds them
 *
 * Return: 0; -ENOMEM, -EDQUOT of the page tables; -ESTALE it is memory that its vGPU has given
 * back; -ENODEV.
 */
int tess_vm_validate_bo(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec)
{
	struct tess_bo *bo = to_tess_bo(vm_bo->obj);
	struct tess_vm *vm = to_tess_vm(vm_bo->vm);
	struct drm_gpuva *va;
	int ret;

	ret = tess_import_check_locked(bo);
	if (ret)
		return ret;
	if (vm->returns && bo->pages && !bo->pins && tess_bo_is_idle(bo))
		tess_bo_return_locked(bo);
	drm_gpuvm_bo_for_each_va(va, vm_bo) {
		if (to_tess_va(va)->mapped)
			continue;
		ret = tess_va_map(vm, to_tess_va(va));
		if (ret)
			return ret;
	}
	if (bo->pages && !bo->pins)
		atomic64_add(vm_bo->obj->size, &vm->evicted);
	if (!bo->pages)
		drm_gpuvm_bo_evict(vm_bo, false);
	return 0;
}

/* What is evicted is asked for; others that did not use theirs have to go */
static bool tess_vm_prepare_return(struct tess_vm *vm, u64 now)
{
	long left;

	if (!atomic64_read(&vm->evicted) || time_before(jiffies, READ_ONCE(vm->return_at)))
		return false;
	WRITE_ONCE(vm->return_at, jiffies + TESS_RETURN_PERIOD);
	left = dma_resv_wait_timeout(drm_gpuvm_resv(&vm->base), DMA_RESV_USAGE_BOOKKEEP, true,
				     TESS_RETURN_PATIENCE);
	if (left <= 0)
		return false;
	if (now > TESS_RETURN_AGE_NS)
		tess_evict_for(to_tess_device(vm->base.drm), atomic64_read(&vm->evicted),
			       now - TESS_RETURN_AGE_NS);
	return true;
}

static int tess_vm_validate(struct tess_vm *vm, struct drm_gpuvm_exec *exec, bool returns)
{
	int ret;

	dma_resv_assert_held(drm_gpuvm_resv(&vm->base));
	if (!READ_ONCE(vm->moved) && !returns)
		return 0;
	vm->returns = returns;
	WRITE_ONCE(vm->moved, false);
	atomic64_set(&vm->evicted, 0);
	ret = drm_gpuvm_exec_validate(exec);
	if (ret)
		WRITE_ONCE(vm->moved, true);
	return ret;
}

/**
 * tess_vm_lock_for_job() - nothing that a VM maps moves until there is a fence in it
 * @vm: VM; the caller is between drm_dev_enter() and drm_dev_exit()
 * @exec: for tess_vm_add_job() and drm_gpuvm_exec_unlock()
 *
 * Return: 0, with the reservations of the VM and of all BOs in it, all mapped; -EINTR, -ENOMEM;
 * -EDQUOT too many page tables for what moved; -ESTALE it maps memory that a vGPU has given back;
 * -ENODEV.
 */
int tess_vm_lock_for_job(struct tess_vm *vm, struct drm_gpuvm_exec *exec)
{
	u64 now = ktime_get_ns();
	bool returns;
	int ret;

	WRITE_ONCE(vm->used, now);
	returns = tess_vm_prepare_return(vm, now);
	*exec = (struct drm_gpuvm_exec){
		.vm = &vm->base,
		.flags = DRM_EXEC_INTERRUPTIBLE_WAIT | DRM_EXEC_IGNORE_DUPLICATES,
		.num_fences = 1,
	};
	ret = drm_gpuvm_exec_lock(exec);
	if (ret)
		return ret;
	ret = tess_vm_validate(vm, exec, returns);
	if (ret)
		drm_gpuvm_exec_unlock(exec);
	return ret;
}

/**
 * tess_vm_add_job() - what a VM maps is in use until a job is over
 * @exec: from tess_vm_lock_for_job()
 * @fence: of the job. It replaces earlier ones of its queue
 *
 * Only who moves memory waits for it: users of a BO that is shared synchronize explicitly.
 */
void tess_vm_add_job(struct drm_gpuvm_exec *exec, struct dma_fence *fence)
{
	drm_gpuvm_exec_resv_add_fence(exec, fence, DMA_RESV_USAGE_BOOKKEEP,
				      DMA_RESV_USAGE_BOOKKEEP);
}
