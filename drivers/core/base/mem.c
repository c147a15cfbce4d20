// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for clients: VRAM and address spaces.
 *
 * DOC: Memory
 *
 * The core checks what front-ends pass on (ranges, alignment, rights) and leaves page
 * formats and allocation to the back-end. Both sorts of objects are shells around the
 * back-end's, see "Objects".
 */
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>

#include "gpu.h"
#include "mem.h"
#include "object.h"

/**
 * struct tess_as - shell of an address space
 * @obj: object
 * @hw: page tables of the back-end
 * @stage: which stage they serve
 * @budget: where tables come from, or NULL
 */
struct tess_as {
	struct tess_object obj;
	struct tess_hw_as *hw;
	enum tess_as_stage stage;
	struct tess_as_budget *budget;
};

/**
 * struct tess_vram_object - shell of an allocation
 * @obj: object
 * @ref: of its owner, and of those who were lent it (tess_vram_get())
 * @hw: allocation of the back-end
 * @quota: that it counts for, or NULL
 * @vram: what the front-end sees
 */
struct tess_vram_object {
	struct tess_object obj;
	struct kref ref;
	struct tess_hw_vram *hw;
	struct tess_vram_quota *quota;
	struct tess_vram vram;
};

/* ---- VRAM ---- */

/* The back-end's part of it. Inside tess_gpu_enter() */
static int vram_alloc_hw(struct tess_vram_object *v, struct tess_gpu *gpu, u64 size, int near_slice,
			 bool contiguous)
{
	const struct tess_backend_ops *ops = tess_gpu_ops(gpu);
	struct tess_hw_vram *hw;

	hw = ops->vram_alloc(gpu->be, size, near_slice, contiguous);
	if (IS_ERR(hw))
		return PTR_ERR(hw);
	v->vram = hw->vram;
	v->vram.extent = kvmemdup(hw->vram.extent,
				  array_size(hw->vram.count, sizeof(*hw->vram.extent)), GFP_KERNEL);
	if (!v->vram.extent) {
		ops->vram_free(gpu->be, hw);
		return -ENOMEM;
	}
	v->hw = hw;
	return 0;
}

static void vram_destroy(struct tess_object *obj)
{
	struct tess_vram_object *v = container_of(obj, struct tess_vram_object, obj);

	tess_gpu_ops(obj->gpu)->vram_free(obj->gpu->be, v->hw);
	v->hw = NULL;
}

static void vram_shell_free(struct tess_object *obj)
{
	struct tess_vram_object *v = container_of(obj, struct tess_vram_object, obj);

	kvfree(v->vram.extent);
	kfree(v);
}

static const struct tess_object_ops vram_ops = {
	.destroy = vram_destroy,
	.free = vram_shell_free,
};

/* Does the back-end have so much that is kept for nobody? Inside tess_gpu_enter() */
static bool vram_is_there(struct tess_gpu *gpu, u64 size)
{
	u64 have = tess_gpu_ops(gpu)->vram_free_bytes(gpu->be, SZ_4K);

	lockdep_assert_held(&gpu->vram_lock);
	return have >= gpu->vram_kept && have - gpu->vram_kept >= size;
}

/* Inside tess_gpu_enter() */
static int vram_alloc_of(struct tess_vram_object *v, struct tess_gpu *gpu,
			 struct tess_vram_quota *quota, u64 size, int near_slice, bool contiguous)
{
	int rc = -ENOSPC;

	mutex_lock(&gpu->vram_lock);
	if (quota ? quota->used + size <= quota->limit : vram_is_there(gpu, size))
		rc = vram_alloc_hw(v, gpu, size, near_slice, contiguous);
	if (!rc && quota) {
		v->quota = quota;
		quota->used += size;
		gpu->vram_kept -= size;
	}
	mutex_unlock(&gpu->vram_lock);
	return rc;
}

/**
 * tess_vram_reserve_of() - tess_vram_reserve() for the owner of a quota
 * @gpu: GPU
 * @quota: that it counts for, until tess_vram_free(); NULL: what is kept for nobody
 * @size: as of tess_vram_alloc()
 * @near_slice: as of tess_vram_alloc()
 * @contiguous: as of tess_vram_alloc()
 *
 * Return: as tess_vram_reserve().
 */
