// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether a queue takes jobs, and its last reference.
 */
#include <linux/kref.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <drm/tessera_drm.h>
#include "base/usage.h"
#include "queue_state.h"

/* Releases queues; drained before the module goes */
static struct workqueue_struct *tess_queue_wq;

/**
 * tess_queue_module_init() - prepare for queues
 *
 * Return: 0, -ENOMEM.
 */
int __init tess_queue_module_init(void)
{
	tess_queue_wq = alloc_workqueue("tessera-drm-release", WQ_UNBOUND, 0);
	return tess_queue_wq ? 0 : -ENOMEM;
}

/**
 * tess_queue_module_exit() - wait until all queues are released
 */
void tess_queue_module_exit(void)
{
	destroy_workqueue(tess_queue_wq);
}

static void tess_queue_release(struct kref *ref)
{
	struct tess_queue *queue = container_of(ref, struct tess_queue, ref);

	queue_work(tess_queue_wq, &queue->release_work);
}

/**
 * tess_queue_put() - drop a reference
 * @queue: killed or referenced by others; any context
 */
void tess_queue_put(struct tess_queue *queue)
{
	kref_put(&queue->ref, tess_queue_release);
}

/**
 * tess_queue_is_dead() - does a queue take no more jobs?
 * @queue: queue; any context
 *
 * Return: true: DRM_TESSERA_QUEUE_* in its flags says why.
 */
bool tess_queue_is_dead(struct tess_queue *queue)
{
	if (tess_usage_is_banned(queue->usage))
		tess_queue_fail(queue, DRM_TESSERA_QUEUE_BANNED);
	return READ_ONCE(queue->flags);
}

/**
 * tess_queue_fail() - a queue takes no more jobs
 * @queue: queue; any context
 * @flag: DRM_TESSERA_QUEUE_* that says why, neither FAULTED nor HUNG
 */
void tess_queue_fail(struct tess_queue *queue, u32 flag)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->state_lock, flags);
	WRITE_ONCE(queue->flags, queue->flags | flag);
	spin_unlock_irqrestore(&queue->state_lock, flags);
}

/**
 * tess_queue_hang() - a queue takes no more jobs, because one hung
 * @queue: queue; any context
 * @number: of its SUBMIT
 */
void tess_queue_hang(struct tess_queue *queue, u64 number)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->state_lock, flags);
	if (!queue->fault_submit)
		queue->fault_submit = number;
	WRITE_ONCE(queue->flags, queue->flags | DRM_TESSERA_QUEUE_HUNG);
	spin_unlock_irqrestore(&queue->state_lock, flags);
}

/**
 * tess_queue_fault() - a queue takes no more jobs, because one faulted
 * @queue: queue; any context
 * @fault: what the GPU says; of several the first one is kept
 * @number: of the SUBMIT
 * @cmd: index of the command buffer in it
 * @slice: where
 */
void tess_queue_fault(struct tess_queue *queue, const struct tess_fault *fault, u64 number,
		      u32 cmd, u32 slice)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->state_lock, flags);
	if (!(queue->flags & DRM_TESSERA_QUEUE_FAULTED)) {
		queue->fault = *fault;
		queue->fault_submit = number;
		queue->fault_cmd = cmd;
		queue->fault_slice = slice;
		WRITE_ONCE(queue->flags, queue->flags | DRM_TESSERA_QUEUE_FAULTED);
	}
	spin_unlock_irqrestore(&queue->state_lock, flags);
}
