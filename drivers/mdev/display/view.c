// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: viewers
 *
 * /dev/tessera/view/UUID is there as long as the mdev, whether a VMM has the vGPU open or not. A
 * viewer looks at a head (TESSERA_VIEW_LOOK), maps what it shows, and waits until it shows
 * something else: uapi/linux/tessera_view.h.
 *
 * No flip waits for a viewer. It makes a note in each open file, withdraws what the file has
 * mapped of the head, unless the same memory is shown again, and wakes up the tasks in its poll();
 * a vGPU has at most VIEW_FILES_MAX files. What a file has not looked at is one rectangle for each
 * head, however many pictures it was. The notes are made under &tess_mdev.map_lock, which changes
 * of heads hold in any case, so that they have no lock of their own, and LOOK takes it for
 * writing.
 *
 * Frames are copied for viewers that have some of a head mapped, which the core is told of: a file
 * that only waits for a picture costs the vGPU nothing.
 *
 * A file may outlive the vGPU. It holds the device of this file, which knows the vGPU until that is
 * removed: &tess_mdev_view.lock is held for reading as long as the vGPU is needed.
 */
#include <linux/bits.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <tessera/compat.h>
#include <uapi/linux/tessera_view.h>
#include "base/mdev.h"
#include "base/region.h"
#include "base/vram.h"
#include "cursor.h"
#include "export.h"
#include "head.h"
#include "map/area.h"
#include "monitor.h"
#include "shown.h"
#include "view.h"

#define VIEW_FILES_MAX	16

static_assert(TESSERA_VIEW_HEADS == TESS_HEADS_MAX);
static_assert(TESSERA_VIEW_EDID_MAX == TESS_EDID_MAX);

/**
 * struct tess_mdev_view - what viewers of a vGPU open
 * @dev: device; open files hold it by @cdev
 * @cdev: character device
 * @minor: number of it
 * @lock: protects that @tm is there; inside mmap_lock, outside of &tess_mdev.map_lock
 * @tm: vGPU, NULL when it is removed. poll() only looks if it is there, without the lock
 */
struct tess_mdev_view {
	struct device dev;
	struct cdev cdev;
	int minor;
	struct rw_semaphore lock;
	struct tess_mdev *tm;
};

static dev_t view_base;
static DEFINE_IDA(view_minors);

/* ---- ioctls ---- */

static u32 look_state(const struct tess_mdev *tm, unsigned int n)
{
	const struct tess_mdev_display *display = &tm->display;

	if (tm->dead || !(display->given & BIT(n)))
		return 0;
	return TESSERA_VIEW_GIVEN |
	       (tess_mdev_monitor_is_connected(display, n) ? TESSERA_VIEW_CONNECTED : 0) |
	       (tess_mdev_picture(tm, n) ? TESSERA_VIEW_SHOWN : 0);
}

static void look_at_picture(const struct tess_mdev *tm, const struct tess_mdev_viewer *viewer,
			    const struct tess_mdev_plane *picture, struct tessera_view_look *look)
{
	const struct tess_head_rect *damage = &viewer->damage[look->head];

	look->format = picture->format;
	look->width = picture->width;
	look->height = picture->height;
	look->pitch = picture->pitch;
	look->size = tess_mdev_picture_size(picture);
	look->shown_ns = tm->display.head[look->head].shown_at;
	look->period_ns = tm->display.clock[look->head].period;
	if (viewer->looked & BIT(look->head)) {
		look->x1 = damage->x1;
		look->y1 = damage->y1;
		look->x2 = damage->x2;
		look->y2 = damage->y2;
	} else {
		look->x2 = picture->width;
		look->y2 = picture->height;
	}
}

static void look_locked(struct tess_mdev *tm, struct tess_mdev_viewer *viewer,
			struct tessera_view_look *look)
{
	lockdep_assert_held_write(&tm->map_lock);
	look->state = look_state(tm, look->head);
	look->serial = tm->display.totals[look->head].serial;
	look->offset = TESS_MDEV_VIEW_OFFSET(look->head);
	if (look->state & TESSERA_VIEW_SHOWN)
		look_at_picture(tm, viewer, tess_mdev_picture(tm, look->head), look);
	viewer->damage[look->head] = (struct tess_head_rect){};
	viewer->looked |= BIT(look->head);
	WRITE_ONCE(viewer->changed, viewer->changed & ~BIT(look->head));
}

