// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: queues
 *
 * A queue is an entity of the GPU scheduler of a lane on each of its slices, bound to a VM. An
 * entity is made with the first job for its slice, as lanes take memory (place.c says which
 * slice that is). When one of its jobs fails the queue is dead: what follows may depend on what
 * failed, so later jobs are cancelled, and the program finds the reason in QUEUE_STATE and makes a
 * new queue. Other queues, also of the same process, are not affected.
 *
 * A queue ends in two steps. It is killed when it is destroyed, its file is closed or
 * its GPU goes away: jobs that did not start end with -ESRCH. It is released with its
 * last job.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <drm/drm_auth.h>
#include <drm/drm_drv.h>
#include <drm/tessera_drm.h>
#include <tessera/gpu.h>
#include "base/device.h"
#include "base/usage.h"
#include "job/lane.h"
#include "job/queue_state.h"
#include "mem/vm.h"
#include "place.h"
#include "queue.h"

static void tess_queue_release_work(struct work_struct *work)
{
	struct tess_queue *queue = container_of(work, struct tess_queue, release_work);
	unsigned int i;

	for (i = 0; i < queue->entity_count; i++) {
		if (!queue->entities[i])
			continue;
		tess_lane_put(queue->entities[i]->lane);
		kfree(queue->entities[i]);
	}
	tess_usage_put(queue->usage);
	mutex_destroy(&queue->lock);
	tess_vm_put(queue->vm);
	kfree(queue);
}

/**
 * tess_queue_lookup() - find a queue
 * @tfile: open file
 * @id: from QUEUE_CREATE
 *
 * Return: queue with a reference, or NULL.
 */
struct tess_queue *tess_queue_lookup(struct tess_file *tfile, u32 id)
{
	struct tess_queue *queue;

	xa_lock(&tfile->queues);
	queue = xa_load(&tfile->queues, id);
	if (queue)
		kref_get(&queue->ref);
	xa_unlock(&tfile->queues);
	return queue;
}

static void tess_queue_kill_locked(struct tess_queue *queue)
{
	unsigned int i;

	lockdep_assert_held(&queue->tdev->queue_lock);

	mutex_lock(&queue->lock);
	if (!queue->killed) {
		queue->killed = true;
		list_del_init(&queue->link);
		for (i = 0; i < queue->entity_count; i++)
			if (queue->entities[i])
				drm_sched_entity_fini(&queue->entities[i]->base);
		/* It keeps the module, whose exit waits for queues that are being released */
		dma_fence_put(queue->last);
		queue->last = NULL;
	}
	mutex_unlock(&queue->lock);
}

static void tess_queue_kill(struct tess_queue *queue)
{
	mutex_lock(&queue->tdev->queue_lock);
	tess_queue_kill_locked(queue);
	mutex_unlock(&queue->tdev->queue_lock);
}

/**
 * tess_queue_close_all() - what happens to queues when their file is closed
 * @tfile: open file that nobody uses any more
 */
void tess_queue_close_all(struct tess_file *tfile)
{
	struct tess_queue *queue;
	unsigned long id;

	xa_for_each(&tfile->queues, id, queue) {
		tess_queue_kill(queue);
		tess_queue_put(queue);
	}
}

/**
 * tess_queue_kill_all() - leave no queue that the schedulers know
 * @tdev: unplugged device
 */
void tess_queue_kill_all(struct tess_device *tdev)
{
	struct tess_queue *queue, *next;

	mutex_lock(&tdev->queue_lock);
	list_for_each_entry_safe(queue, next, &tdev->queues, link)
		tess_queue_kill_locked(queue);
	mutex_unlock(&tdev->queue_lock);
}

/**
 * tess_queue_may() - may a process have queues of this priority?
 * @file: open file of the process that asks
 * @priority: DRM_TESSERA_PRIORITY_*
 *
 * A queue of high priority delays those of all other processes, so it takes the right to do
 * that to their threads; the master of a display has it, too, whose frames are late otherwise.
 *
 * Return: 0; -EINVAL no such priority; -EACCES no.
 */
int tess_queue_may(struct drm_file *file, u32 priority)
{
	if (priority >= TESS_PRIORITY_COUNT)
		return -EINVAL;
	if (priority != DRM_TESSERA_PRIORITY_HIGH)
		return 0;
	return capable(CAP_SYS_NICE) || drm_is_current_master(file) ? 0 : -EACCES;
}

static struct tess_queue *tess_queue_alloc(struct tess_device *tdev, struct tess_file *tfile,
					   const struct drm_tessera_queue_create *args)
{
	struct tess_queue *queue;

	queue = kzalloc(struct_size(queue, entities, tdev->lane_count), GFP_KERNEL_ACCOUNT);
	if (!queue)
		return ERR_PTR(-ENOMEM);

	queue->entity_count = tdev->lane_count;
	kref_init(&queue->ref);
	mutex_init(&queue->lock);
	spin_lock_init(&queue->state_lock);
	INIT_LIST_HEAD(&queue->link);
	INIT_WORK(&queue->release_work, tess_queue_release_work);
	queue->tdev = tdev;
	queue->slices = args->slices;
	queue->priority = array_index_nospec(args->priority, TESS_PRIORITY_COUNT);
	queue->out_context = dma_fence_context_alloc(1);
	queue->usage = tess_usage_get(tfile->usage);

	queue->vm = tess_vm_lookup(tfile, args->vm);
	if (!queue->vm) {
		tess_usage_put(queue->usage);
		kfree(queue);
		return ERR_PTR(-ENOENT);
	}
	return queue;
}

