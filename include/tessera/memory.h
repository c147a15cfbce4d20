/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for front-ends: VRAM and address spaces of the GPU.
 *
 * What gpu.h says of contexts, of lifetime and of error pointers holds here, too.
 */
#ifndef _TESSERA_MEMORY_H_
#define _TESSERA_MEMORY_H_

#include <linux/bits.h>
#include <linux/math.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct dma_buf;
struct module;
struct tess_as;
struct tess_as_budget;
struct tess_gpu;
struct tess_vgpu;
struct tess_vram_export;
struct vm_area_struct;

/* ---- VRAM ---- */

/**
 * struct tess_vram_extent - contiguous VRAM
 * @offset: in VRAM, bytes
 * @size: bytes
 */
struct tess_vram_extent {
	u64 offset;
	u64 size;
};

/**
 * struct tess_vram - an allocation of VRAM
 * @size: bytes, sum of the extents
 * @count: number of extents
 * @extent: in order of the allocation's addresses; each a multiple of 4 KiB, and of
 *	2 MiB (and so aligned) if @size is
 *
 * Memory is zeroed when it is given and when it is freed.
 */
struct tess_vram {
	u64 size;
	unsigned int count;
	struct tess_vram_extent *extent;
};

/* What was written of VRAM is noted by blocks of so many bytes; the last may be smaller */
#define TESS_VRAM_BLOCK			((u64)SZ_2M)
#define TESS_VRAM_BLOCKS(vram)		((unsigned int)DIV_ROUND_UP((vram)->size, TESS_VRAM_BLOCK))

/**
 * tess_vgpu_vram() - the memory that the blueprint reserved
 * @vgpu: vGPU
 *
 * Any context.
 *
 * Return: what is vslice 0's, then vslice 1's and so on, the same size
 * each; NULL if none was reserved.
 */
const struct tess_vram *tess_vgpu_vram(const struct tess_vgpu *vgpu);

/**
 * tess_vram_alloc() - allocate VRAM
 * @vgpu: elastic vGPU; it stays until the memory is free
 * @size: bytes, a multiple of 4 KiB
 * @near_slice: in this slice's bank if possible; -1: anywhere
 * @contiguous: one extent, which is what a display head can show; wherever there is room for it
 *
 * Return: zeroed memory, or error pointer: -EINVAL, -ENOSPC, -ENOMEM, -ENODEV; -EBUSY the GPU
 * sleeps with the system.
 */
struct tess_vram *tess_vram_alloc(struct tess_vgpu *vgpu, u64 size, int near_slice,
				  bool contiguous);

/**
 * tess_vram_reserve() - allocate VRAM that may not be zero
 * @vgpu: as of tess_vram_alloc()
 * @size: as of tess_vram_alloc()
 * @near_slice: as of tess_vram_alloc()
 * @contiguous: as of tess_vram_alloc()
 *
 * Quickly, so that locks may be held. Another client's data may be there: the caller writes all of
 * it before anybody can read it.
 *
 * Return: as tess_vram_alloc().
 */
struct tess_vram *tess_vram_reserve(struct tess_vgpu *vgpu, u64 size, int near_slice,
				    bool contiguous);

/**
 * tess_vram_free() - return VRAM
 * @gpu: GPU that it is of, gone or not
 * @vram: from tess_vram_alloc(); no slice can reach it any more
 *
 * Quickly: it is zeroed later, before somebody else gets it.
 */
void tess_vram_free(struct tess_gpu *gpu, struct tess_vram *vram);

/**
 * tess_vram_read() - read VRAM by the CPU
 * @gpu: GPU that it is of
 * @vram: from tess_vram_alloc()
 * @offset: in @vram
 * @buf: where to
 * @size: bytes
 *
 * Return: 0, -EINVAL beyond the end, -ENODEV, -EBUSY the GPU sleeps with the system.
 */
int tess_vram_read(struct tess_gpu *gpu, const struct tess_vram *vram, u64 offset, void *buf,
		   u64 size);

/**
 * tess_vram_write() - write VRAM by the CPU
 * @gpu: GPU that it is of
 * @vram: from tess_vram_alloc()
 * @offset: in @vram
 * @buf: where from
 * @size: bytes
 *
 * Return: 0, visible to the GPU; -EINVAL beyond the end; -ENODEV; -EBUSY as of tess_vram_read().
 */
int tess_vram_write(struct tess_gpu *gpu, const struct tess_vram *vram, u64 offset,
		    const void *buf, u64 size);

/**
 * tess_gpu_vram_free() - VRAM that nobody has, and that is kept for nobody
 * @gpu: GPU
 *
 * Return: bytes.
 */
