// SPDX-License-Identifier: GPL-2.0-only
/*
 * tessera_user.ko: back-end for GPUs that are served by a process.
 *
 * DOC: /dev/tessera-user
 *
 * An open file is a GPU. Its memory is allocated by TESSERA_USER_ADD and belongs to the kernel. The
 * GPU outlives its file for as long as it takes to leave the pool, which is a work item's business:
 * close() does not wait for clients of the GPU.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <tessera/client.h>
#include <tessera/compat.h>

#include "bus.h"
#include "gpu.h"
#include "request.h"
#include "root.h"
#include "user.h"
#include "window.h"

static unsigned int vram_mib = 1024;
module_param(vram_mib, uint, 0644);
MODULE_PARM_DESC(vram_mib, "VRAM that one GPU may have, in MiB");

static DEFINE_IDA(indexes);
static struct workqueue_struct *life;

/* ---- memory ---- */

static void vram_free(struct tess_user_vram *vram)
{
	u64 i, count = vram->size / TESS_VRAM_CHUNK;

	vunmap(vram->map);
	for (i = 0; vram->phys && i < count && vram->phys[i]; i++)
		free_pages((unsigned long)phys_to_virt(vram->phys[i]),
			   get_order(TESS_VRAM_CHUNK));
	kvfree(vram->phys);
	kvfree(vram->pages);
	*vram = (struct tess_user_vram){};
}

