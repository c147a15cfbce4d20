// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: guest memory
 *
 * The GPU translates every address of a vGPU through stage 2, an address space of the
 * host. At first only the vGPU's own VRAM is in there. Guest memory comes when the GPU
 * touches it: the access faults, the host pins a window of pages around it (parameter
 * fault_around), maps them for DMA and into stage 2, and lets the GPU repeat the access.
 * A window that cannot be pinned as a whole, because a part is no memory, is read-only
 * or is over the limit of locked memory, is tried again as a single page. What cannot
 * be pinned at all becomes an access fault of this client. VFIO charges pins to the VMM.
 *
 * What was pinned together is a chunk and goes together (chunk.c): when VFIO unmaps guest memory,
 * when the device is reset or closed, or when the GPU goes. A chunk is entered before its pages
 * are pinned, without the lock (pin.c): another vslice that wants one of them waits for the first.
 *
 * When a GPU is gone all chunks are put out of reach at once. A work item unpins them, and is
 * waited for as long as a VMM may take that is not stuck. One that is stuck in VFIO has its memory
 * pinned until it lets VFIO go on.
 *
 * Pinning everything in advance was rejected: it defeats overcommitment and takes longer
 * than most guests run work on a GPU.
 */
#include <linux/iommu.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "chunk.h"
#include "dma.h"
#include "log.h"
#include "pin.h"
#include "record.h"

static unsigned int fault_around = 64;
module_param(fault_around, uint, 0644);
MODULE_PARM_DESC(fault_around, "pages of guest memory to pin around a fault, 1 to 512");

static u64 chunk_last(const struct tess_mdev_chunk *chunk)
{
	return tess_mdev_pin_last(&chunk->pin);
}

static struct tess_mdev_chunk *next_chunk(struct tess_mdev_dma *dma, u64 first, u64 last)
{
	unsigned long index = first;

	return mt_find(&dma->chunks, &index, last);
}

#define for_each_chunk(dma, chunk, first, last)					\
	for (chunk = next_chunk(dma, first, last); chunk;			\
	     chunk = chunk_last(chunk) < (last) ?				\
		     next_chunk(dma, chunk_last(chunk) + 1, last) : NULL)

/* ---- releasing ---- */

/* mtree_erase() leaves the entry where it is if there is no memory for a node */
static void forget_chunk(struct tess_mdev_dma *dma, const struct tess_mdev_chunk *chunk)
{
	mtree_store_range(&dma->chunks, chunk->pin.first, chunk_last(chunk), NULL,
			  GFP_KERNEL | __GFP_NOFAIL);
}

static void drop_chunk(struct tess_mdev *tm, struct tess_mdev_chunk *chunk)
{
	tess_mdev_chunk_unmap(tm, chunk);
	forget_chunk(&tm->dma, chunk);
	tess_mdev_pin_drop(tm, &chunk->pin);
}

/*
 * All chunks that have a page in [@first, @last] are out of reach, and those that are coming will
 * not be mapped; true if there is one
 */
static bool mem_release_range(struct tess_mdev *tm, u64 first, u64 last)
{
	struct tess_mdev_dma *dma = &tm->dma;
	struct tess_mdev_chunk *chunk;
	bool found;
	u64 at;

	lockdep_assert_held(&dma->lock);
	found = tess_mdev_pins_recall(tm, first, last);
	/* All out of stage 2 before the first page is the CPU's again */
	for_each_chunk(dma, chunk, first, last) {
		if (!chunk->coming)
			tess_mdev_chunk_leave(tm, chunk);
	}
	for (at = first; at <= last && (chunk = next_chunk(dma, at, last));) {
		at = chunk_last(chunk) + 1;
		if (chunk->coming)
			continue;
		drop_chunk(tm, chunk);
		found = true;
	}
	return found;
}

static void mem_release_all(struct tess_mdev *tm)
{
	tess_mdev_records_drop(tm);
	mem_release_range(tm, 0, ULONG_MAX);
}

void tess_mdev_dma_release(struct tess_mdev *tm)
{
	guard(mutex)(&tm->dma.lock);
	mem_release_all(tm);
}

void tess_mdev_dma_close(struct tess_mdev *tm)
{
	guard(mutex)(&tm->dma.lock);
	tm->dma.open = false;
	mem_release_all(tm);
}

void tess_mdev_dma_closed(struct tess_mdev *tm)
{
	tess_mdev_log_end(tm);
	tess_mdev_pins_finish(tm, 0, ULONG_MAX);
}