static struct tess_queue *tess_queue_create(struct tess_device *tdev, struct tess_file *tfile,
					    const struct drm_tessera_queue_create *args)
{
	struct tess_queue *queue;
	int ret;

	queue = tess_queue_alloc(tdev, tfile, args);
	if (IS_ERR(queue))
		return queue;
	/* One that no slice is there for is refused now, not with its first job */
	mutex_lock(&queue->lock);
	ret = PTR_ERR_OR_ZERO(tess_queue_place(queue, queue->slices, NULL));
	mutex_unlock(&queue->lock);
	if (ret) {
		tess_queue_put(queue);
		return ERR_PTR(ret);
	}

	mutex_lock(&tdev->queue_lock);
	list_add_tail(&queue->link, &tdev->queues);
	mutex_unlock(&tdev->queue_lock);
	return queue;
}

/**
 * tess_queue_create_ioctl() - DRM_IOCTL_TESSERA_QUEUE_CREATE
 * @drm: device
 * @data: struct drm_tessera_queue_create
 * @file: open file
 *
 * Return: 0; -EINVAL flags, priority, no slice or one that there is not; -ENOENT no such
 * VM; -EACCES not the right to the priority, or the file is banned; -ENXIO no slice of them is
 * available; -EMFILE too many queues; -ENOMEM; -ENODEV.
 */
int tess_queue_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tess_device *tdev = to_tess_device(drm);
	struct tess_file *tfile = to_tess_file(file);
	struct drm_tessera_queue_create *args = data;
	struct tess_queue *queue;
	int idx, ret;

	if (args->flags)
		return -EINVAL;
	if (!args->slices || fls64(args->slices) - 1 >= tdev->lane_count)
		return -EINVAL;
	ret = tess_queue_may(file, args->priority);
	if (ret)
		return ret;
	if (tess_usage_is_banned(tfile->usage))
		return -EACCES;
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;

	queue = tess_queue_create(tdev, tfile, args);
	if (IS_ERR(queue)) {
		ret = PTR_ERR(queue);
		goto out_exit;
	}
	ret = xa_alloc(&tfile->queues, &args->id, queue, XA_LIMIT(1, TESS_MAX_QUEUES),
		       GFP_KERNEL);
	if (ret) {
		tess_queue_kill(queue);
		tess_queue_put(queue);
	}
	if (ret == -EBUSY)
		ret = -EMFILE;
out_exit:
	drm_dev_exit(idx);
	return ret;
}

/**
 * tess_queue_destroy_ioctl() - DRM_IOCTL_TESSERA_QUEUE_DESTROY
 * @drm: device
 * @data: struct drm_tessera_queue_destroy
 * @file: open file
 *
 * Return: 0; -EINVAL padding; -ENOENT no such queue.
 */
int tess_queue_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct tess_file *tfile = to_tess_file(file);
	struct drm_tessera_queue_destroy *args = data;
	struct tess_queue *queue;

	if (args->pad)
		return -EINVAL;
	queue = xa_erase(&tfile->queues, args->id);
	if (!queue)
		return -ENOENT;
	tess_queue_kill(queue);
	tess_queue_put(queue);
	return 0;
}

/**
 * tess_queue_state_ioctl() - DRM_IOCTL_TESSERA_QUEUE_STATE
 * @drm: device
 * @data: struct drm_tessera_queue_state
 * @file: open file
 *
 * Return: 0; -EINVAL padding; -ENOENT no such queue.
 */
int tess_queue_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_queue_state *args = data;
	struct tess_fault fault;
	struct tess_queue *queue;
	u32 id = args->id;
	u32 flags, slice, cmd;
	u64 submit;

	if (args->pad)
		return -EINVAL;
	queue = tess_queue_lookup(to_tess_file(file), id);
	if (!queue)
		return -ENOENT;

	tess_queue_is_dead(queue);
	spin_lock_irq(&queue->state_lock);
	flags = queue->flags;
	fault = queue->fault;
	cmd = queue->fault_cmd;
	slice = queue->fault_slice;
	submit = queue->fault_submit;
	spin_unlock_irq(&queue->state_lock);
	tess_queue_put(queue);

	*args = (struct drm_tessera_queue_state){ .id = id, .flags = flags, .submit = submit };
	if (flags & DRM_TESSERA_QUEUE_FAULTED) {
		args->cause = fault.cause;
		args->info = fault.info;
		args->addr = fault.addr;
		args->pc = fault.pc;
		args->packet = fault.indirect;
		args->cmd = cmd;
		args->slice = slice;
	}
	return 0;
}