static int vram_fill(struct tess_user_vram *vram)
{
	unsigned int in_chunk = TESS_VRAM_CHUNK / PAGE_SIZE, i;
	u64 chunk, count = vram->size / TESS_VRAM_CHUNK;
	struct page *page;

	for (chunk = 0; chunk < count; chunk++) {
		page = alloc_pages(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN,
				   get_order(TESS_VRAM_CHUNK));
		if (!page)
			return -ENOMEM;
		vram->phys[chunk] = page_to_phys(page);
		for (i = 0; i < in_chunk; i++)
			vram->pages[chunk * in_chunk + i] = page + i;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	vram->map = vmap(vram->pages, count * in_chunk, VM_MAP, PAGE_KERNEL);
	return vram->map ? 0 : -ENOMEM;
}

static int vram_alloc(struct tess_user_vram *vram, u64 size)
{
	int rc = -ENOMEM;

	vram->size = size;
	vram->phys = kvcalloc(size / TESS_VRAM_CHUNK, sizeof(*vram->phys), GFP_KERNEL_ACCOUNT);
	vram->pages = kvcalloc(size / PAGE_SIZE, sizeof(*vram->pages), GFP_KERNEL_ACCOUNT);
	if (vram->phys && vram->pages)
		rc = vram_fill(vram);
	if (rc)
		vram_free(vram);
	return rc;
}

static void memory_free(struct tess_user *user)
{
	vram_free(&user->vram);
	if (user->doorbells)
		free_pages_exact(user->doorbells, TESS_MAX_SLICES * PAGE_SIZE);
	free_page((unsigned long)user->clock);
	user->doorbells = NULL;
	user->clock = NULL;
}

static int memory_alloc(struct tess_user *user, u64 vram_size)
{
	unsigned int i;
	int rc;

	user->clock = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	user->doorbells = alloc_pages_exact(TESS_MAX_SLICES * PAGE_SIZE,
					    GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	rc = user->clock && user->doorbells ? vram_alloc(&user->vram, vram_size) : -ENOMEM;
	if (rc) {
		memory_free(user);
		return rc;
	}
	for (i = 0; i < TESS_MAX_SLICES; i++)
		*(u64 *)(user->doorbells + i * PAGE_SIZE + TESS_DOORBELL_WPTR) =
			TESSERA_USER_NO_DOORBELL;
	return 0;
}

/* ---- life ---- */

static void user_free(struct tess_user *user)
{
	if (user->added) {
		memory_free(user);
		ida_free(&indexes, user->index);
	}
	tess_user_bus_fini(&user->bus);
	kfree(user);
}

static void user_start_work(struct work_struct *work)
{
	struct tess_user *user = container_of(work, struct tess_user, start);

	tess_user_tell_started(&user->requests, tess_user_gpu_start(user, user->index));
}

/* The last that is done for a file */
static void user_stop_work(struct work_struct *work)
{
	struct tess_user *user = container_of(work, struct tess_user, stop);

	cancel_work_sync(&user->start);
	if (user->root)
		tess_user_gpu_stop(user);
	user_free(user);
}

static int user_open(struct inode *inode, struct file *file)
{
	struct tess_user *user;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return -ENOMEM;
	mutex_init(&user->lock);
	spin_lock_init(&user->irq_lock);
	INIT_WORK(&user->start, user_start_work);
	INIT_WORK(&user->stop, user_stop_work);
	INIT_WORK(&user->irq, tess_user_gpu_irq_work);
	tess_user_requests_init(&user->requests);
	tess_user_bus_init(&user->bus);
	user->bus.silent = true;
	file->private_data = user;
	return nonseekable_open(inode, file);
}

static int user_release(struct inode *inode, struct file *file)
{
	struct tess_user *user = file->private_data;

	tess_user_break(&user->requests);
	/* No mapping of the file is left, and none comes */
	down_write(&user->bus.sem);
	user->bus.mapping = NULL;
	up_write(&user->bus.sem);
	queue_work(life, &user->stop);
	return 0;
}

/* ---- the server's calls ---- */

static int user_add_locked(struct tess_user *user, const struct tessera_user_add *add)
{
	int rc, index;

	lockdep_assert_held(&user->lock);
	if (user->added)
		return -EBUSY;
	index = ida_alloc_max(&indexes, TESS_USER_MAX_GPUS - 1, GFP_KERNEL);
	if (index < 0)
		return index;
	rc = memory_alloc(user, add->vram_size);
	if (rc) {
		ida_free(&indexes, index);
		return rc;
	}
	user->index = index;
	/* Pairs with user_mmap() */
	smp_store_release(&user->added, true);
	return index;
}

static int user_add(struct tess_user *user, struct tessera_user_add __user *arg)
{
	struct tessera_user_add add;
	int rc;

	if (copy_from_user(&add, arg, sizeof(add)))
		return -EFAULT;
	if (add.version != TESSERA_USER_VERSION || add.flags || !add.vram_size ||
	    add.vram_size % TESS_VRAM_CHUNK)
		return -EINVAL;
	if (add.vram_size / SZ_1M > READ_ONCE(vram_mib))
		return -ENOSPC;
	mutex_lock(&user->lock);
	rc = user_add_locked(user, &add);
	mutex_unlock(&user->lock);
	return rc;
}

static int user_do_start(struct tess_user *user)
{
	guard(mutex)(&user->lock);
	if (!user->added)
		return -EINVAL;
	if (user->starting)
		return -EBUSY;
	user->starting = true;
	queue_work(life, &user->start);
	return 0;
}

static int user_do_reach(struct tess_user *user, struct tessera_user_reach __user *arg)
{
	struct tessera_user_reach reach;

	if (copy_from_user(&reach, arg, sizeof(reach)))
		return -EFAULT;
	return tess_user_reach(user, &reach);
}

static long user_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct tess_user *user = file->private_data;

	switch (cmd) {
	case TESSERA_USER_ADD:
		return user_add(user, (void __user *)arg);
	case TESSERA_USER_START:
		return user_do_start(user);
	case TESSERA_USER_RAISE:
		if (arg >> TESS_IRQ_COUNT)
			return -EINVAL;
		tess_user_gpu_raise(user, arg);
		return 0;
	case TESSERA_USER_REACH:
		return user_do_reach(user, (void __user *)arg);
	default:
		return -ENOTTY;
	}
}

static ssize_t user_read(struct file *file, char __user *buf, size_t len, loff_t *off)
{
	struct tess_user *user = file->private_data;

	return tess_user_requests_read(&user->requests, buf, len, file->f_flags & O_NONBLOCK);
}

static ssize_t user_write(struct file *file, const char __user *buf, size_t len, loff_t *off)
{
	struct tess_user *user = file->private_data;

	return tess_user_requests_write(&user->requests, buf, len);
}

static __poll_t user_poll(struct file *file, poll_table *table)
{
	struct tess_user *user = file->private_data;

	return tess_user_requests_poll(&user->requests, file, table);
}

static int user_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct tess_user *user = file->private_data;

	/* Pairs with user_add_locked() */
	if (!smp_load_acquire(&user->added))
		return -EINVAL;
	return tess_user_mmap(user, vma);
}

static const struct file_operations user_fops = {
	.owner = THIS_MODULE,
	.open = user_open,
	.release = user_release,
	.read = user_read,
	.write = user_write,
	.poll = user_poll,
	.mmap = user_mmap,
	.unlocked_ioctl = user_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice user_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "tessera-user",
	.fops = &user_fops,
	.mode = 0600,
};

static int __init user_init(void)
{
	int rc;

	life = alloc_workqueue("tessera_user", WQ_UNBOUND, 0);
	if (!life)
		return -ENOMEM;
	rc = tess_user_root_init();
	if (rc)
		goto err_life;
	rc = tess_user_driver_register();
	if (rc)
		goto err_root;
	rc = misc_register(&user_misc);
	if (rc)
		goto err_driver;
	return 0;

err_driver:
	tess_user_driver_unregister();
err_root:
	tess_user_root_exit();
err_life:
	destroy_workqueue(life);
	return rc;
}

static void __exit user_exit(void)
{
	misc_deregister(&user_misc);
	/* GPUs whose files were closed */
	destroy_workqueue(life);
	tess_user_driver_unregister();
	tess_user_root_exit();
	ida_destroy(&indexes);
}

module_init(user_init);
module_exit(user_exit);

MODULE_AUTHOR("Tessera developers");
MODULE_DESCRIPTION("Back-end for GPUs that are served by a process");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(TESS_NS);