struct tess_vram *tess_vram_reserve_of(struct tess_gpu *gpu, struct tess_vram_quota *quota,
				       u64 size, int near_slice, bool contiguous)
{
	struct tess_vram_object *v;
	int idx, rc;

	if (!size || size % SZ_4K || size > gpu->info.vram_size)
		return ERR_PTR(-EINVAL);
	if (near_slice >= 0 && near_slice >= gpu->info.slice_count)
		return ERR_PTR(-EINVAL);
	v = kzalloc(sizeof(*v), GFP_KERNEL);
	if (!v)
		return ERR_PTR(-ENOMEM);
	kref_init(&v->ref);
	if (!tess_gpu_enter(gpu, &idx)) {
		kfree(v);
		return ERR_PTR(-ENODEV);
	}
	rc = vram_alloc_of(v, gpu, quota, size, near_slice, contiguous);
	if (!rc)
		tess_object_add(&v->obj, gpu, &vram_ops);
	tess_gpu_exit(gpu, idx);
	if (rc) {
		kfree(v);
		return ERR_PTR(rc);
	}
	return &v->vram;
}

static void vram_release(struct kref *ref)
{
	tess_object_put(&container_of(ref, struct tess_vram_object, ref)->obj);
}

/**
 * tess_vram_get() - memory is to stay when its owner frees it
 * @vram: allocation that counts for no quota
 */
void tess_vram_get(struct tess_vram *vram)
{
	kref_get(&container_of(vram, struct tess_vram_object, vram)->ref);
}

/**
 * tess_vram_put() - no longer
 * @vram: from tess_vram_get(); no slice reaches it for the caller any more
 *
 * The last one frees it.
 */
void tess_vram_put(struct tess_vram *vram)
{
	kref_put(&container_of(vram, struct tess_vram_object, vram)->ref, vram_release);
}

void tess_vram_free(struct tess_gpu *gpu, struct tess_vram *vram)
{
	struct tess_vram_quota *quota = container_of(vram, struct tess_vram_object, vram)->quota;
	u64 size = vram->size;

	tess_vram_put(vram);
	if (!quota)
		return;
	/* Kept for its owner, once it is free */
	mutex_lock(&gpu->vram_lock);
	quota->used -= size;
	gpu->vram_kept += size;
	mutex_unlock(&gpu->vram_lock);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_free, TESS_NS);

/**
 * tess_vram_clear() - zero what was not known to be zero when it was allocated
 * @vram: allocation; nobody frees it meanwhile
 *
 * It takes as long as the CPU needs for so many stores to the GPU: no lock that others want is
 * held.
 *
 * Return: 0; -ENODEV; -EBUSY the GPU is asleep, and not all of it is zero.
 */
int tess_vram_clear(struct tess_vram *vram)
{
	struct tess_vram_object *v = container_of(vram, struct tess_vram_object, vram);
	struct tess_gpu *gpu = v->obj.gpu;
	int idx, rc;

	lockdep_assert_not_held(&gpu->compose);
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	rc = tess_gpu_ops(gpu)->vram_clear(gpu->be, v->hw);
	tess_gpu_exit(gpu, idx);
	return rc;
}

/* Where an offset in an allocation is, and how much follows there, at most @len */
static u64 vram_at(const struct tess_vram *vram, u64 off, u64 *len)
{
	const struct tess_vram_extent *extent = vram->extent;

	while (off >= extent->size)
		off -= extent++->size;
	*len = min(*len, extent->size - off);
	return extent->offset + off;
}

static int vram_zero(struct tess_gpu *gpu, u64 at, u64 len)
{
	int idx, rc;

	lockdep_assert_not_held(&gpu->compose);
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	rc = tess_gpu_ops(gpu)->vram_zero(gpu->be, at, len);
	tess_gpu_exit(gpu, idx);
	return rc;
}

/**
 * tess_vram_zero() - zero a part of memory
 * @gpu: GPU
 * @vram: memory; nobody frees it meanwhile
 * @off: in @vram
 * @size: bytes; all are there
 *
 * As tess_vram_clear().
 *
 * Return: 0, -ENODEV, -EBUSY.
 */
int tess_vram_zero(struct tess_gpu *gpu, const struct tess_vram *vram, u64 off, u64 size)
{
	u64 at, len;
	int rc;

	for (; size; off += len, size -= len) {
		len = size;
		at = vram_at(vram, off, &len);
		rc = vram_zero(gpu, at, len);
		if (rc)
			return rc;
	}
	return 0;
}

