// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of vGPUs that processes of the host read.
 *
 * DOC: Exports
 *
 * An export is a part of a vGPU's memory. Through a dma-buf of it, front-ends of the same GPU let
 * jobs read it (import). It never becomes another client's while a slice can reach it: importers
 * hold references to the vGPU's allocations, and what is freed is zeroed when the last one goes.
 *
 * A vGPU that gives its memory back waits for nobody. Its exports are revoked: no importer comes
 * any more, those that are there are told by a work item (shape/room.c) and withdraw what they
 * mapped, and then the memory is free. The vGPU could not withdraw it itself: locks of importers
 * are outside of tess_gpu.compose, under which it gives its memory back.
 *
 * The dma-buf itself holds no memory, so a file that somebody forgot costs nothing but the file.
 */
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/kref.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <tessera/compat.h>

#include "export.h"
#include "gpu.h"
#include "mem.h"

/**
 * struct tess_vram_export - a part of a vGPU's memory
 * @ref: of the dma-buf, and of importers
 * @link: in tess_gpu.exports
 * @gpu: GPU, a reference to its device is held
 * @importers: who reads it. Under tess_gpu.vram_lock
 * @revoked: the vGPU has it no more. Written under tess_gpu.vram_lock
 * @ops: of the front-end that made the dma-buf, or NULL
 * @data: for @ops
 * @vram: where it is
 * @count: entries of @banks. Under tess_gpu.vram_lock; 0: the memory is not kept any more
 * @banks: allocations that it is in, a reference to each is held
 */
struct tess_vram_export {
	struct kref ref;
	struct list_head link;
	struct tess_gpu *gpu;
	unsigned int importers;
	bool revoked;
	const struct tess_export_ops *ops;
	void *data;
	struct tess_vram vram;
	unsigned int count;
	struct tess_vram *banks[];
};

static void export_drop_banks(struct tess_vram_export *export)
{
	lockdep_assert_held(&export->gpu->vram_lock);
	while (export->count)
		tess_vram_put(export->banks[--export->count]);
}

/* Pieces of @vram in a range that it has. False: out of memory */
static bool export_describe(struct tess_vram *part, const struct tess_vram *vram, u64 offset,
			    u64 size)
{
	unsigned int i;

	part->extent = kvmalloc_array(vram->count, sizeof(*part->extent), GFP_KERNEL_ACCOUNT);
	if (!part->extent)
		return false;
	part->size = size;
	for (i = 0; size; i++) {
		const struct tess_vram_extent *extent = &vram->extent[i];
		u64 len;

		if (offset >= extent->size) {
			offset -= extent->size;
			continue;
		}
		len = min(size, extent->size - offset);
		part->extent[part->count++] =
			(struct tess_vram_extent){ extent->offset + offset, len };
		offset = 0;
		size -= len;
	}
	return true;
}

/**
 * tess_vram_export_of() - tess_vgpu_export() of allocations
 * @gpu: GPU
 * @vram: memory of a vGPU
 * @banks: allocations that it is, of the same size each
 * @count: number of them
 * @offset: in @vram
 * @size: bytes
 *
 * Return: as tess_vgpu_export().
 */
struct tess_vram_export *tess_vram_export_of(struct tess_gpu *gpu, const struct tess_vram *vram,
					     struct tess_vram **banks, unsigned int count,
					     u64 offset, u64 size)
{
	struct tess_vram_export *export;
	unsigned int i, first, last;
	u64 bank;

	if (!size || (offset | size) % SZ_4K || offset >= vram->size || size > vram->size - offset)
		return ERR_PTR(-EINVAL);
	bank = banks[0]->size;
	first = div64_u64(offset, bank);
	last = div64_u64(offset + size - 1, bank);
	export = kzalloc(struct_size(export, banks, last - first + 1), GFP_KERNEL_ACCOUNT);
	if (!export)
		return ERR_PTR(-ENOMEM);
	if (!export_describe(&export->vram, vram, offset, size)) {
		kfree(export);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&export->ref);
	export->gpu = gpu;
	get_device(&gpu->dev);
	for (i = first; i <= last; i++) {
		tess_vram_get(banks[i]);
		export->banks[export->count++] = banks[i];
	}
	mutex_lock(&gpu->vram_lock);
	list_add_tail(&export->link, &gpu->exports);
	mutex_unlock(&gpu->vram_lock);
	return export;
}

static void export_release(struct kref *ref)
{
	struct tess_vram_export *export = container_of(ref, struct tess_vram_export, ref);
	struct tess_gpu *gpu = export->gpu;

	mutex_lock(&gpu->vram_lock);
	list_del(&export->link);
	export_drop_banks(export);
	mutex_unlock(&gpu->vram_lock);
	kvfree(export->vram.extent);
	kfree(export);
	put_device(&gpu->dev);
}

void tess_vram_export_put(struct tess_vram_export *export)
{
	kref_put(&export->ref, export_release);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_export_put, TESS_NS);

