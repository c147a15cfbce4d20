// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: where a BO of VRAM is
 *
 * A BO that was created in VRAM is there or, evicted, in pages of the system. Both are memory
 * that the GPU and the CPU can map, so an evicted BO is slower and nothing else. The BO moves
 * under its reservation, when no job of a VM that maps it is left, by the CPU: first all
 * mappings are withdrawn, of the GPU from each VM and of the CPU, then its contents are copied.
 * A page fault of the CPU waits for the reservation and maps what is there then. The GPU
 * has no such faults: each VM that maps the BO remembers that it moved (drm_gpuvm_bo_evict()), and
 * the next SUBMIT maps it again before its job is queued.
 *
 * Pages of evicted BOs are neither swapped nor reclaimed. So they count as system memory of the
 * file that made the BO, and are charged to the memory control group of the process that opened
 * it: who evicts pays nothing, and who is at a limit keeps the VRAM.
 */
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <drm/drm_gem.h>
#include <drm/drm_prime.h>
#include <drm/drm_vma_manager.h>
#include <tessera/memory.h>
#include "account.h"
#include "base/device.h"
#include "gem.h"
#include "lru.h"
#include "tables.h"
#include "vm.h"

#define TESS_PAGES_GFP		(GFP_USER | __GFP_ACCOUNT | __GFP_NOWARN)
/* Pages that are copied at once, and allocated in one piece if that costs nothing */
#define TESS_CHUNK_PAGES	(SZ_2M >> PAGE_SHIFT)

static void tess_pages_free(struct page **pages, unsigned long count)
{
	while (count--)
		__free_page(pages[count]);
	kvfree(pages);
}

/* In pieces of 2 MiB the GPU needs less translation; else page by page */
static unsigned long tess_pages_fill(struct page **pages, unsigned long left, gfp_t zero)
{
	struct page *page = NULL;
	unsigned long i, count = TESS_CHUNK_PAGES;

	if (left >= count)
		page = alloc_pages((TESS_PAGES_GFP & ~__GFP_DIRECT_RECLAIM) | zero, ilog2(count));
	if (page) {
		split_page(page, ilog2(count));
	} else {
		count = 1;
		page = alloc_page(TESS_PAGES_GFP | __GFP_RETRY_MAYFAIL | zero);
	}
	for (i = 0; page && i < count; i++)
		pages[i] = page + i;
	return page ? count : 0;
}

static struct page **tess_pages_alloc(struct tess_usage *usage, unsigned long count, gfp_t zero)
{
	struct mem_cgroup *old;
	struct page **pages;
	unsigned long done = 0, n = 1;

	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return NULL;
	old = set_active_memcg(usage->memcg);
	while (done < count && n) {
		n = tess_pages_fill(&pages[done], count - done, zero);
		done += n;
		cond_resched();
	}
	set_active_memcg(old);
	if (done == count)
		return pages;
	tess_pages_free(pages, done);
	return NULL;
}

static struct sg_table *tess_pages_map(struct drm_device *drm, struct page **pages,
				       unsigned long count)
{
	struct sg_table *sgt;
	int ret;

	sgt = drm_prime_pages_to_sg(drm, pages, count);
	if (IS_ERR(sgt))
		return sgt;
	ret = dma_map_sgtable(drm->dev, sgt, DMA_BIDIRECTIONAL, 0);
	if (!ret)
		return sgt;
	sg_free_table(sgt);
	kfree(sgt);
	return ERR_PTR(ret);
}

/**
 * tess_bo_unmap_pages() - the GPU has no evicted BOs any more
 * @bo: BO, evicted or not, that no VM maps
 */