static int vram_read(struct tess_gpu *gpu, u64 at, void *buf, u64 len)
{
	int idx, rc;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	rc = tess_gpu_ops(gpu)->vram_read(gpu->be, at, buf, len);
	tess_gpu_exit(gpu, idx);
	return rc;
}

static int vram_write(struct tess_gpu *gpu, u64 at, const void *buf, u64 len)
{
	int idx, rc;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	rc = tess_gpu_ops(gpu)->vram_write(gpu->be, at, buf, len);
	tess_gpu_exit(gpu, idx);
	return rc;
}

static int vram_access(struct tess_gpu *gpu, const struct tess_vram *vram, u64 offset, void *buf,
		       u64 size, int (*access)(struct tess_gpu *gpu, u64 at, void *buf, u64 len))
{
	u64 at, len;
	int rc = 0;

	if (offset > vram->size || size > vram->size - offset)
		return -EINVAL;
	for (; !rc && size; size -= len) {
		len = size;
		at = vram_at(vram, offset, &len);
		rc = access(gpu, at, buf, len);
		offset += len;
		buf += len;
	}
	return rc;
}

int tess_vram_read(struct tess_gpu *gpu, const struct tess_vram *vram, u64 offset, void *buf,
		   u64 size)
{
	return vram_access(gpu, vram, offset, buf, size, vram_read);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_read, TESS_NS);

static int vram_store(struct tess_gpu *gpu, u64 at, void *buf, u64 len)
{
	return vram_write(gpu, at, buf, len);
}

int tess_vram_write(struct tess_gpu *gpu, const struct tess_vram *vram, u64 offset,
		    const void *buf, u64 size)
{
	return vram_access(gpu, vram, offset, (void *)buf, size, vram_store);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_write, TESS_NS);

u64 tess_gpu_vram_free(struct tess_gpu *gpu)
{
	return tess_vram_available(gpu, SZ_4K);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_vram_free, TESS_NS);

/* ---- address spaces ---- */

struct tess_as_budget *tess_as_budget_create(unsigned int tables)
{
	struct tess_as_budget *budget = kzalloc(sizeof(*budget), GFP_KERNEL);

	if (!budget)
		return NULL;
	kref_init(&budget->ref);
	atomic_set(&budget->left, min_t(unsigned int, tables, INT_MAX));
	return budget;
}
EXPORT_SYMBOL_NS_GPL(tess_as_budget_create, TESS_NS);

static void budget_free(struct kref *ref)
{
	kfree(container_of(ref, struct tess_as_budget, ref));
}

void tess_as_budget_put(struct tess_as_budget *budget)
{
	if (budget)
		kref_put(&budget->ref, budget_free);
}
EXPORT_SYMBOL_NS_GPL(tess_as_budget_put, TESS_NS);

struct tess_hw_as *tess_as_hw(const struct tess_as *as)
{
	return as->hw;
}

struct tess_gpu *tess_as_gpu(const struct tess_as *as)
{
	return as->obj.gpu;
}

enum tess_as_stage tess_as_stage(const struct tess_as *as)
{
	return as->stage;
}

static void as_destroy(struct tess_object *obj)
{
	struct tess_as *as = container_of(obj, struct tess_as, obj);

	tess_gpu_ops(obj->gpu)->as_destroy(as->hw);
	as->hw = NULL;
}

static void as_free(struct tess_as *as)
{
	tess_as_budget_put(as->budget);
	kfree(as);
}

static void as_shell_free(struct tess_object *obj)
{
	as_free(container_of(obj, struct tess_as, obj));
}

static const struct tess_object_ops as_ops = {
	.destroy = as_destroy,
	.free = as_shell_free,
};

struct tess_as *tess_as_create(struct tess_gpu *gpu, enum tess_as_stage stage,
			       struct tess_as_budget *budget)
{
	struct tess_hw_as *hw;
	struct tess_as *as;
	int idx;