static long view_look(struct tess_mdev_viewer *viewer, struct tessera_view_look __user *arg)
{
	struct tessera_view_look in, out = {};

	if (copy_from_user(&in, arg, sizeof(in)))
		return -EFAULT;
	if (in.head >= TESSERA_VIEW_HEADS || in.pad)
		return -EINVAL;
	out.head = in.head;
	scoped_guard(rwsem_read, &viewer->view->lock) {
		struct tess_mdev *tm = viewer->view->tm;

		if (!tm)
			return -ENODEV;
		guard(rwsem_write)(&tm->map_lock);
		look_locked(tm, viewer, &out);
	}
	return copy_to_user(arg, &out, sizeof(out)) ? -EFAULT : 0;
}

/* The image is read under the lock, and copied without it */
static int cursor_take(struct tess_mdev_viewer *viewer, struct tessera_view_cursor *look,
		       void *image)
{
	struct tess_mdev *tm;
	u64 had = look->serial;
	int ret = 0;

	guard(rwsem_read)(&viewer->view->lock);
	tm = viewer->view->tm;
	if (!tm)
		return -ENODEV;
	down_write(&tm->map_lock);
	tess_mdev_cursor_look(tm, viewer, look);
	/* VRAM may be slow to read, and who reads it holds up no page faults */
	downgrade_write(&tm->map_lock);
	if (image && look->state & TESSERA_VIEW_CURSOR_SHOWN && look->serial != had) {
		ret = tess_mdev_cursor_image(tm, look->head, image);
		look->state |= ret ? 0 : TESSERA_VIEW_CURSOR_COPIED;
	}
	up_read(&tm->map_lock);
	return ret;
}

static long view_cursor(struct tess_mdev_viewer *viewer, struct tessera_view_cursor __user *arg)
{
	void *image __free(kfree) = NULL;
	struct tessera_view_cursor in, out;
	int ret;

	if (copy_from_user(&in, arg, sizeof(in)))
		return -EFAULT;
	if (in.head >= TESSERA_VIEW_HEADS)
		return -EINVAL;
	out = (struct tessera_view_cursor){
		.head = in.head,
		.serial = in.serial,
		.pixels = in.pixels,
	};
	if (in.pixels) {
		image = kmalloc(TESS_CURSOR_BYTES, GFP_KERNEL);
		if (!image)
			return -ENOMEM;
	}
	ret = cursor_take(viewer, &out, image);
	if (ret)
		return ret;
	if (out.state & TESSERA_VIEW_CURSOR_COPIED &&
	    copy_to_user(u64_to_user_ptr(out.pixels), image, TESS_CURSOR_BYTES))
		return -EFAULT;
	return copy_to_user(arg, &out, sizeof(out)) ? -EFAULT : 0;
}

static struct tess_vram_export *export_take(struct tess_mdev_viewer *viewer,
					    struct tessera_view_export *out)
{
	struct tess_mdev *tm;

	guard(rwsem_read)(&viewer->view->lock);
	tm = viewer->view->tm;
	if (!tm)
		return ERR_PTR(-ENODEV);
	guard(rwsem_read)(&tm->map_lock);
	return tess_mdev_export_picture(tm, out);
}

static long view_export(struct tess_mdev_viewer *viewer, struct tessera_view_export __user *arg)
{
	struct tessera_view_export in, out = { .fd = -1 };
	struct tess_vram_export *export;

	if (copy_from_user(&in, arg, sizeof(in)))
		return -EFAULT;
	if (in.head >= TESSERA_VIEW_HEADS || in.flags & ~TESSERA_VIEW_EXPORT_FD || in.pad)
		return -EINVAL;
	out.head = in.head;
	out.flags = in.flags;
	export = export_take(viewer, &out);
	if (IS_ERR(export))
		return PTR_ERR(export);
	if (export)
		return tess_mdev_export_file(export, arg, &out);
	return copy_to_user(arg, &out, sizeof(out)) ? -EFAULT : 0;
}