void tess_bo_unmap_pages(struct tess_bo *bo)
{
	if (!bo->pages || !bo->sgt)
		return;
	dma_unmap_sgtable(bo->shmem.base.dev->dev, bo->sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(bo->sgt);
	kfree(bo->sgt);
	bo->sgt = NULL;
}

/**
 * tess_bo_free_pages() - free the pages of an evicted BO
 * @bo: BO, evicted or not, that nobody maps
 */
void tess_bo_free_pages(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;

	if (!bo->pages)
		return;
	tess_bo_unmap_pages(bo);
	tess_pages_free(bo->pages, obj->size >> PAGE_SHIFT);
	bo->pages = NULL;
	atomic_long_sub(obj->size >> PAGE_SHIFT, &bo->usage->evicted_pages);
	tess_unaccount_system(bo->usage, bo->system_pages);
	bo->system_pages = 0;
}

/**
 * tess_bo_alloc_pages() - give a BO pages instead of VRAM
 * @bo: BO of VRAM without pages
 * @zero: they are all that it gets
 *
 * Return: 0; -ENOMEM, also if it is more than there may be; what the DMA mapping failed with.
 */
int tess_bo_alloc_pages(struct tess_bo *bo, bool zero)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	unsigned long count = obj->size >> PAGE_SHIFT;
	struct page **pages;
	struct sg_table *sgt;
	int ret;

	ret = tess_account_system(bo->usage, count);
	if (ret)
		return ret;
	ret = -ENOMEM;
	pages = tess_pages_alloc(bo->usage, count, zero ? __GFP_ZERO : 0);
	if (!pages)
		goto err_unaccount;
	sgt = tess_pages_map(obj->dev, pages, count);
	if (IS_ERR(sgt)) {
		ret = PTR_ERR(sgt);
		goto err_free;
	}
	bo->sgt = sgt;
	bo->system_pages = count;
	WRITE_ONCE(bo->pages, pages);
	atomic_long_add(count, &bo->usage->evicted_pages);
	return 0;

err_free:
	tess_pages_free(pages, count);
err_unaccount:
	tess_unaccount_system(bo->usage, count);
	return ret;
}

/**
 * tess_bo_free_vram() - give back the VRAM of a BO
 * @bo: BO of VRAM that nobody maps, or that is evicted
 */
void tess_bo_free_vram(struct tess_bo *bo)
{
	if (!bo->vram)
		return;
	if (bo->is_import) {
		WRITE_ONCE(bo->vram, NULL);
		tess_vram_import_end(bo->export);
		bo->export = NULL;
		return;
	}
	tess_lru_remove(bo);
	tess_vram_free(to_tess_device(bo->shmem.base.dev)->gpu, bo->vram);
	WRITE_ONCE(bo->vram, NULL);
	tess_unaccount_vram(bo->usage, bo->shmem.base.size, bo->dmem);
	bo->dmem = NULL;
}

static int tess_chunk_copy(struct tess_gpu *gpu, struct tess_vram *vram, u64 offset,
			   struct page **pages, unsigned int count, bool to_vram)
{
	void *at = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	int ret;

	if (!at)
		return -ENOMEM;
	if (to_vram)
		ret = tess_vram_write(gpu, vram, offset, at, (u64)count << PAGE_SHIFT);
	else
		ret = tess_vram_read(gpu, vram, offset, at, (u64)count << PAGE_SHIFT);
	vunmap(at);
	return ret;
}

static int tess_bo_copy(struct tess_bo *bo, struct tess_vram *vram, bool to_vram)
{
	struct tess_gpu *gpu = to_tess_device(bo->shmem.base.dev)->gpu;
	unsigned long i, n, count = bo->shmem.base.size >> PAGE_SHIFT;
	int ret = 0;

	for (i = 0; i < count && !ret; i += n) {
		n = min(count - i, TESS_CHUNK_PAGES);
		ret = tess_chunk_copy(gpu, vram, (u64)i << PAGE_SHIFT, &bo->pages[i], n, to_vram);
		cond_resched();
	}
	return ret;
}