	as = kzalloc(sizeof(*as), GFP_KERNEL);
	if (!as)
		return ERR_PTR(-ENOMEM);
	as->stage = stage;
	as->budget = budget;
	if (budget)
		kref_get(&budget->ref);
	if (!tess_gpu_enter(gpu, &idx)) {
		as_free(as);
		return ERR_PTR(-ENODEV);
	}
	hw = tess_gpu_ops(gpu)->as_create(gpu->be, stage);
	if (!IS_ERR(hw)) {
		hw->budget = budget;
		as->hw = hw;
		tess_object_add(&as->obj, gpu, &as_ops);
	}
	tess_gpu_exit(gpu, idx);
	if (IS_ERR(hw)) {
		as_free(as);
		return ERR_CAST(hw);
	}
	return as;
}
EXPORT_SYMBOL_NS_GPL(tess_as_create, TESS_NS);

void tess_as_destroy(struct tess_as *as)
{
	tess_object_put(&as->obj);
}
EXPORT_SYMBOL_NS_GPL(tess_as_destroy, TESS_NS);

static bool as_range_is_valid(const struct tess_as *as, u64 va, u64 size)
{
	/* Guests have the address map of what they see, whatever GPU is behind it */
	u64 end = as->stage == TESS_AS_STAGE1 ? as->obj.gpu->info.va_end : TESS_PA_END;

	return size && !((va | size) % SZ_4K) && va < end && size <= end - va;
}

/* All in memory of the bus or all in VRAM */
static bool pa_range_is_valid(const struct tess_gpu *gpu, u64 pa, u64 size)
{
	if (pa % SZ_4K)
		return false;
	if (pa < gpu->info.vram_base)
		return size <= gpu->info.vram_base - pa;
	pa -= gpu->info.vram_base;
	return pa < gpu->info.vram_size && size <= gpu->info.vram_size - pa;
}

int tess_as_map(struct tess_as *as, u64 va, u64 pa, u64 size, u32 prot)
{
	struct tess_gpu *gpu = as->obj.gpu;
	int idx, rc;

	if (!as_range_is_valid(as, va, size) || !pa_range_is_valid(gpu, pa, size))
		return -EINVAL;
	if (!(prot & TESS_AS_READ) ||
	    (prot & ~(TESS_AS_READ | TESS_AS_WRITE | TESS_AS_EXEC | TESS_AS_CLEAN)))
		return -EINVAL;
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	rc = tess_gpu_ops(gpu)->as_map(as->hw, va, pa, size, prot);
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_as_map, TESS_NS);

static int as_unmap(struct tess_as *as, u64 va, u64 size, unsigned long *dirty)
{
	struct tess_gpu *gpu = as->obj.gpu;
	int idx, rc;

	if (!as_range_is_valid(as, va, size))
		return -EINVAL;
	/* The caller frees it: out of reach also while the GPU goes */
	if (!tess_gpu_enter_to_take(gpu, &idx))
		return -ENODEV;
	rc = tess_gpu_ops(gpu)->as_unmap(as->hw, va, size, dirty);
	tess_gpu_exit(gpu, idx);
	return rc;
}

int tess_as_unmap(struct tess_as *as, u64 va, u64 size)
{
	return as_unmap(as, va, size, NULL);
}
EXPORT_SYMBOL_NS_GPL(tess_as_unmap, TESS_NS);

int tess_as_unmap_dirty(struct tess_as *as, u64 va, u64 size, unsigned long *pages)
{
	return as_unmap(as, va, size, pages);
}
EXPORT_SYMBOL_NS_GPL(tess_as_unmap_dirty, TESS_NS);

int tess_as_dirty(struct tess_as *as, u64 va, u64 size, unsigned long *pages)
{
	struct tess_gpu *gpu = as->obj.gpu;
	int idx, rc = -EOPNOTSUPP;

	if (!as_range_is_valid(as, va, size))
		return -EINVAL;
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	if (tess_gpu_ops(gpu)->as_dirty) {
		tess_gpu_ops(gpu)->as_dirty(as->hw, va, size, pages);
		rc = 0;
	}
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_as_dirty, TESS_NS);

int tess_as_dirty_end(struct tess_as *as)
{
	struct tess_gpu *gpu = as->obj.gpu;
	int idx, rc = -EOPNOTSUPP;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	if (tess_gpu_ops(gpu)->as_dirty_end) {
		tess_gpu_ops(gpu)->as_dirty_end(as->hw);
		rc = 0;
	}
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_as_dirty_end, TESS_NS);
