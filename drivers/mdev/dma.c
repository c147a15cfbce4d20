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
 * What was pinned together is a chunk and goes together: when VFIO unmaps guest memory,
 * when the device is reset or closed, or when the GPU goes. First stage 2 is cleared and
 * the GPU's translation caches with it, then the DMA mapping, then the pin. Chunks are
 * only entered and removed under &tess_mdev_dma.lock, which is held across pinning;
 * page faults of the VMM take other locks, so pinning may fault pages in.
 *
 * Pinning and unpinning take as long as the VMM likes: its memory may be a file of a file system
 * that it serves itself, and threads of it can hold VFIO's locks for ever. A GPU that goes must
 * not wait for that. So what the GPU reaches has a lock inside of the other, which is never held
 * over a call of VFIO: &tess_mdev_dma.reach. When a GPU is gone all chunks are put out of reach
 * under it. They stay pinned until the VMM has them unmapped or closes the device, or until a
 * work item gets the first lock, which is waited for, but not for ever.
 *
 * A vGPU with parts on several GPUs has as many stage 2 and DMA mappings of each chunk: what one
 * part faults on is mapped for all, as whatever is split over slices is touched by all. Its
 * chunks go when the first of these GPUs does, and none comes after that: no device loses its
 * driver before its mappings are gone.
 *
 * When the client goes to another GPU, what is pinned stays pinned, and is mapped for the
 * device of that one, too, before anything else happens; the mappings for the first go when
 * its stage 2 was emptied. VFIO cannot take memory away in between, as it needs the lock.
 *
 * Pinning everything in advance was rejected: it defeats overcommitment and takes longer
 * than most guests run work on a GPU.
 */
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "device.h"
#include "parent.h"

#define MAX_WINDOW	512	/* also what VFIO pins in one call */
#define QUIET		msecs_to_jiffies(20)

static unsigned int fault_around = 64;
module_param(fault_around, uint, 0644);
MODULE_PARM_DESC(fault_around, "pages of guest memory to pin around a fault, 1 to 512");

/**
 * struct tess_mdev_chunk - guest memory that was pinned together
 * @first: page number in the guest
 * @npages: number of pages
 * @prot: TESS_AS_*
 * @reached: it is mapped for DMA and in stage 2. Under tess_mdev_dma.reach
 * @next: DMA mapping for another GPU, while the client is about to go there
 * @count: number of parts of the vGPU
 * @sgt: DMA mapping for each
 */
struct tess_mdev_chunk {
	u64 first;
	unsigned int npages;
	u32 prot;
	bool reached;
	struct sg_table next;
	unsigned int count;
	struct sg_table sgt[] __counted_by(count);
};

static u64 chunk_last(const struct tess_mdev_chunk *chunk)
{
	return chunk->first + chunk->npages - 1;
}

static struct tess_mdev_chunk *next_chunk(struct tess_mdev_dma *dma, u64 first, u64 last)
{
	unsigned long index = first;

	return mt_find(&dma->chunks, &index, last);
}

/* ---- releasing ---- */

/* mtree_erase() leaves the entry where it is if there is no memory for a node */
static void forget_chunk(struct tess_mdev_dma *dma, const struct tess_mdev_chunk *chunk)
{
	mtree_store_range(&dma->chunks, chunk->first, chunk_last(chunk), NULL,
			  GFP_KERNEL | __GFP_NOFAIL);
}

/* The same memory is mapped for another GPU, too: it stays the devices' */
#define ALSO_MAPPED	DMA_ATTR_SKIP_CPU_SYNC

/* What the VMM mapped read-only stays so where only an IOMMU is in the way, too */
static enum dma_data_direction chunk_direction(const struct tess_mdev_chunk *chunk)
{
	return chunk->prot & TESS_AS_WRITE ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE;
}

static void unmap_dma(const struct tess_mdev_chunk *chunk, struct device *dev,
		      struct sg_table *sgt, unsigned long attrs)
{
	dma_unmap_sgtable(dev, sgt, chunk_direction(chunk), attrs);
	sg_free_table(sgt);
}

/* Of the first @n parts */
static void unmap_parts(struct tess_mdev *tm, struct tess_mdev_chunk *chunk, unsigned int n)
{
	while (n--)
		unmap_dma(chunk, tm->parts.part[n]->dev, &chunk->sgt[n],
			  n ? ALSO_MAPPED : 0);
}

static void leave_stage2(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk, unsigned int n)
{
	while (n--)
		tess_as_unmap(tm->parts.part[n]->as, chunk->first << PAGE_SHIFT,
			      (u64)chunk->npages << PAGE_SHIFT);
}