static int tess_vm_bo_withdraw(struct drm_gpuvm_bo *vm_bo)
{
	struct tess_vm *vm = to_tess_vm(vm_bo->vm);
	struct drm_gpuva *va;
	int ret;

	if (!vm_bo->evicted)
		atomic64_add(vm_bo->obj->size, &vm->evicted);
	drm_gpuvm_bo_evict(vm_bo, true);
	WRITE_ONCE(vm->moved, true);
	drm_gpuvm_bo_for_each_va(va, vm_bo) {
		if (!to_tess_va(va)->mapped)
			continue;
		ret = tess_vm_unmap(vm, va->va.addr, va->va.range);
		if (ret)
			return ret;
		to_tess_va(va)->mapped = false;
	}
	return 0;
}

/**
 * tess_bo_withdraw() - take a BO from all that maps it
 * @bo: BO of VRAM, whose reservation is held
 *
 * What was withdrawn before it failed is mapped again by the next SUBMIT.
 *
 * Return: 0; as tess_as_unmap().
 */
int tess_bo_withdraw(struct tess_bo *bo)
{
	struct drm_gem_object *obj = &bo->shmem.base;
	struct drm_gpuvm_bo *vm_bo;
	int ret;

	dma_resv_assert_held(obj->resv);
	drm_gem_for_each_gpuvm_bo(vm_bo, obj) {
		ret = tess_vm_bo_withdraw(vm_bo);
		if (ret)
			return ret;
	}
	drm_vma_node_unmap(&obj->vma_node, obj->dev->anon_inode->i_mapping);
	return 0;
}

/**
 * tess_bo_is_idle() - is no job left that may use a BO?
 * @bo: BO, whose reservation is held: no new one comes
 *
 * Return: true if there is none.
 */
bool tess_bo_is_idle(struct tess_bo *bo)
{
	dma_resv_assert_held(bo->shmem.base.resv);
	return dma_resv_test_signaled(bo->shmem.base.resv, DMA_RESV_USAGE_BOOKKEEP);
}

/**
 * tess_bo_evict_locked() - move a BO from VRAM to the system
 * @bo: idle BO in VRAM, whose reservation is held; the caller is inside drm_dev_enter()
 *
 * Return: 0; -ENOMEM, also if the file may have no more; -ENODEV. It stays where it is then.
 */
int tess_bo_evict_locked(struct tess_bo *bo)
{
	int ret;

	dma_resv_assert_held(bo->shmem.base.resv);
	ret = tess_bo_alloc_pages(bo, false);
	if (ret)
		return ret;
	ret = tess_bo_withdraw(bo);
	if (!ret)
		ret = tess_bo_copy(bo, bo->vram, false);
	if (ret)
		tess_bo_free_pages(bo);
	else
		tess_bo_free_vram(bo);
	return ret;
}

/**
 * tess_bo_return_locked() - move a BO back to VRAM if there is some
 * @bo: idle BO that is evicted and not pinned, whose reservation is held; the caller is inside
 *	drm_dev_enter()
 *
 * Return: 0; -ENOSPC no VRAM, or the file or the control group has what it may; -ENOMEM; -ENODEV.
 */
int tess_bo_return_locked(struct tess_bo *bo)
{
	struct tess_device *tdev = to_tess_device(bo->shmem.base.dev);
	struct dmem_cgroup_pool_state *dmem;
	u64 size = bo->shmem.base.size;
	struct tess_vram *vram;
	int ret;

	dma_resv_assert_held(bo->shmem.base.resv);
	ret = tess_account_vram(tdev, bo->usage, size, &dmem);
	if (ret)
		return ret;
	/* All of it is written before anything maps it: nothing has to be zero */
	vram = tess_vram_reserve(tdev->vgpu, size, bo->near, false);
	if (IS_ERR(vram)) {
		ret = PTR_ERR(vram);
		goto err_unaccount;
	}
	ret = tess_bo_withdraw(bo);
	if (!ret)
		ret = tess_bo_copy(bo, vram, true);
	if (ret)
		goto err_free;
	bo->dmem = dmem;
	WRITE_ONCE(bo->vram, vram);
	tess_bo_free_pages(bo);
	tess_lru_add(bo);
	return 0;

err_free:
	tess_vram_free(tdev->gpu, vram);
err_unaccount:
	tess_unaccount_vram(bo->usage, size, dmem);
	return ret;
}