u64 tess_gpu_vram_free(struct tess_gpu *gpu);

/**
 * tess_vgpu_vram_size() - VRAM that an elastic vGPU can have at most
 * @vgpu: vGPU
 *
 * Return: bytes: what it claims, or all of the GPU's.
 */
u64 tess_vgpu_vram_size(struct tess_vgpu *vgpu);

/**
 * tess_vgpu_vram_free() - VRAM that an elastic vGPU can allocate
 * @vgpu: vGPU
 *
 * Return: bytes.
 */
u64 tess_vgpu_vram_free(struct tess_vgpu *vgpu);

/* ---- memory of a vGPU that processes of the host read ---- */

/**
 * tess_vgpu_export() - offer a part of a vGPU's memory to readers
 * @vgpu: vGPU with memory, which is not destroyed meanwhile
 * @offset: in its memory, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB
 *
 * When the vGPU gives its memory back, the export is revoked: importers are told
 * (&tess_client_ops.revoked), and the memory is free when the last of them has left it.
 *
 * Return: export with a reference, or error pointer: -EINVAL it has no such memory, -ENOMEM.
 */
struct tess_vram_export *tess_vgpu_export(struct tess_vgpu *vgpu, u64 offset, u64 size);

/**
 * struct tess_export_ops - what a front-end does for its dma-buf
 * @owner: its module, which stays as long as the dma-buf
 * @mmap: a CPU is to map it: 0, negative errno
 * @release: the dma-buf goes
 */
struct tess_export_ops {
	struct module *owner;
	int (*mmap)(void *data, struct vm_area_struct *vma);
	void (*release)(void *data);
};

/**
 * tess_vram_export_file() - make a dma-buf of an export, once
 * @export: from tess_vgpu_export()
 * @ops: of the caller; NULL: no CPU maps it
 * @data: for @ops
 *
 * The GPU can read it, for those who call tess_vram_import(): nothing can be attached to it. It
 * keeps no memory.
 *
 * Return: dma-buf, which has the caller's reference to @export now; error pointer: -ENOMEM and
 * others, that was put, and @data stays the caller's.
 */
struct dma_buf *tess_vram_export_file(struct tess_vram_export *export,
				      const struct tess_export_ops *ops, void *data);

/**
 * tess_vram_export_revoke() - nobody is to read it any more, although the vGPU keeps the memory
 * @export: export
 *
 * Jobs that read it have a moment to end (&tess_client_ops.revoked), see tess_vgpu_await_revoked().
 */
void tess_vram_export_revoke(struct tess_vram_export *export);

/**
 * tess_vgpu_await_revoked() - wait until no importer has what was revoked before
 * @vgpu: vGPU; of all of its GPU
 *
 * Without locks that call-backs of clients take.
 */
void tess_vgpu_await_revoked(struct tess_vgpu *vgpu);

/**
 * tess_vram_export_put() - a reference goes
 * @export: from tess_vgpu_export()
 */
void tess_vram_export_put(struct tess_vram_export *export);

/**
 * tess_vram_import() - let memory of a vGPU stay where it is as long as the GPU reads it
 * @gpu: GPU that is to read it
 * @buf: dma-buf
 *
 * Return: export, for tess_vram_import_end(); NULL: the dma-buf is none of these; error pointer:
 * -EXDEV it is memory of another GPU, -ESTALE it was revoked.
 */
struct tess_vram_export *tess_vram_import(struct tess_gpu *gpu, struct dma_buf *buf);

/**
 * tess_vram_import_end() - the GPU reads it no more
 * @export: from tess_vram_import(); no slice can reach it through the caller any more
 */
void tess_vram_import_end(struct tess_vram_export *export);

/**
 * tess_vram_export_memory() - where it is
 * @export: export
 *
 * Any context.
 *
 * Return: valid as long as the import; only to be read.
 */
struct tess_vram *tess_vram_export_memory(struct tess_vram_export *export);

/**
 * tess_vram_export_is_revoked() - has the vGPU given the memory back?
 * @export: export
 *
 * Any context.
 *
 * Return: true: importers are to end.
 */
bool tess_vram_export_is_revoked(const struct tess_vram_export *export);

/* ---- GPU address spaces ---- */

enum tess_as_stage { TESS_AS_STAGE1, TESS_AS_STAGE2 };

#define TESS_AS_READ	BIT(0)
#define TESS_AS_WRITE	BIT(1)
#define TESS_AS_EXEC	BIT(2)
/* Of stage 2: tess_as_dirty() knows it as not written to, and tells pages of 4 KiB */
#define TESS_AS_CLEAN	BIT(3)