/**
 * tess_mdev_dma_unmap() - VFIO takes guest memory away
 * @vdev: device
 * @iova: guest-physical address
 * @length: bytes
 */
void tess_mdev_dma_unmap(struct vfio_device *vdev, u64 iova, u64 length)
{
	struct tess_mdev *tm = to_tess_mdev(vdev);
	u64 first = iova >> PAGE_SHIFT, last = (iova + length - 1) >> PAGE_SHIFT;
	bool found;

	scoped_guard(mutex, &tm->dma.lock) {
		found = tess_mdev_records_unmap(tm, first, last);
		found |= mem_release_range(tm, first, last);
		if (found)
			tess_mdev_pins_pause(&tm->dma);
	}
	tess_mdev_pins_finish(tm, first, last);
}

/**
 * tess_mdev_dma_follow() - make the calls of VFIO that are due after an access or a reset
 * @tm: vGPU, of which no lock is held
 */
void tess_mdev_dma_follow(struct tess_mdev *tm)
{
	if (!READ_ONCE(tm->dma.owed))
		return;
	scoped_guard(mutex, &tm->dma.lock)
		WRITE_ONCE(tm->dma.owed, false);
	tess_mdev_pins_give_back(tm);
	tess_mdev_records_pin(tm);
}

/* ---- bringing ---- */

static struct tess_mdev_chunk *alloc_chunk(struct tess_mdev *tm, u64 first, u64 last, u32 prot)
{
	struct tess_mdev_chunk *chunk;

	chunk = kzalloc(struct_size(chunk, sgt, tm->parts.count), GFP_KERNEL);
	if (!chunk)
		return NULL;
	chunk->count = tm->parts.count;
	chunk->pin.first = first;
	chunk->pin.npages = last - first + 1;
	chunk->prot = prot;
	chunk->coming = true;
	return chunk;
}

/* The largest range without a chunk around @pfn, inside its window of @size pages */
static void mem_find_window(struct tess_mdev_dma *dma, u64 pfn, u64 size, u64 *first, u64 *last)
{
	struct tess_mdev_chunk *chunk;
	u64 at;

	*first = round_down(pfn, size);
	*last = *first + size - 1;
	for (at = *first; at < pfn; at = chunk_last(chunk) + 1) {
		chunk = next_chunk(dma, at, pfn);
		if (!chunk)
			break;
		*first = chunk_last(chunk) + 1;
	}
	chunk = next_chunk(dma, pfn, *last);
	if (chunk)
		*last = chunk->pin.first - 1;
}

/* There is no chunk at @pfn */
static struct tess_mdev_chunk *mem_reserve(struct tess_mdev *tm, u64 pfn, u64 size, u32 prot)
{
	struct tess_mdev_chunk *chunk;
	u64 first, last;
	int ret;

	lockdep_assert_held(&tm->dma.lock);
	/* Once it is dead, what is pinned is released, and nothing comes after that */
	if (!tm->dma.open || READ_ONCE(tm->dead))
		return ERR_PTR(-ENODEV);
	mem_find_window(&tm->dma, pfn, size, &first, &last);
	chunk = alloc_chunk(tm, first, last, prot);
	if (!chunk)
		return ERR_PTR(-ENOMEM);
	ret = mtree_insert_range(&tm->dma.chunks, first, last, chunk, GFP_KERNEL);
	if (ret) {
		kfree(chunk);
		return ERR_PTR(ret);
	}
	tess_mdev_pin_begin(tm, &chunk->pin);
	return chunk;
}

static int mem_publish(struct tess_mdev *tm, struct tess_mdev_chunk *chunk, struct page **pages)
{
	int ret;

	guard(mutex)(&tm->dma.lock);
	if (READ_ONCE(tm->dead))
		return -ENODEV;
	if (chunk->pin.stale)
		return -EAGAIN;
	ret = tess_mdev_chunk_map(tm, chunk, pages);
	if (ret)
		return ret;
	chunk->coming = false;
	tess_mdev_pin_end(tm, &chunk->pin);
	tess_mdev_records_restore(tm, chunk->pin.first, chunk_last(chunk));
	return 0;
}

static void mem_unreserve(struct tess_mdev *tm, struct tess_mdev_chunk *chunk)
{
	scoped_guard(mutex, &tm->dma.lock) {
		forget_chunk(&tm->dma, chunk);
		tess_mdev_pin_end(tm, &chunk->pin);
	}
	kfree(chunk);
}