static bool export_is_in(const struct tess_vram_export *export, const struct tess_vram *bank)
{
	unsigned int i;

	for (i = 0; i < export->count; i++)
		if (export->banks[i] == bank)
			return true;
	return false;
}

/**
 * tess_vram_revoke() - an allocation is about to be freed by its owner
 * @gpu: GPU
 * @bank: allocation
 *
 * Return: true: somebody may still read it, and has to be told.
 */
bool tess_vram_revoke(struct tess_gpu *gpu, const struct tess_vram *bank)
{
	struct tess_vram_export *export;
	bool is_read = false;

	mutex_lock(&gpu->vram_lock);
	list_for_each_entry(export, &gpu->exports, link) {
		if (!export_is_in(export, bank))
			continue;
		WRITE_ONCE(export->revoked, true);
		if (export->importers)
			is_read = true;
		else
			export_drop_banks(export);
	}
	mutex_unlock(&gpu->vram_lock);
	return is_read;
}

/**
 * tess_vram_export_end() - nobody may read it any more, although its vGPU keeps the memory
 * @export: export
 *
 * Return: GPU whose importers have to be told; NULL: there are none.
 */
struct tess_gpu *tess_vram_export_end(struct tess_vram_export *export)
{
	struct tess_gpu *gpu = export->gpu;
	bool is_read;

	mutex_lock(&gpu->vram_lock);
	WRITE_ONCE(export->revoked, true);
	is_read = export->importers;
	if (!is_read)
		export_drop_banks(export);
	mutex_unlock(&gpu->vram_lock);
	return is_read ? gpu : NULL;
}

struct tess_vram *tess_vram_export_memory(struct tess_vram_export *export)
{
	return &export->vram;
}
EXPORT_SYMBOL_NS_GPL(tess_vram_export_memory, TESS_NS);

bool tess_vram_export_is_revoked(const struct tess_vram_export *export)
{
	return READ_ONCE(export->revoked);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_export_is_revoked, TESS_NS);

/* ---- dma-bufs ---- */

static int export_attach(struct dma_buf *buf, struct dma_buf_attachment *attach)
{
	return -EOPNOTSUPP;
}

/* No driver can have attached, so none maps it */
static struct sg_table *export_map(struct dma_buf_attachment *attach, enum dma_data_direction dir)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void export_unmap(struct dma_buf_attachment *attach, struct sg_table *sgt,
			 enum dma_data_direction dir)
{
}

static int export_mmap(struct dma_buf *buf, struct vm_area_struct *vma)
{
	struct tess_vram_export *export = buf->priv;

	return export->ops ? export->ops->mmap(export->data, vma) : -EINVAL;
}

static void export_file_release(struct dma_buf *buf)
{
	struct tess_vram_export *export = buf->priv;

	if (export->ops)
		export->ops->release(export->data);
	tess_vram_export_put(export);
}

static const struct dma_buf_ops export_file_ops = {
	.attach = export_attach,
	.map_dma_buf = export_map,
	.unmap_dma_buf = export_unmap,
	.mmap = export_mmap,
	.release = export_file_release,
};

struct dma_buf *tess_vram_export_file(struct tess_vram_export *export,
				      const struct tess_export_ops *ops, void *data)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct dma_buf *buf;

	export->ops = ops;
	export->data = data;
	if (ops)
		info.owner = ops->owner;
	info.ops = &export_file_ops;
	info.size = export->vram.size;
	info.flags = O_RDONLY | O_CLOEXEC;
	info.priv = export;
	buf = dma_buf_export(&info);
	if (IS_ERR(buf))
		tess_vram_export_put(export);
	return buf;
}
EXPORT_SYMBOL_NS_GPL(tess_vram_export_file, TESS_NS);

struct tess_vram_export *tess_vram_import(struct tess_gpu *gpu, struct dma_buf *buf)
{
	struct tess_vram_export *export = buf->priv;
	int rc = 0;

	if (buf->ops != &export_file_ops)
		return NULL;
	if (export->gpu != gpu)
		return ERR_PTR(-EXDEV);
	mutex_lock(&gpu->vram_lock);
	if (export->revoked)
		rc = -ESTALE;
	else
		export->importers++;
	mutex_unlock(&gpu->vram_lock);
	if (rc)
		return ERR_PTR(rc);
	kref_get(&export->ref);
	return export;
}
EXPORT_SYMBOL_NS_GPL(tess_vram_import, TESS_NS);

void tess_vram_import_end(struct tess_vram_export *export)
{
	struct tess_gpu *gpu = export->gpu;

	mutex_lock(&gpu->vram_lock);
	if (!--export->importers && export->revoked)
		export_drop_banks(export);
	mutex_unlock(&gpu->vram_lock);
	tess_vram_export_put(export);
}
EXPORT_SYMBOL_NS_GPL(tess_vram_import_end, TESS_NS);
