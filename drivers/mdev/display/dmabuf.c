// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: planes as dma-bufs
 *
 * VMMs that draw by OpenGL, or hand pictures to other processes, take what head 0 shows as
 * dma-bufs, the picture and its cursor (VFIO_DEVICE_GET_GFX_DMABUF). QEMU does not start without
 * OpenGL if it is offered them, so they are offered if the attribute "plane" of the vGPU says so,
 * beside the region (gfx.c).
 *
 * A VMM asks which plane is shown, at each of its frames, and gets a number, which stands for a
 * place in VRAM, a size and a format. It takes a dma-buf once for each number, and keeps some. The
 * last few numbers are known; a plane that comes back after many others has another one.
 *
 * Jobs of the same GPU read the dma-buf as they do those of viewers (export.c): a move revokes it,
 * and gives the plane another number. CPUs map it, to be read. Page faults insert the VRAM that the
 * vGPU has there now, so these mappings go on with the vGPU, as those of the region do: a VMM that
 * reads the old picture a moment too long is not killed by it. A dma-buf may outlive the VMM, in a
 * process that it was handed to. When the VMM lets the vGPU go, such a process is left with a page
 * of zeros, and its jobs without the memory, before another VMM can open the vGPU.
 */
#include <linux/cleanup.h>
#include <linux/dma-buf.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <tessera/compat.h>
#include <tessera/memory.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "base/vram.h"
#include "dmabuf.h"
#include "map/area.h"

/* A VMM needs one for each buffer that its guest flips between, and one for each of its cursors */
#define DMABUFS_MAX	64

/**
 * struct tess_mdev_sight - how the dma-bufs of a VMM find the vGPU
 * @ref: of each dma-buf, and of the vGPU as long as the VMM has it
 * @lock: protects @tm; inside mmap_lock and &tess_mdev.lock, outside of &tess_mdev.map_lock
 * @tm: vGPU; NULL: the VMM let it go
 * @blank: what is mapped then
 */
struct tess_mdev_sight {
	struct kref ref;
	struct rw_semaphore lock;
	struct tess_mdev *tm;
	struct page *blank;
};

/* ---- sight ---- */

static void sight_release(struct kref *ref)
{
	struct tess_mdev_sight *sight = container_of(ref, struct tess_mdev_sight, ref);

	__free_page(sight->blank);
	kfree(sight);
}

static struct tess_mdev_sight *sight_alloc(struct tess_mdev *tm)
{
	struct tess_mdev_sight *sight = kzalloc(sizeof(*sight), GFP_KERNEL_ACCOUNT);

	if (!sight)
		return NULL;
	sight->blank = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!sight->blank) {
		kfree(sight);
		return NULL;
	}
	kref_init(&sight->ref);
	init_rwsem(&sight->lock);
	sight->tm = tm;
	return sight;
}

/* With a reference: that of the VMM that has the vGPU, who asks */
static struct tess_mdev_sight *sight_get(struct tess_mdev *tm)
{
	struct tess_mdev_sight *sight, *made = NULL;

	if (!READ_ONCE(tm->display.dmabufs.sight)) {
		made = sight_alloc(tm);
		if (!made)
			return NULL;
	}
	scoped_guard(rwsem_write, &tm->map_lock) {
		if (!tm->display.dmabufs.sight)
			swap(tm->display.dmabufs.sight, made);
		sight = tm->display.dmabufs.sight;
		kref_get(&sight->ref);
	}
	if (made)
		kref_put(&made->ref, sight_release);
	return sight;
}

/* ---- mappings ---- */

static vm_fault_t dmabuf_fault(struct vm_fault *vmf)
{
	struct tess_mdev_dmabuf *dmabuf = vmf->vma->vm_private_data;
	struct tess_mdev_sight *sight = dmabuf->sight;
	struct tess_mdev_range range = { .address = dmabuf->address };

	guard(rwsem_read)(&sight->lock);
	if (!sight->tm)
		return tess_mdev_insert(vmf->vma, vmf->address & PAGE_MASK,
					page_to_phys(sight->blank));
	guard(rwsem_read)(&sight->tm->map_lock);
	if (!sight->tm->dead)
		range.size = dmabuf->size;
	set_bit(0, &dmabuf->mapped);
	return tess_mdev_insert_around(sight->tm, vmf, &range, (u64)vmf->pgoff << PAGE_SHIFT);
}