/* Pin what was reserved, and let the GPU reach it; @chunk may be gone afterwards */
static int mem_fill(struct tess_mdev *tm, struct tess_mdev_chunk *chunk)
{
	int prot = IOMMU_READ | (chunk->prot & TESS_AS_WRITE ? IOMMU_WRITE : 0), ret = -ENOMEM;
	struct page **pages;

	pages = kvcalloc(chunk->pin.npages, sizeof(*pages), GFP_KERNEL);
	if (pages)
		ret = tess_mdev_pin(tm, &chunk->pin, prot, pages);
	if (!ret) {
		ret = mem_publish(tm, chunk, pages);
		if (ret)
			tess_mdev_unpin(tm, &chunk->pin);
	}
	if (ret)
		mem_unreserve(tm, chunk);
	kvfree(pages);
	return ret;
}

/* What there is at @pfn; one that is coming is waited for */
static struct tess_mdev_chunk *mem_find_arrived(struct tess_mdev_dma *dma, u64 pfn)
{
	struct tess_mdev_chunk *chunk;

	while ((chunk = next_chunk(dma, pfn, pfn)) && chunk->coming)
		tess_mdev_pins_wait(dma, MAX_SCHEDULE_TIMEOUT);
	return chunk;
}

/**
 * mem_bring() - pin guest memory and let the GPU reach it
 * @tm: vGPU
 * @pfn: page number
 * @size: pages around it that may be pinned with it
 * @prot: TESS_AS_*
 * @store: the GPU wants to write
 *
 * Return: 0 it is there; -EINVAL no guest memory; -EPERM it is read-only; -ENOMEM also over the
 * limit of locked memory; -ERANGE the GPU cannot address it; -EAGAIN it was taken away meanwhile;
 * -ENODEV closed, or a GPU is gone.
 */
static int mem_bring(struct tess_mdev *tm, u64 pfn, u64 size, u32 prot, bool store)
{
	struct tess_mdev_chunk *chunk;

	scoped_guard(mutex, &tm->dma.lock) {
		chunk = mem_find_arrived(&tm->dma, pfn);
		/* Another vslice was first, or this is a store to read-only memory */
		if (chunk)
			return store && !(chunk->prot & TESS_AS_WRITE) ? -EPERM : 0;
		chunk = mem_reserve(tm, pfn, size, prot);
	}
	return IS_ERR(chunk) ? PTR_ERR(chunk) : mem_fill(tm, chunk);
}

static int mem_bring_window(struct tess_mdev *tm, u64 pfn, bool store)
{
	u64 size = rounddown_pow_of_two(clamp(READ_ONCE(fault_around), 1U,
					      TESS_MDEV_CHUNK_PAGES));
	u32 ro = TESS_AS_READ | TESS_AS_EXEC, rw = ro | TESS_AS_WRITE;
	int ret;

	ret = mem_bring(tm, pfn, size, rw, store);
	if (ret && ret != -EAGAIN && ret != -ENODEV && size > 1)
		ret = mem_bring(tm, pfn, 1, rw, store);
	if (ret == -EPERM && !store)
		ret = mem_bring(tm, pfn, 1, ro, store);
	return ret;
}

/* False: @part was exchanged for another, and runs no more */
static bool mem_begin_fault(struct tess_mdev *tm, const struct tess_mdev_part *part)
{
	guard(mutex)(&tm->dma.lock);
	if (!tess_mdev_has_part(&tm->parts, part))
		return false;
	tm->dma.faults++;
	return true;
}

static void mem_end_fault(struct tess_mdev *tm)
{
	guard(mutex)(&tm->dma.lock);
	tm->dma.faults--;
	tess_mdev_pins_ended(&tm->dma);
}

static int mem_fault(struct tess_mdev *tm, const struct tess_mdev_part *part, u64 pfn, bool store)
{
	int ret;

	if (!mem_begin_fault(tm, part))
		return 0;
	ret = mem_bring_window(tm, pfn, store);
	tess_mdev_dma_follow(tm);
	mem_end_fault(tm);
	/* VFIO unmapped it, or there was a reset; if the GPU still wants it, it will say so */
	return ret == -EAGAIN ? 1 : ret;
}