/**
 * tess_as_budget_create() - limit the page tables of a client
 * @tables: pages of 4 KiB that all its address spaces together may have for tables; the root of
 *	each does not count
 *
 * Return: budget for tess_as_create(), or NULL.
 */
struct tess_as_budget *tess_as_budget_create(unsigned int tables);

/**
 * tess_as_budget_put() - the client makes no address spaces any more
 * @budget: from tess_as_budget_create(); it stays as long as there are address spaces in it
 */
void tess_as_budget_put(struct tess_as_budget *budget);

/**
 * tess_as_create() - make an empty address space
 * @gpu: GPU
 * @stage: stage that it is for
 * @budget: where its tables come from; NULL: they are not limited
 *
 * Return: address space or error pointer: -ENOMEM, -ENODEV.
 */
struct tess_as *tess_as_create(struct tess_gpu *gpu, enum tess_as_stage stage,
			       struct tess_as_budget *budget);

/**
 * tess_as_destroy() - free an address space
 * @as: no job uses it any more, and the vGPU whose stage 2 it was is destroyed; the GPU
 *	may be gone. While it goes, its slices are not to be told any more: the page tables
 *	stay then until they were stopped
 */
void tess_as_destroy(struct tess_as *as);

/**
 * tess_as_map() - map a range
 * @as: address space
 * @va: input address, 4 KiB aligned; below tess_gpu_info.va_end in stage 1, 2^41 in stage 2
 * @pa: physical address: DMA address of @tess_gpu_dev, or tess_gpu_info.vram_base + offset
 * @size: multiple of 4 KiB
 * @prot: TESS_AS_*, at least TESS_AS_READ
 *
 * Uses 2 MiB leaves where both addresses allow. The caller serializes calls for one
 * address space. Replacing a valid leaf is refused; no invalidation is needed.
 *
 * Return: 0, -EINVAL, -EEXIST (nothing was mapped), -ENOMEM (nothing was mapped),
 * -EDQUOT the budget has not enough tables (nothing was mapped), -ENODEV.
 */
int tess_as_map(struct tess_as *as, u64 va, u64 pa, u64 size, u32 prot);

/**
 * tess_as_unmap() - unmap a range and invalidate
 * @as: address space
 * @va: 4 KiB aligned
 * @size: multiple of 4 KiB; holes are fine
 *
 * Splits 2 MiB leaves that go beyond the range. On return no slice of the GPU can reach what
 * was mapped: the pages may be freed. Never fails for want of tables on ranges that were
 * mapped by calls of the same shape. Works also while the GPU goes, until all of its slices
 * were stopped: a vGPU is gone (tess_vgpu_is_gone()) before that.
 *
 * Return: 0, -EINVAL, -ENOMEM or -EDQUOT (all is still mapped), -ENODEV the GPU was stopped and
 * reaches nothing.
 */
int tess_as_unmap(struct tess_as *as, u64 va, u64 size);

/**
 * tess_as_unmap_dirty() - tess_as_unmap(), which tells what was written to
 * @as: address space of stage 2
 * @va: 4 KiB aligned
 * @size: multiple of 4 KiB
 * @pages: bits of pages that slices wrote to are set, as by tess_as_dirty(); nothing is missing,
 *	as nothing reaches them on return
 *
 * Return: as tess_as_unmap(); nothing is known of the pages if it fails.
 */
int tess_as_unmap_dirty(struct tess_as *as, u64 va, u64 size, unsigned long *pages);

/**
 * tess_as_dirty() - which pages did slices write to?
 * @as: address space of stage 2
 * @va: 4 KiB aligned
 * @size: multiple of 4 KiB; holes are fine
 * @pages: bits of pages of 4 KiB that were written to since the last call are set, or since they
 *	were mapped; of what was mapped without TESS_AS_CLEAN, all that can be written to, and then
 *	all of a leaf of 2 MiB if there is no memory to split it
 *
 * The slices run on. What they write until tess_as_dirty_end() may count to this call alone; so
 * the pages are to be read after that. One of these is enough for any number of ranges, and none is
 * needed if no bit was set. The caller serializes calls for one address space.
 *
 * Return: 0; -EINVAL, -EOPNOTSUPP the GPU does not tell, -ENODEV it is gone.
 */
int tess_as_dirty(struct tess_as *as, u64 va, u64 size, unsigned long *pages);

/**
 * tess_as_dirty_end() - all that is written from now on counts to the next tess_as_dirty()
 * @as: address space of stage 2
 *
 * Return: 0; -EOPNOTSUPP, -ENODEV.
 */
int tess_as_dirty_end(struct tess_as *as);

#endif
