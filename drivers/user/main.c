// SPDX-License-Identifier: GPL-2.0-only
/*
 * tessera_user.ko: back-end for GPUs that are served by a process.
 *
 * DOC: /dev/tessera-user
 *
 * An open file serves a GPU, which TESSERA_USER_ADD makes. Its memory belongs to the kernel. The
 * GPU outlives its file for as long as it takes to leave the pool, which is a work item's business.
 *
 * A server that leaves lets all clients stand still first, as if the system slept: what they have
 * is in memory of the host then. After its file is closed the GPU is vacant for a while; a server
 * that takes it lets them go on, as after power-on of the same GPU. If the file is closed without
 * that, the clients stand still at the end of close(), and those on slices have lost what was in
 * progress. close() waits for no client, nor for memory of one.
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
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_regs.h>

#include "bus.h"
#include "gpu.h"
#include "request.h"
#include "root.h"
#include "user.h"
#include "window.h"

static unsigned int vram_mib = 1024;
module_param(vram_mib, uint, 0644);
MODULE_PARM_DESC(vram_mib, "VRAM that one GPU may have, in MiB");

static unsigned int leave_s = 60;
module_param(leave_s, uint, 0644);
MODULE_PARM_DESC(leave_s, "time in which another server must take a GPU whose server is gone, in s");

static DEFINE_IDA(indexes);
/* GPUs that servers left */
static DEFINE_XARRAY(vacant);
static struct workqueue_struct *life;
static struct miscdevice user_misc;

/* ---- memory ---- */

static void vram_free(struct tess_user_vram *vram)
{
	u64 i, count = vram->size / TESS_VRAM_CHUNK;

	vunmap(vram->map);
	for (i = 0; vram->phys && i < count && vram->phys[i]; i++)
		free_pages_exact(phys_to_virt(vram->phys[i]), TESS_VRAM_CHUNK);
	kvfree(vram->phys);
	kvfree(vram->pages);
	*vram = (struct tess_user_vram){};
}