#define for_each_chunk(dma, chunk, first, last)					\
	for (chunk = next_chunk(dma, first, last); chunk;			\
	     chunk = chunk_last(chunk) < (last) ?				\
		     next_chunk(dma, chunk_last(chunk) + 1, last) : NULL)

/* Chunks that have a page in [@first, @last] are out of reach; true if there is one */
static bool cut_range(struct tess_mdev *tm, u64 first, u64 last)
{
	struct tess_mdev_dma *dma = &tm->dma;
	struct tess_mdev_chunk *chunk;
	bool found = false;

	lockdep_assert_held(&dma->reach);
	/* All out of stage 2 before the first page is the CPU's again */
	for_each_chunk(dma, chunk, first, last) {
		if (chunk->reached)
			leave_stage2(tm, chunk, chunk->count);
		found = true;
	}
	for_each_chunk(dma, chunk, first, last) {
		if (chunk->reached)
			unmap_parts(tm, chunk, chunk->count);
		chunk->reached = false;
	}
	return found;
}

/* It is out of reach */
static void free_chunk(struct tess_mdev *tm, struct tess_mdev_chunk *chunk)
{
	scoped_guard(mutex, &tm->dma.reach)
		forget_chunk(&tm->dma, chunk);
	vfio_unpin_pages(&tm->vdev, chunk->first << PAGE_SHIFT, chunk->npages);
	atomic64_sub(chunk->npages, &tm->stats.pinned_pages);
	kfree(chunk);
}

/* Release all chunks that have a page in [@first, @last]; true if there was one */
static bool release_range(struct tess_mdev *tm, u64 first, u64 last)
{
	struct tess_mdev_dma *dma = &tm->dma;
	struct tess_mdev_chunk *chunk;
	bool found;

	lockdep_assert_held(&dma->lock);
	scoped_guard(mutex, &dma->reach)
		found = cut_range(tm, first, last);
	while ((chunk = next_chunk(dma, first, last)))
		free_chunk(tm, chunk);
	return found;
}

static void release_all(struct tess_mdev *tm)
{
	tess_mdev_records_drop(tm);
	release_range(tm, 0, ULONG_MAX);
}

void tess_mdev_dma_release(struct tess_mdev *tm)
{
	mutex_lock(&tm->dma.lock);
	release_all(tm);
	mutex_unlock(&tm->dma.lock);
}

void tess_mdev_dma_close(struct tess_mdev *tm)
{
	mutex_lock(&tm->dma.lock);
	tm->dma.open = false;
	release_all(tm);
	mutex_unlock(&tm->dma.lock);
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

	mutex_lock(&tm->dma.lock);
	found = tess_mdev_records_unmap(tm, first, last);
	found |= release_range(tm, first, last);
	if (found)
		WRITE_ONCE(tm->dma.quiet_until, jiffies + QUIET);
	mutex_unlock(&tm->dma.lock);
}

/*
 * Jiffies until memory can be pinned.
 *
 * While VFIO removes a mapping it drops its lock to have the pages unpinned, and repeats
 * that if it finds pins again; after a few times it takes that for a bug and stops the
 * kernel. A GPU that keeps touching the memory must not make new pins that fast: after
 * an unmap there is a short time without.
 */
static unsigned long time_to_settle(const struct tess_mdev_dma *dma)
{
	unsigned long left = READ_ONCE(dma->quiet_until) - jiffies;

	return left <= QUIET ? left : 0;
}

/**
 * tess_mdev_dma_settle() - wait until memory can be pinned
 * @tm: vGPU
 */
void tess_mdev_dma_settle(struct tess_mdev *tm)
{
	unsigned long left = time_to_settle(&tm->dma);

	if (left)
		schedule_timeout_uninterruptible(left);
}

/* ---- mapping ---- */

static int enter_segment(struct tess_as *as, u64 gpa, dma_addr_t addr, u64 size, u32 prot)
{
	if (addr + size > BIT_ULL(TESS_BUS_BITS))
		return -ERANGE;
	return tess_as_map(as, gpa, addr, size, prot);
}

/* Segments that follow each other are entered as one, for large leaves */
static int enter_stage2(struct tess_as *as, const struct tess_mdev_chunk *chunk,
			const struct sg_table *sgt)
{
	u64 gpa = chunk->first << PAGE_SHIFT, size = 0;
	struct scatterlist *sg;
	dma_addr_t addr = 0;
	unsigned int i;
	int ret;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (size && sg_dma_address(sg) == addr + size) {
			size += sg_dma_len(sg);
			continue;
		}
		ret = size ? enter_segment(as, gpa, addr, size, chunk->prot) : 0;
		if (ret)
			goto err_unmap;
		gpa += size;
		addr = sg_dma_address(sg);
		size = sg_dma_len(sg);
	}
	ret = enter_segment(as, gpa, addr, size, chunk->prot);
	if (ret)
		goto err_unmap;
	return 0;

