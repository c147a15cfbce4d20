// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: eviction
 *
 * Where VRAM is full, BOs of processes make room for others: the one that was used least recently
 * goes first. A job may use all that its VM maps. So SUBMIT only notes the time in the VM; the
 * time at which a BO was used is the last of its own and of those of all VMs that map it. The
 * order (tess_device::lru) is by the time that was known when the BO was put there, which is
 * never later. Whoever takes the first one looks at the true time, and puts it back where it
 * belongs if that is another one. A list that SUBMIT keeps in order, as drm_gem_lru is, would
 * cost each SUBMIT a walk over all BOs of its VM.
 *
 * Nothing waits for a lock that a process may hold, and a BO that jobs use stays: eviction never
 * delays the jobs of others. A BO for which there is no room is made in pages of the system, as if
 * it had been evicted.
 */
#include <linux/dma-resv.h>
#include <linux/jiffies.h>
#include <linux/timekeeping.h>
#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include <tessera/memory.h>
#include "base/device.h"
#include "evict.h"
#include "gem.h"
#include "lru.h"
#include "vm.h"

/* A new BO is worth this much of waiting for jobs of others, in all */
#define TESS_EVICT_PATIENCE	(HZ / 10)

/**
 * struct tess_evict_walk - a walk over BOs in the order of their use
 * @used: time of the last one
 * @serial: of the last one
 * @before: end of the walk: no BO that was used later
 * @patience: jiffies to wait for jobs
 */
struct tess_evict_walk {
	u64 used;
	u64 serial;
	u64 before;
	long patience;
};

/* The next one, with a reference */
static struct tess_bo *tess_evict_next(struct tess_device *tdev, struct tess_evict_walk *walk)
{
	struct tess_bo *bo;

	spin_lock(&tdev->lru_lock);
	do {
		bo = tess_lru_find_locked(tdev, walk->used, walk->serial);
		if (bo && bo->lru.used >= walk->before)
			bo = NULL;
		if (bo) {
			walk->used = bo->lru.used;
			walk->serial = bo->lru.serial;
		}
	} while (bo && !kref_get_unless_zero(&bo->shmem.base.refcount));
	spin_unlock(&tdev->lru_lock);
	return bo;
}

static u64 tess_bo_last_use(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	u64 used = READ_ONCE(bo->used);
	struct drm_gpuvm_bo *vm_bo;

	dma_resv_assert_held(obj->resv);
	drm_gem_for_each_gpuvm_bo(vm_bo, obj)
		used = max(used, READ_ONCE(to_tess_vm(vm_bo->vm)->used));
	return used;
}

static bool tess_evict_locked(struct tess_bo *bo)
{
	if (!bo->vram || tess_lru_update(bo, tess_bo_last_use(bo)))
		return false;
	return tess_bo_is_idle(bo) && !tess_bo_evict_locked(bo);
}

static bool tess_evict_try(struct tess_bo *bo)
{
	struct dma_resv *resv = bo->shmem.base.resv;
	bool evicted;

	if (!dma_resv_trylock(resv))
		return false;
	evicted = tess_evict_locked(bo);
	dma_resv_unlock(resv);
	return evicted;
}

/* No lock is held meanwhile: who uses the BO goes on to do so */
static bool tess_evict_wait(struct tess_bo *bo, struct tess_evict_walk *walk)
{
	long left;

	if (walk->patience <= 0)
		return false;
	left = dma_resv_wait_timeout(bo->shmem.base.resv, DMA_RESV_USAGE_BOOKKEEP, true,
				     walk->patience);
	walk->patience = max(left, 0L);
	return left > 0;
}

/* Evict one: bytes; 0: there is none left */
static u64 tess_evict_one(struct tess_device *tdev, struct tess_evict_walk *walk)
{
	struct tess_bo *bo;
	u64 evicted = 0;

	while (!evicted && (bo = tess_evict_next(tdev, walk))) {
		if ((!walk->patience || tess_evict_wait(bo, walk)) && tess_evict_try(bo))
			evicted = bo->shmem.base.size;
		drm_gem_object_put(&bo->shmem.base);
	}
	return evicted;
}

static struct tess_vram *tess_evict_until(struct tess_device *tdev, u64 size, int near,
					  bool contiguous, long patience)
{
	struct tess_evict_walk walk = { .before = ktime_get_ns(), .patience = patience };
	struct tess_vram *vram = ERR_PTR(-ENOSPC);

	while (vram == ERR_PTR(-ENOSPC) && tess_evict_one(tdev, &walk))
		if (tess_vgpu_vram_free(tdev->vgpu) >= size)
			vram = tess_vram_alloc(tdev->vgpu, size, near, contiguous);
	return vram;
}

/**
 * tess_evict_alloc() - allocate VRAM, of others if need be
 * @tdev: device
 * @size: bytes
 * @near: as of tess_vram_alloc()
 * @contiguous: as of tess_vram_alloc()
 *
 * Inside drm_dev_enter(), without a reservation.
 *
 * Return: as of tess_vram_alloc(); -ENOSPC also if what is there is in use.
 */
struct tess_vram *tess_evict_alloc(struct tess_device *tdev, u64 size, int near, bool contiguous)
{
	struct tess_vram *vram;

	vram = tess_vram_alloc(tdev->vgpu, size, near, contiguous);
	if (vram == ERR_PTR(-ENOSPC))
		vram = tess_evict_until(tdev, size, near, contiguous, 0);
	if (vram == ERR_PTR(-ENOSPC))
		vram = tess_evict_until(tdev, size, near, contiguous, TESS_EVICT_PATIENCE);
	return vram;
}

static u64 tess_evict_bytes(struct tess_device *tdev, struct tess_evict_walk walk, u64 bytes)
{
	u64 freed = 0, size;

	while (freed < bytes && (size = tess_evict_one(tdev, &walk)))
		freed += size;
	return freed;
}

/**
 * tess_evict_for_vgpu() - processes give up VRAM for a vGPU, or because they are to have less
 * @tdev: device
 * @bytes: that are wanted
 *
 * Inside drm_dev_enter(), without a lock.
 *
 * Return: bytes that became free; 0: what is left is in use.
 */
u64 tess_evict_for_vgpu(struct tess_device *tdev, u64 bytes)
{
	struct tess_evict_walk walk = { .before = ktime_get_ns() };
	u64 freed = tess_evict_bytes(tdev, walk, bytes);

	if (freed)
		return freed;
	walk.patience = TESS_EVICT_PATIENCE;
	return tess_evict_bytes(tdev, walk, bytes);
}

/**
 * tess_evict_for() - let so much VRAM be free
 * @tdev: device
 * @size: bytes
 * @before: evict BOs that were not used since, in ns of CLOCK_MONOTONIC
 *
 * Inside drm_dev_enter(), without a reservation.
 */
void tess_evict_for(struct tess_device *tdev, u64 size, u64 before)
{
	struct tess_evict_walk walk = { .before = before };

	while (tess_vgpu_vram_free(tdev->vgpu) < size)
		if (!tess_evict_one(tdev, &walk))
			break;
}