static int vram_fill(struct tess_user_vram *vram)
{
	unsigned int in_chunk = TESS_VRAM_CHUNK / PAGE_SIZE, i;
	u64 chunk, count = vram->size / TESS_VRAM_CHUNK;
	void *mem;

	for (chunk = 0; chunk < count; chunk++) {
		/* Each page counts its own references: KVM before 6.13 takes one of what it maps */
		mem = alloc_pages_exact(TESS_VRAM_CHUNK,
					GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
		if (!mem)
			return -ENOMEM;
		vram->phys[chunk] = virt_to_phys(mem);
		for (i = 0; i < in_chunk; i++)
			vram->pages[chunk * in_chunk + i] = virt_to_page(mem) + i;
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

/* Nobody stores to a doorbell meanwhile */
static void doorbells_reset(struct tess_user *user)
{
	unsigned int i;

	for (i = 0; i < TESS_MAX_SLICES; i++)
		*(u64 *)(user->doorbells + i * PAGE_SIZE + TESS_DOORBELL_WPTR) =
			TESSERA_USER_NO_DOORBELL;
}

static int memory_alloc(struct tess_user *user, u64 vram_size)
{
	int rc;

	user->clock = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	user->doorbells = alloc_pages_exact(TESS_MAX_SLICES * PAGE_SIZE,
					    GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	rc = user->clock && user->doorbells ? vram_alloc(&user->vram, vram_size) : -ENOMEM;
	if (rc) {
		memory_free(user);
		return rc;
	}
	doorbells_reset(user);
	return 0;
}

/* ---- life ---- */

static void user_free(struct tess_user *user)
{
	memory_free(user);
	ida_free(&indexes, user->index);
	tess_user_bus_fini(&user->bus);
	kfree(user);
}

static void user_start_work(struct work_struct *work)
{
	struct tess_user *user = container_of(work, struct tess_user, start);
	int rc;

	if (user->left) {
		rc = tess_user_gpu_resume(user);
		user->left = false;
	} else {
		rc = tess_user_gpu_start(user, user->index);
	}
	tess_user_tell_result(&user->requests, TESSERA_USER_STARTED, rc);
}

static void user_leave_work(struct work_struct *work)
{
	struct tess_user *user = container_of(work, struct tess_user, leave);
	int rc;

	flush_work(&user->start);
	rc = tess_user_gpu_suspend(user);
	user->left = !rc;
	WRITE_ONCE(user->leaving, !rc);
	tess_user_tell_result(&user->requests, TESSERA_USER_LEFT, rc);
}

/* The last that is done for a GPU */
static void user_stop(struct tess_user *user)
{
	cancel_work_sync(&user->start);
	if (user->root)
		tess_user_gpu_stop(user);
	user_free(user);
}

static void user_stop_work(struct work_struct *work)
{
	user_stop(container_of(work, struct tess_user, stop));
}

static void user_abandon_work(struct work_struct *work)
{
	struct tess_user *user = container_of(work, struct tess_user, abandon.work);

	/* It was taken, by somebody who waits for this work */
	if (xa_cmpxchg(&vacant, user->index, user, NULL, GFP_KERNEL) != user)
		return;
	dev_warn(user_misc.this_device, "no server took GPU %d, it is gone\n", user->index);
	user_stop(user);
}

static struct tess_user *user_create(u64 vram_size)
{
	struct tess_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!user)
		return ERR_PTR(-ENOMEM);
	rc = ida_alloc_max(&indexes, TESS_USER_MAX_GPUS - 1, GFP_KERNEL);
	if (rc < 0)
		goto err_free;
	user->index = rc;
	rc = memory_alloc(user, vram_size);
	if (rc)
		goto err_index;
	spin_lock_init(&user->irq_lock);
	INIT_WORK(&user->start, user_start_work);
	INIT_WORK(&user->leave, user_leave_work);
	INIT_WORK(&user->stop, user_stop_work);
	INIT_WORK(&user->irq, tess_user_gpu_irq_work);
	INIT_DELAYED_WORK(&user->abandon, user_abandon_work);
	tess_user_requests_init(&user->requests);
	tess_user_bus_init(&user->bus);
	user->bus.silent = true;
	return user;

err_index:
	ida_free(&indexes, user->index);
err_free:
	kfree(user);
	return ERR_PTR(rc);
}

static int user_open(struct inode *inode, struct file *file)
{
	struct tess_user_file *uf;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	uf = kzalloc(sizeof(*uf), GFP_KERNEL_ACCOUNT);
	if (!uf)
		return -ENOMEM;
	mutex_init(&uf->lock);
	file->private_data = uf;
	return nonseekable_open(inode, file);
}

/* Its clients wait for another server, or the GPU is gone */
static void user_unserve(struct tess_user *user)
{
	if (user->ending)
		tess_user_break(&user->requests);
	else
		tess_user_break_absent(&user->requests);
	/* No mapping of the file is left, and none comes */
	down_write(&user->bus.sem);
	user->bus.mapping = NULL;
	up_write(&user->bus.sem);
	flush_work(&user->start);
	flush_work(&user->leave);
	if (!user->left && !user->ending && READ_ONCE(leave_s))
		user->left = !tess_user_gpu_crashed(user);
	if (user->left && !xa_err(xa_store(&vacant, user->index, user, GFP_KERNEL)))
		queue_delayed_work(life, &user->abandon, READ_ONCE(leave_s) * HZ);
	else
		queue_work(life, &user->stop);
}

static int user_release(struct inode *inode, struct file *file)
{
	struct tess_user_file *uf = file->private_data;

	if (uf->user)
		user_unserve(uf->user);
	mutex_destroy(&uf->lock);
	kfree(uf);
	return 0;
}

/* ---- the server's calls ---- */

static int user_set(struct tess_user_file *uf, struct tess_user *user)
{
	lockdep_assert_held(&uf->lock);
	if (IS_ERR(user))
		return PTR_ERR(user);
	/* Pairs with file_user() */
	smp_store_release(&uf->user, user);
	return 0;
}

static int user_add(struct tess_user_file *uf, struct tessera_user_add __user *arg)
{
	struct tessera_user_add add;

	if (copy_from_user(&add, arg, sizeof(add)))
		return -EFAULT;
	if (add.version != TESSERA_USER_VERSION || add.flags || !add.vram_size ||
	    add.vram_size % TESS_VRAM_CHUNK)
		return -EINVAL;
	if (add.vram_size / SZ_1M > READ_ONCE(vram_mib))
		return -ENOSPC;
	guard(mutex)(&uf->lock);
	if (uf->user)
		return -EBUSY;
	return user_set(uf, user_create(add.vram_size)) ?: uf->user->index;
}

static int user_take(struct tess_user_file *uf, unsigned long index)
{
	struct tess_user *user;

	guard(mutex)(&uf->lock);
	if (uf->user)
		return -EBUSY;
	user = index < TESS_USER_MAX_GPUS ? xa_erase(&vacant, index) : NULL;
	if (!user)
		return -ENOENT;
	cancel_delayed_work_sync(&user->abandon);
	doorbells_reset(user);
	user->starting = false;
	user->leaving = false;
	user->ending = false;
	return user_set(uf, user) ?: user->vram.size / TESS_VRAM_CHUNK;
}

static int user_do_start(struct tess_user_file *uf)
{
	guard(mutex)(&uf->lock);
	if (!uf->user)
		return -EINVAL;
	if (uf->user->starting)
		return -EBUSY;
	uf->user->starting = true;
	if (uf->user->left)
		tess_user_mend(&uf->user->requests);
	queue_work(life, &uf->user->start);
	return 0;
}

static int user_do_leave(struct tess_user_file *uf)
{
	guard(mutex)(&uf->lock);
	if (!uf->user || !uf->user->starting)
		return -EINVAL;
	if (READ_ONCE(uf->user->leaving))
		return -EBUSY;
	WRITE_ONCE(uf->user->leaving, true);
	queue_work(life, &uf->user->leave);
	return 0;
}

static int user_do_end(struct tess_user_file *uf)
{
	guard(mutex)(&uf->lock);
	if (!uf->user)
		return -EINVAL;
	uf->user->ending = true;
	return 0;
}

static int user_do_reach(struct tess_user *user, struct tessera_user_reach __user *arg)
{
	struct tessera_user_reach reach;

	if (copy_from_user(&reach, arg, sizeof(reach)))
		return -EFAULT;
	return tess_user_reach(user, &reach);
}

static struct tess_user *file_user(struct file *file)
{
	struct tess_user_file *uf = file->private_data;

	/* Pairs with user_set() */
	return smp_load_acquire(&uf->user);
}

/* Calls of a file that has a GPU */
static int user_served_ioctl(struct tess_user *user, unsigned int cmd, unsigned long arg)
{
	if (!user)
		return -EINVAL;
	if (cmd == TESSERA_USER_REACH)
		return user_do_reach(user, (void __user *)arg);
	if (arg >> TESS_IRQ_COUNT)
		return -EINVAL;
	tess_user_gpu_raise(user, arg);
	return 0;
}

static long user_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct tess_user_file *uf = file->private_data;

	switch (cmd) {
	case TESSERA_USER_ADD:
		return user_add(uf, (void __user *)arg);
	case TESSERA_USER_TAKE:
		return user_take(uf, arg);
	case TESSERA_USER_START:
		return user_do_start(uf);
	case TESSERA_USER_LEAVE:
		return user_do_leave(uf);
	case TESSERA_USER_END:
		return user_do_end(uf);
	case TESSERA_USER_RAISE:
	case TESSERA_USER_REACH:
		return user_served_ioctl(file_user(file), cmd, arg);
	default:
		return -ENOTTY;
	}
}

static ssize_t user_read(struct file *file, char __user *buf, size_t len, loff_t *off)
{
	struct tess_user *user = file_user(file);

	if (!user)
		return -EINVAL;
	return tess_user_requests_read(&user->requests, buf, len, file->f_flags & O_NONBLOCK);
}

static ssize_t user_write(struct file *file, const char __user *buf, size_t len, loff_t *off)
{
	struct tess_user *user = file_user(file);

	return user ? tess_user_requests_write(&user->requests, buf, len) : -EINVAL;
}

static __poll_t user_poll(struct file *file, poll_table *table)
{
	struct tess_user *user = file_user(file);

	return user ? tess_user_requests_poll(&user->requests, file, table) : EPOLLERR;
}

static int user_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct tess_user *user = file_user(file);

	return user ? tess_user_mmap(user, vma) : -EINVAL;
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

	/* Mappings for DMA would not come to bus.c, so no server would reach what it works on */
	if (!IS_ENABLED(CONFIG_ARCH_HAS_DMA_OPS)) {
		pr_err("tessera_user: kernel without DMA operations of devices (CONFIG_ARCH_HAS_DMA_OPS)\n");
		return -EOPNOTSUPP;
	}
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
	struct tess_user *user;
	unsigned long index;

	misc_deregister(&user_misc);
	/* GPUs whose files were closed */
	xa_for_each(&vacant, index, user)
		mod_delayed_work(life, &user->abandon, 0);
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