static const struct vm_operations_struct dmabuf_vm_ops = {
	.fault = dmabuf_fault,
};

/* dma_buf_mmap() checked the range. Of the kind that an IOMMU maps nothing of, see mmap.c */
static int dmabuf_mmap(void *data, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	vm_flags_mod(vma, VM_IO | VM_MIXEDMAP | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	vma->vm_private_data = data;
	vma->vm_ops = &dmabuf_vm_ops;
	return 0;
}

/* ---- files ---- */

static void dmabuf_free(struct tess_mdev_dmabuf *dmabuf)
{
	kref_put(&dmabuf->sight->ref, sight_release);
	kfree(dmabuf);
}

static void dmabuf_leave(struct tess_mdev_dmabuf *dmabuf)
{
	struct tess_mdev_sight *sight = dmabuf->sight;

	guard(rwsem_read)(&sight->lock);
	if (!sight->tm)
		return;
	guard(rwsem_write)(&sight->tm->map_lock);
	list_del(&dmabuf->link);
	sight->tm->display.dmabufs.count--;
}

/* No mapping of it is left */
static void dmabuf_release(void *data)
{
	dmabuf_leave(data);
	dmabuf_free(data);
}

static const struct tess_export_ops dmabuf_ops = {
	.owner = THIS_MODULE,
	.mmap = dmabuf_mmap,
	.release = dmabuf_release,
};

/* The memory of a number, and where it is; there is room for its file in the list then */
static struct tess_vram_export *dmabuf_take(struct tess_mdev *tm, u32 id,
					    struct tess_mdev_dmabuf *dmabuf)
{
	struct tess_mdev_dmabufs *dmabufs = &tm->display.dmabufs;
	const struct tess_mdev_numbered *plane = dmabufs->numbered;
	const struct tess_mdev_numbered *end = plane + TESS_MDEV_PLANES;
	struct tess_vram_export *export;

	guard(rwsem_write)(&tm->map_lock);
	while (plane < end && (plane->id != id || plane->memory != tm->vram_number))
		plane++;
	if (!id || plane == end || tm->dead)
		return ERR_PTR(-ENOENT);
	if (dmabufs->count >= DMABUFS_MAX)
		return ERR_PTR(-EMFILE);
	/* What was numbered is within its memory */
	export = tess_vgpu_export(tess_mdev_first(&tm->parts), plane->address, plane->size);
	if (IS_ERR(export))
		return export;
	dmabuf->address = plane->address;
	dmabuf->size = plane->size;
	dmabuf->export = export;
	list_add(&dmabuf->link, &dmabufs->files);
	dmabufs->count++;
	return export;
}

static struct dma_buf *dmabuf_make(struct tess_mdev *tm, u32 id)
{
	struct tess_mdev_dmabuf *dmabuf = kzalloc(sizeof(*dmabuf), GFP_KERNEL_ACCOUNT);
	struct tess_vram_export *export;
	struct dma_buf *buf;

	if (!dmabuf)
		return ERR_PTR(-ENOMEM);
	dmabuf->sight = sight_get(tm);
	if (!dmabuf->sight) {
		kfree(dmabuf);
		return ERR_PTR(-ENOMEM);
	}
	export = dmabuf_take(tm, id, dmabuf);
	if (IS_ERR(export)) {
		dmabuf_free(dmabuf);
		return ERR_CAST(export);
	}
	buf = tess_vram_export_file(export, &dmabuf_ops, dmabuf);
	if (IS_ERR(buf))
		dmabuf_release(dmabuf);
	else
		/* No page fault comes before the caller's process has the file */
		dmabuf->mapping = buf->file->f_mapping;
	return buf;
}

/**
 * tess_mdev_get_dmabuf() - VFIO_DEVICE_GET_GFX_DMABUF
 * @tm: vGPU, which the caller has open
 * @arg: number of the plane, from VFIO_DEVICE_QUERY_GFX_PLANE
 *
 * Return: file; -ENOTTY none is offered; -EFAULT; -ENOENT no plane has that number any more;
 * -EMFILE there are too many; -ENOMEM.
 */
long tess_mdev_get_dmabuf(struct tess_mdev *tm, const u32 __user *arg)
{
	struct dma_buf *buf;
	int fd;
	u32 id;

	if (!READ_ONCE(tm->display.present) || !READ_ONCE(tm->display.dmabufs.offered))
		return -ENOTTY;
	if (get_user(id, arg))
		return -EFAULT;
	buf = dmabuf_make(tm, id);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(buf);
	else
		fd_install(fd, buf->file);
	return fd;
}

/* ---- numbers ---- */

static bool is_same(const struct tess_mdev_numbered *a, const struct tess_mdev_numbered *b)
{
	return a->id && a->memory == b->memory && a->address == b->address && a->size == b->size &&
	       a->format == b->format && a->width == b->width && a->height == b->height &&
	       a->pitch == b->pitch;
}

/**
 * tess_mdev_dmabuf_number() - the number of a plane
 * @tm: vGPU, with its map_lock for writing
 * @plane: within its VRAM, but for id and memory
 *
 * Return: the one it had when it was shown before, if few others were meanwhile.
 */
u32 tess_mdev_dmabuf_number(struct tess_mdev *tm, struct tess_mdev_numbered *plane)
{
	struct tess_mdev_dmabufs *dmabufs = &tm->display.dmabufs;
	struct tess_mdev_numbered *known = dmabufs->numbered;
	unsigned int i;

	lockdep_assert_held_write(&tm->map_lock);
	plane->memory = tm->vram_number;
	for (i = 0; i < TESS_MDEV_PLANES - 1 && !is_same(&known[i], plane); i++)
		;
	/* The first one is that which was shown last. If it is new, the last one is forgotten */
	if (is_same(&known[i], plane))
		plane->id = known[i].id;
	else
		plane->id = ++dmabufs->last ?: ++dmabufs->last;
	memmove(known + 1, known, i * sizeof(*known));
	known[0] = *plane;
	return plane->id;
}

/* ---- life ---- */

/**
 * tess_mdev_dmabufs_close() - the VMM lets the vGPU go
 * @tm: vGPU, with its lock
 *
 * Processes that have dma-bufs still read zeros from now on. Their jobs are to leave the memory.
 */
void tess_mdev_dmabufs_close(struct tess_mdev *tm)
{
	struct tess_mdev_dmabufs *dmabufs = &tm->display.dmabufs;
	struct tess_mdev_sight *sight = dmabufs->sight;
	struct tess_mdev_dmabuf *dmabuf, *next;

	lockdep_assert_held(&tm->lock);
	if (sight) {
		guard(rwsem_write)(&sight->lock);
		guard(rwsem_write)(&tm->map_lock);
		sight->tm = NULL;
		list_for_each_entry_safe(dmabuf, next, &dmabufs->files, link) {
			list_del(&dmabuf->link);
			tess_mdev_zap_dmabuf(dmabuf);
			tess_vram_export_revoke(dmabuf->export);
		}
		dmabufs->count = 0;
		dmabufs->sight = NULL;
	}
	memset(dmabufs->numbered, 0, sizeof(dmabufs->numbered));
	if (sight)
		kref_put(&sight->ref, sight_release);
}

/**
 * tess_mdev_dmabufs_closed() - wait until no job reads what the VMM had
 * @tm: vGPU, with the lock of its shape, but not its own
 */
void tess_mdev_dmabufs_closed(struct tess_mdev *tm)
{
	struct tess_vgpu *vgpu = tess_mdev_first(&tm->parts);

	lockdep_assert_held(&tm->shape.lock);
	if (vgpu)
		tess_vgpu_await_revoked(vgpu);
}

/**
 * tess_mdev_offer_dmabufs() - decide whether VMMs get planes as dma-bufs
 * @tm: vGPU
 * @offered: they do
 *
 * Return: 0; -EBUSY a VMM has it.
 */
int tess_mdev_offer_dmabufs(struct tess_mdev *tm, bool offered)
{
	guard(mutex)(&tm->shape.lock);
	if (tm->shape.open && tm->display.dmabufs.offered != offered) {
		dev_info(tm->vdev.dev, "its planes cannot become others while a VMM has it open\n");
		return -EBUSY;
	}
	WRITE_ONCE(tm->display.dmabufs.offered, offered);
	return 0;
}