err_unmap:
	tess_as_unmap(as, chunk->first << PAGE_SHIFT, (u64)chunk->npages << PAGE_SHIFT);
	return ret;
}

/* @tm->dma.pages, those of a chunk, for a device */
static int map_dma(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk, struct device *dev,
		   struct sg_table *sgt, unsigned long attrs)
{
	int ret;

	ret = sg_alloc_table_from_pages_segment(sgt, tm->dma.pages, chunk->npages, 0,
						(unsigned long)chunk->npages << PAGE_SHIFT,
						dma_get_max_seg_size(dev), GFP_KERNEL);
	if (ret)
		return ret;
	ret = dma_map_sgtable(dev, sgt, chunk_direction(chunk), attrs);
	if (ret)
		sg_free_table(sgt);
	return ret;
}

/* For each part, @tm->dma.pages; all or nothing */
static int map_parts(struct tess_mdev *tm, struct tess_mdev_chunk *chunk)
{
	unsigned int i;
	int ret;

	for (i = 0; i < chunk->count; i++) {
		ret = map_dma(tm, chunk, tm->parts.part[i]->dev, &chunk->sgt[i],
			      i ? ALSO_MAPPED : 0);
		if (ret) {
			unmap_parts(tm, chunk, i);
			return ret;
		}
	}
	return 0;
}

/* The same for stage 2 */
static int enter_parts(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk)
{
	unsigned int i;
	int ret;

	for (i = 0; i < chunk->count; i++) {
		ret = enter_stage2(tm->parts.part[i]->as, chunk, &chunk->sgt[i]);
		if (ret) {
			leave_stage2(tm, chunk, i);
			return ret;
		}
	}
	return 0;
}

/* All or nothing */
static int pin(struct tess_mdev *tm, const struct tess_mdev_chunk *chunk)
{
	int prot = IOMMU_READ | (chunk->prot & TESS_AS_WRITE ? IOMMU_WRITE : 0);
	u64 iova = chunk->first << PAGE_SHIFT;
	int ret;

	ret = vfio_pin_pages(&tm->vdev, iova, chunk->npages, prot, tm->dma.pages);
	if (ret == chunk->npages)
		return 0;
	if (ret > 0)
		vfio_unpin_pages(&tm->vdev, iova, ret);
	return ret < 0 ? ret : -EFAULT;
}

/* What is pinned is @tm->dma.pages; -ENODEV: a GPU went meanwhile */
static int reach_chunk(struct tess_mdev *tm, struct tess_mdev_chunk *chunk)
{
	int ret;

	guard(mutex)(&tm->dma.reach);
	if (READ_ONCE(tm->dead))
		return -ENODEV;
	ret = map_parts(tm, chunk);
	if (ret)
		return ret;
	ret = mtree_insert_range(&tm->dma.chunks, chunk->first, chunk_last(chunk), chunk,
				 GFP_KERNEL);
	if (ret)
		goto err_unmap;
	ret = enter_parts(tm, chunk);
	if (ret)
		goto err_forget;
	chunk->reached = true;
	return 0;

err_forget:
	forget_chunk(&tm->dma, chunk);
err_unmap:
	unmap_parts(tm, chunk, chunk->count);
	return ret;
}

/**
 * add_chunk() - pin guest memory and let the GPU reach it
 * @tm: vGPU
 * @first: page number
 * @last: page number
 * @prot: TESS_AS_*
 *
 * Return: 0; -EINVAL no guest memory; -EPERM it is read-only; -ENOMEM also over the
 * limit of locked memory; -ERANGE the GPU cannot address it.
 */
static int add_chunk(struct tess_mdev *tm, u64 first, u64 last, u32 prot)
{
	struct tess_mdev_chunk *chunk;
	int ret;

	chunk = kzalloc(struct_size(chunk, sgt, tm->parts.count), GFP_KERNEL);
	if (!chunk)
		return -ENOMEM;
	chunk->count = tm->parts.count;
	chunk->first = first;
	chunk->npages = last - first + 1;
	chunk->prot = prot;
	ret = pin(tm, chunk);
	if (ret)
		goto err_free;
	ret = reach_chunk(tm, chunk);
	if (ret)
		goto err_unpin;
	atomic64_add(chunk->npages, &tm->stats.pinned_pages);
	tess_mdev_records_restore(tm, first, last);
	return 0;

err_unpin:
	vfio_unpin_pages(&tm->vdev, first << PAGE_SHIFT, chunk->npages);
err_free:
	kfree(chunk);
	return ret;
}