/**
 * tess_mdev_dma_fault() - make guest memory accessible that the GPU wants
 * @part: whose
 * @hf: what the GPU wants
 *
 * Return: 0 repeat the access; a negative errno: it is a fault of the client; or jiffies after
 * which to ask again.
 */
int tess_mdev_dma_fault(struct tess_mdev_part *part, const struct tess_host_fault *hf)
{
	struct tess_mdev *tm = part->tm;
	int ret = -EFAULT;

	/* All VRAM that there is for this client is mapped */
	if (hf->gpa < TESS_PA_VRAM) {
		ret = tess_mdev_pins_paused(&tm->dma);
		if (!ret)
			ret = mem_fault(tm, part, hf->gpa >> PAGE_SHIFT, hf->access == 2);
		if (ret > 0)
			return ret;
	}
	atomic64_inc(ret ? &tm->stats.stage2_refused : &tm->stats.stage2_faults);
	return ret;
}

/* ---- life cycle ---- */

/* Where the guest finds VRAM does not depend on where it is */
static int map_vram_window(struct tess_as *as, struct tess_vgpu *vgpu)
{
	u64 base = tess_gpu_info(tess_vgpu_gpu(vgpu))->vram_base, gpa = TESS_PA_VRAM;
	const struct tess_vram *vram = tess_vgpu_vram(vgpu);
	unsigned int i;
	int ret;

	for (i = 0; vram && i < vram->count; i++) {
		const struct tess_vram_extent *extent = &vram->extent[i];

		ret = tess_as_map(as, gpa, base + extent->offset, extent->size,
				  TESS_AS_READ | TESS_AS_WRITE | TESS_AS_EXEC);
		if (ret)
			return ret;
		gpa += extent->size;
	}
	return 0;
}

struct tess_as *tess_mdev_stage2_create(struct tess_vgpu *vgpu)
{
	struct tess_as *as;
	int ret;

	/* One table for each 2 MiB of the guest's memory at most, and what is above them */
	as = tess_as_create(tess_vgpu_gpu(vgpu), TESS_AS_STAGE2, NULL);
	if (IS_ERR(as))
		return as;
	ret = map_vram_window(as, vgpu);
	if (!ret)
		return as;
	tess_as_destroy(as);
	return ERR_PTR(ret);
}

static void mem_give_back_work(struct work_struct *work)
{
	struct tess_mdev *tm = container_of(work, struct tess_mdev, dma.give_back);

	tess_mdev_pins_give_back(tm);
	vfio_put_device(&tm->vdev);
}

void tess_mdev_dma_init(struct tess_mdev *tm)
{
	struct tess_mdev_dma *dma = &tm->dma;

	mutex_init(&dma->lock);
	INIT_WORK(&dma->give_back, mem_give_back_work);
	INIT_LIST_HEAD(&dma->busy);
	INIT_LIST_HEAD(&dma->dropped);
	init_waitqueue_head(&dma->wait);
	mt_init(&dma->chunks);
	tess_mdev_log_init(tm);
}

void tess_mdev_dma_fini(struct tess_mdev *tm)
{
	mtree_destroy(&tm->dma.chunks);
	tess_mdev_log_fini(tm);
}

void tess_mdev_dma_open(struct tess_mdev *tm)
{
	guard(mutex)(&tm->dma.lock);
	tm->dma.open = true;
}

static bool mem_cut_off(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	guard(mutex)(&tm->dma.lock);
	/* It may have been replaced meanwhile */
	if (!tess_mdev_has_part(&tm->parts, part))
		return false;
	/* The other parts, too, reach nothing any more */
	mem_release_all(tm);
	return true;
}

/* Is all unpinned, before the time is up? */
static bool mem_given_back(struct tess_mdev_dma *dma)
{
	long left = TESS_MDEV_VMM_TIMEOUT;

	guard(mutex)(&dma->lock);
	while (left && !(list_empty(&dma->dropped) && list_empty(&dma->busy)))
		left = tess_mdev_pins_wait(dma, left);
	return left;
}

void tess_mdev_dma_gone(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	if (!mem_cut_off(tm, part))
		return;
	get_device(&tm->vdev.device);
	if (!queue_work(tm->wq, &tm->dma.give_back))
		vfio_put_device(&tm->vdev);
	if (!mem_given_back(&tm->dma))
		dev_notice(tm->vdev.dev,
			   "its VMM is stuck in VFIO: pages of the guest, out of reach of the GPU, stay pinned until it goes on\n");
}