static int monitor_plug(struct tess_mdev_viewer *viewer, unsigned int n,
			const struct tess_mdev_edid *edid)
{
	struct tess_mdev *tm;

	guard(rwsem_read)(&viewer->view->lock);
	tm = viewer->view->tm;
	if (!tm)
		return -ENODEV;
	guard(rwsem_write)(&tm->map_lock);
	return tess_mdev_monitor_plug(tm, n, edid);
}

static long view_monitor(struct file *file, const void __user *arg)
{
	struct tess_mdev_edid *edid __free(kfree) = NULL;
	struct tessera_view_monitor in;

	if (!(file->f_mode & FMODE_WRITE))
		return -EBADF;
	if (copy_from_user(&in, arg, sizeof(in)))
		return -EFAULT;
	if (in.head >= TESSERA_VIEW_HEADS || in.edid_size > TESS_EDID_MAX || in.edid_size % 128)
		return -EINVAL;
	if (in.edid_size) {
		edid = kzalloc_obj(*edid);
		if (!edid)
			return -ENOMEM;
		edid->size = in.edid_size;
		if (copy_from_user(edid->blob, u64_to_user_ptr(in.edid), in.edid_size))
			return -EFAULT;
	}
	return monitor_plug(file->private_data, in.head, edid);
}

/* @ctx is then the one before */
static int view_exchange_event(struct tess_mdev_viewer *viewer, struct eventfd_ctx **ctx, u32 heads)
{
	struct tess_mdev *tm;

	guard(rwsem_read)(&viewer->view->lock);
	tm = viewer->view->tm;
	if (!tm)
		return -ENODEV;
	guard(rwsem_write)(&tm->map_lock);
	swap(viewer->event, *ctx);
	viewer->event_heads = heads;
	return 0;
}

static long view_set_event(struct tess_mdev_viewer *viewer, struct tessera_view_event __user *arg)
{
	struct tessera_view_event event;
	struct eventfd_ctx *ctx = NULL;
	int ret;

	if (copy_from_user(&event, arg, sizeof(event)))
		return -EFAULT;
	if (event.heads >= BIT(TESSERA_VIEW_HEADS))
		return -EINVAL;
	if (event.fd != -1)
		ctx = eventfd_ctx_fdget(event.fd);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	ret = view_exchange_event(viewer, &ctx, event.heads);
	if (ctx)
		eventfd_ctx_put(ctx);
	return ret;
}