/* The largest range without a chunk around @pfn, inside its window */
static void find_window(struct tess_mdev_dma *dma, u64 pfn, u64 *first, u64 *last)
{
	u64 size = rounddown_pow_of_two(clamp(READ_ONCE(fault_around), 1U, MAX_WINDOW));
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
		*last = chunk->first - 1;
}

static int add_window(struct tess_mdev *tm, u64 pfn, bool store)
{
	u32 ro = TESS_AS_READ | TESS_AS_EXEC, rw = ro | TESS_AS_WRITE;
	u64 first, last;
	int ret;

	find_window(&tm->dma, pfn, &first, &last);
	ret = add_chunk(tm, first, last, rw);
	if (ret && first != last)
		ret = add_chunk(tm, pfn, pfn, rw);
	if (ret == -EPERM && !store)
		ret = add_chunk(tm, pfn, pfn, ro);
	return ret;
}

static int fault_locked(struct tess_mdev *tm, const struct tess_host_fault *hf)
{
	struct tess_mdev_chunk *chunk;
	bool store = hf->access == 2;
	u64 pfn = hf->gpa >> PAGE_SHIFT;

	lockdep_assert_held(&tm->dma.lock);
	/* Once it is dead, what is pinned is released, and nothing comes after that */
	if (!tm->dma.open || READ_ONCE(tm->dead))
		return -ENODEV;
	chunk = next_chunk(&tm->dma, pfn, pfn);
	if (!chunk)
		return add_window(tm, pfn, store);
	/* Another vslice was first, or this is a store to read-only memory */
	return store && !(chunk->prot & TESS_AS_WRITE) ? -EPERM : 0;
}

/**
 * tess_mdev_dma_fault() - make guest memory accessible that the GPU wants
 * @tm: vGPU
 * @hf: what the GPU wants
 *
 * Return: 0 repeat the access; a negative errno: it is a fault of the client; or jiffies after
 * which to ask again.
 */
int tess_mdev_dma_fault(struct tess_mdev *tm, const struct tess_host_fault *hf)
{
	int ret = -EFAULT;

	/* All VRAM that there is for this client is mapped */
	if (hf->gpa < TESS_PA_VRAM) {
		ret = time_to_settle(&tm->dma);
		if (ret)
			return ret;
		mutex_lock(&tm->dma.lock);
		ret = fault_locked(tm, hf);
		mutex_unlock(&tm->dma.lock);
	}
	atomic64_inc(ret ? &tm->stats.stage2_refused : &tm->stats.stage2_faults);
	return ret;
}

/* ---- another GPU ---- */

/* What is pinned stays pinned; the other device needs a mapping of its own */
static int prepare_chunk(struct tess_mdev *tm, struct tess_mdev_chunk *chunk, struct device *dev,
			 struct tess_as *as)
{
	struct sg_table next = {};
	struct sg_page_iter it;
	unsigned int n = 0;
	int ret;

	for_each_sgtable_page(&chunk->sgt[0], &it, 0)
		tm->dma.pages[n++] = sg_page_iter_page(&it);
	ret = map_dma(tm, chunk, dev, &next, ALSO_MAPPED);
	if (ret)
		return ret;
	ret = enter_stage2(as, chunk, &next);
	if (ret)
		unmap_dma(chunk, dev, &next, ALSO_MAPPED);
	else
		chunk->next = next;
	return ret;
}

static int prepare_chunks(struct tess_mdev *tm, struct tess_mdev_part *next)
{
	struct tess_mdev_chunk *chunk;
	unsigned long index = 0;
	int ret = 0;

	guard(mutex)(&tm->dma.reach);
	/* Else what is pinned is mapped for nobody */
	if (READ_ONCE(tm->dead))
		return -ENODEV;
	mt_for_each(&tm->dma.chunks, chunk, index, ULONG_MAX) {
		ret = prepare_chunk(tm, chunk, next->dev, next->as);
		if (ret)
			break;
	}
	return ret;
}

int tess_mdev_dma_prepare(struct tess_mdev *tm, struct tess_mdev_part *next)
{
	int ret;

	lockdep_assert_held(&tm->dma.lock);
	ret = prepare_chunks(tm, next);
	if (ret)
		tess_mdev_dma_cancel(tm, next);
	return ret;
}

void tess_mdev_dma_cancel(struct tess_mdev *tm, struct tess_mdev_part *next)
{
	struct tess_mdev_chunk *chunk;
	unsigned long index = 0;

	lockdep_assert_held(&tm->dma.lock);
	guard(mutex)(&tm->dma.reach);
	mt_for_each(&tm->dma.chunks, chunk, index, ULONG_MAX) {
		if (!chunk->next.sgl)
			continue;
		tess_as_unmap(next->as, chunk->first << PAGE_SHIFT,
			      (u64)chunk->npages << PAGE_SHIFT);
		unmap_dma(chunk, next->dev, &chunk->next, ALSO_MAPPED);
		chunk->next = (struct sg_table){};
	}
}

void tess_mdev_dma_commit(struct tess_mdev *tm, struct tess_mdev_part *before)
{
	struct tess_mdev_chunk *chunk;
	unsigned long index = 0;

	lockdep_assert_held(&tm->dma.lock);
	tess_mdev_records_commit(tm, before->vgpu);
	guard(mutex)(&tm->dma.reach);
	/* It is frozen for good; all the same it keeps nothing that it could reach */
	tess_as_unmap(before->as, 0, TESS_PA_VRAM);
	mt_for_each(&tm->dma.chunks, chunk, index, ULONG_MAX) {
		unmap_dma(chunk, before->dev, &chunk->sgt[0], ALSO_MAPPED);
		chunk->sgt[0] = chunk->next;
		chunk->next = (struct sg_table){};
	}
}

/* ---- life cycle ---- */

static int map_vram_window(struct tess_as *as, const struct tess_vram *vram)
{
	u64 gpa = TESS_PA_VRAM;
	unsigned int i;
	int ret;

	for (i = 0; vram && i < vram->count; i++) {
		const struct tess_vram_extent *extent = &vram->extent[i];

		ret = tess_as_map(as, gpa, TESS_PA_VRAM + extent->offset, extent->size,
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
	ret = map_vram_window(as, tess_vgpu_vram(vgpu));
	if (!ret)
		return as;
	tess_as_destroy(as);
	return ERR_PTR(ret);
}

static void give_back_work(struct work_struct *work)
{
	struct tess_mdev *tm = container_of(work, struct tess_mdev, dma.give_back);

	mutex_lock(&tm->dma.lock);
	/* Closed, composed anew and opened meanwhile: what is pinned is somebody else's */
	if (READ_ONCE(tm->dead))
		release_all(tm);
	mutex_unlock(&tm->dma.lock);
	complete_all(&tm->dma.given);
	vfio_put_device(&tm->vdev);
}

int tess_mdev_dma_init(struct tess_mdev *tm)
{
	struct tess_mdev_dma *dma = &tm->dma;

	mutex_init(&dma->lock);
	mutex_init(&dma->reach);
	INIT_WORK(&dma->give_back, give_back_work);
	init_completion(&dma->given);
	mt_init(&dma->chunks);
	dma->pages = kvcalloc(MAX_WINDOW, sizeof(*dma->pages), GFP_KERNEL);
	return dma->pages ? 0 : -ENOMEM;
}

void tess_mdev_dma_fini(struct tess_mdev *tm)
{
	mtree_destroy(&tm->dma.chunks);
	kvfree(tm->dma.pages);
}

void tess_mdev_dma_open(struct tess_mdev *tm)
{
	mutex_lock(&tm->dma.lock);
	tm->dma.open = true;
	mutex_unlock(&tm->dma.lock);
}

static bool cut_off(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	guard(mutex)(&tm->dma.reach);
	/* It may have been replaced meanwhile */
	if (!tess_mdev_has_part(&tm->parts, part))
		return false;
	/* The other parts, too, reach nothing any more */
	cut_range(tm, 0, ULONG_MAX);
	return true;
}

void tess_mdev_dma_gone(struct tess_mdev *tm, struct tess_mdev_part *part)
{
	struct tess_mdev_dma *dma = &tm->dma;

	if (!cut_off(tm, part))
		return;
	reinit_completion(&dma->given);
	get_device(&tm->vdev.device);
	if (!queue_work(tm->type->parent->frontend->wq, &dma->give_back))
		vfio_put_device(&tm->vdev);
	if (!wait_for_completion_timeout(&dma->given, TESS_MDEV_VMM_TIMEOUT))
		dev_notice(tm->vdev.dev, "memory of the guest stays pinned for now, its VMM is busy with it\n");
}