static long view_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case TESSERA_VIEW_LOOK:
		return view_look(file->private_data, (void __user *)arg);
	case TESSERA_VIEW_EVENT:
		return view_set_event(file->private_data, (void __user *)arg);
	case TESSERA_VIEW_CURSOR:
		return view_cursor(file->private_data, (void __user *)arg);
	case TESSERA_VIEW_MONITOR:
		return view_monitor(file, (void __user *)arg);
	case TESSERA_VIEW_EXPORT:
		return view_export(file->private_data, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static __poll_t view_poll(struct file *file, poll_table *table)
{
	struct tess_mdev_viewer *viewer = file->private_data;

	poll_wait(file, &viewer->wait, table);
	if (!READ_ONCE(viewer->view->tm))
		return EPOLLHUP | EPOLLERR;
	return READ_ONCE(viewer->changed) || READ_ONCE(viewer->cursor_changed) ?
		       EPOLLIN | EPOLLRDNORM : 0;
}

/* ---- mappings ---- */

static vm_fault_t view_fault_locked(struct tess_mdev *tm, struct tess_mdev_viewer *viewer,
				    struct vm_fault *vmf)
{
	u64 at = (u64)vmf->pgoff << PAGE_SHIFT;
	unsigned int n = at >> TESS_MDEV_VIEW_SHIFT;
	const struct tess_mdev_plane *picture = tess_mdev_picture(tm, n);
	struct tess_mdev_range range = {};

	if (picture) {
		range.address = picture->address;
		range.size = tess_mdev_picture_size(picture);
	}
	set_bit(n, &viewer->mapped);
	return tess_mdev_insert_around(tm, vmf, &range, at & TESS_MDEV_VIEW_MASK);
}

static vm_fault_t view_fault(struct vm_fault *vmf)
{
	struct tess_mdev_viewer *viewer = vmf->vma->vm_file->private_data;
	struct tess_mdev *tm;

	guard(rwsem_read)(&viewer->view->lock);
	tm = viewer->view->tm;
	if (!tm)
		return VM_FAULT_SIGBUS;
	guard(rwsem_read)(&tm->map_lock);
	return view_fault_locked(tm, viewer, vmf);
}

/* A mapping of @viewer's comes (1) or goes (-1) */
static int view_count(struct tess_mdev_viewer *viewer, int change)
{
	struct tess_mdev *tm;

	guard(rwsem_read)(&viewer->view->lock);
	tm = viewer->view->tm;
	if (!tm)
		return -ENODEV;
	guard(rwsem_write)(&tm->map_lock);
	tess_mdev_watch(tm, change);
	return 0;
}

/* Part of one that was split, or that of a child: the file of both is open */
static void view_vma_open(struct vm_area_struct *vma)
{
	view_count(vma->vm_file->private_data, 1);
}

static void view_vma_close(struct vm_area_struct *vma)
{
	view_count(vma->vm_file->private_data, -1);
}

static const struct vm_operations_struct view_vm_ops = {
	.open = view_vma_open,
	.close = view_vma_close,
	.fault = view_fault,
};

/* Of the kind that an IOMMU maps nothing of, see mmap.c */
static int view_mmap(struct file *file, struct vm_area_struct *vma)
{
	u64 at = (u64)vma->vm_pgoff << PAGE_SHIFT, off = at & TESS_MDEV_VIEW_MASK;
	struct tess_mdev_viewer *viewer = file->private_data;
	int ret;

	/* VM_SHARED is not there if the file was opened for reading only */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	if (at >> TESS_MDEV_VIEW_SHIFT >= TESSERA_VIEW_HEADS ||
	    off + (vma->vm_end - vma->vm_start) > TESS_MDEV_VIEW_SIZE)
		return -EINVAL;
	ret = view_count(viewer, 1);
	if (ret)
		return ret;
	vm_flags_mod(vma, VM_IO | VM_MIXEDMAP | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);
	vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	vma->vm_ops = &view_vm_ops;
	return 0;
}

/* ---- files ---- */

static int view_join(struct tess_mdev_view *view, struct tess_mdev_viewer *viewer)
{
	struct tess_mdev *tm;

	guard(rwsem_read)(&view->lock);
	tm = view->tm;
	if (!tm)
		return -ENODEV;
	guard(rwsem_write)(&tm->map_lock);
	if (list_count_nodes(&tm->display.viewers) >= VIEW_FILES_MAX)
		return -EBUSY;
	list_add_tail(&viewer->link, &tm->display.viewers);
	return 0;
}

static int view_open(struct inode *inode, struct file *file)
{
	struct tess_mdev_view *view = container_of(inode->i_cdev, struct tess_mdev_view, cdev);
	struct tess_mdev_viewer *viewer;
	int ret;

	viewer = kzalloc(sizeof(*viewer), GFP_KERNEL_ACCOUNT);
	if (!viewer)
		return -ENOMEM;
	viewer->view = view;
	viewer->mapping = file->f_mapping;
	init_waitqueue_head(&viewer->wait);
	ret = view_join(view, viewer);
	if (ret) {
		kfree(viewer);
		return ret;
	}
	file->private_data = viewer;
	return nonseekable_open(inode, file);
}

static void view_leave(struct tess_mdev_viewer *viewer)
{
	struct tess_mdev *tm;

	guard(rwsem_read)(&viewer->view->lock);
	tm = viewer->view->tm;
	if (!tm)
		return;
	guard(rwsem_write)(&tm->map_lock);
	list_del(&viewer->link);
}

/* No mapping of it is left */
static int view_release(struct inode *inode, struct file *file)
{
	struct tess_mdev_viewer *viewer = file->private_data;

	view_leave(viewer);
	if (viewer->event)
		eventfd_ctx_put(viewer->event);
	kfree(viewer);
	return 0;
}

static const struct file_operations view_fops = {
	.owner = THIS_MODULE,
	.open = view_open,
	.release = view_release,
	.poll = view_poll,
	.mmap = view_mmap,
	.unlocked_ioctl = view_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/* ---- life ---- */

static char *view_devnode(const struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0600;
	return kasprintf(GFP_KERNEL, "tessera/view/%s", dev_name(dev));
}

static void view_dev_release(struct device *dev)
{
	struct tess_mdev_view *view = container_of(dev, struct tess_mdev_view, dev);

	ida_free(&view_minors, view->minor);
	kfree(view);
}

static const struct class view_class = {
	.name = "tessera_view",
	.devnode = view_devnode,
	.dev_release = view_dev_release,
};

static struct tess_mdev_view *view_alloc(struct tess_mdev *tm)
{
	struct tess_mdev_view *view = kzalloc_obj(*view);

	if (!view)
		return ERR_PTR(-ENOMEM);
	view->minor = ida_alloc_max(&view_minors, MINORMASK, GFP_KERNEL);
	if (view->minor < 0) {
		int ret = view->minor;

		kfree(view);
		return ERR_PTR(ret);
	}
	view->tm = tm;
	init_rwsem(&view->lock);
	device_initialize(&view->dev);
	view->dev.class = &view_class;
	view->dev.parent = tm->vdev.dev;
	view->dev.devt = MKDEV(MAJOR(view_base), view->minor);
	cdev_init(&view->cdev, &view_fops);
	view->cdev.owner = THIS_MODULE;
	return view;
}

/**
 * tess_mdev_view_add() - let viewers look at a vGPU
 * @tm: vGPU
 *
 * Return: 0; -ENOSPC there are too many; -ENOMEM.
 */
int tess_mdev_view_add(struct tess_mdev *tm)
{
	struct tess_mdev_view *view = view_alloc(tm);
	int ret;

	if (IS_ERR(view))
		return PTR_ERR(view);
	ret = dev_set_name(&view->dev, "%s", dev_name(tm->vdev.dev));
	if (!ret)
		ret = cdev_device_add(&view->cdev, &view->dev);
	if (ret) {
		put_device(&view->dev);
		return ret;
	}
	tm->display.view = view;
	return 0;
}

/* Files that are open know no vGPU any more; what they mapped is withdrawn for good */
static void view_cut(struct tess_mdev_view *view)
{
	struct tess_mdev_viewer *viewer, *next;
	struct tess_mdev *tm = view->tm;
	unsigned int n;

	guard(rwsem_write)(&view->lock);
	guard(rwsem_write)(&tm->map_lock);
	WRITE_ONCE(view->tm, NULL);
	list_for_each_entry_safe(viewer, next, &tm->display.viewers, link) {
		list_del(&viewer->link);
		for (n = 0; n < TESS_HEADS_MAX; n++)
			tess_mdev_zap_viewer(viewer, n);
		if (viewer->event)
			eventfd_signal(viewer->event);
		wake_up_interruptible_poll(&viewer->wait, EPOLLHUP | EPOLLERR);
	}
}

/**
 * tess_mdev_view_remove() - viewers lose sight of a vGPU
 * @tm: vGPU
 */
void tess_mdev_view_remove(struct tess_mdev *tm)
{
	struct tess_mdev_view *view = tm->display.view;

	view_cut(view);
	cdev_device_del(&view->cdev, &view->dev);
	put_device(&view->dev);
}

int tess_mdev_view_init(void)
{
	int ret;

	ret = alloc_chrdev_region(&view_base, 0, MINORMASK + 1, "tessera_view");
	if (ret)
		return ret;
	ret = class_register(&view_class);
	if (ret)
		unregister_chrdev_region(view_base, MINORMASK + 1);
	return ret;
}

void tess_mdev_view_exit(void)
{
	class_unregister(&view_class);
	unregister_chrdev_region(view_base, MINORMASK + 1);
	ida_destroy(&view_minors);
}
