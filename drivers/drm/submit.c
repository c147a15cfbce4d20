// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: submission
 *
 * SUBMIT makes a job of each command buffer, gives the first one the fences of the in syncs
 * to wait for, puts the fence of the last one into the out syncs and queues them. All that can
 * fail comes before the first job is armed; nothing after that may. User memory, which may take
 * for ever to come, is read before drm_dev_enter(): an unplug waits for what is inside.
 *
 * An in sync of the same queue needs no waiting: jobs of a queue run in order. So a
 * chain of jobs that a program makes explicit still runs back to back.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <drm/tessera_drm.h>
#include "args.h"
#include "device.h"
#include "fence.h"
#include "hang.h"
#include "lane.h"
#include "queue.h"
#include "submit.h"
#include "sync.h"
#include "vm.h"

/**
 * struct tess_request - what a SUBMIT asks for, in memory of the kernel
 * @cmds: command buffers
 * @cmd_count: number of them
 * @ins: what to wait for
 * @in_count: number of them
 * @out_syncs: what to signal
 * @outs: the same, looked up
 * @out_count: number of them
 */
struct tess_request {
	struct drm_tessera_cmd *cmds;
	u32 cmd_count;
	struct drm_tessera_sync *ins;
	u32 in_count;
	struct drm_tessera_sync *out_syncs;
	struct tess_out *outs;
	u32 out_count;
};

/**
 * tess_submit_free() - free a job
 * @submit: job; its part for the scheduler is cleaned up already
 */
void tess_submit_free(struct tess_submit *submit)
{
	struct tess_queue *queue = submit->queue;

	tess_lane_job_over(queue->lane, submit->began, submit->pushed);
	/* The fences keep the module, whose exit waits for queues that are being released */
	tess_queue_put(queue);
	if (submit->started)
		dma_fence_put(&submit->fence->base);
	else
		tess_fence_free(submit->fence);
	tess_fence_free(submit->out);
	kfree(submit);
}

static struct tess_submit *tess_submit_create(struct tess_queue *queue, struct drm_file *file,
					      const struct drm_tessera_cmd *cmd)
{
	struct tess_submit *submit;
	int ret = -ENOMEM;

	submit = kzalloc(sizeof(*submit), GFP_KERNEL_ACCOUNT);
	if (!submit)
		return ERR_PTR(-ENOMEM);
	submit->fence = tess_fence_alloc();
	submit->out = tess_fence_alloc();
	if (!submit->fence || !submit->out)
		goto err_free_fences;

	INIT_LIST_HEAD(&submit->link);
	submit->job.as = queue->vm->as;
	submit->job.cmd = cmd->va;
	submit->job.count = cmd->count;

	ret = drm_sched_job_init(&submit->base, &queue->entity, 1, NULL, file->client_id);
	if (ret)
		goto err_free_fences;
	kref_get(&queue->ref);
	submit->queue = queue;
	return submit;

err_free_fences:
	tess_fence_free(submit->out);
	tess_fence_free(submit->fence);
	kfree(submit);
	return ERR_PTR(ret);
}

/* Why a queue takes no jobs; @count of them are as good as there if it does */
static int tess_submit_admit_locked(struct tess_queue *queue, u32 count)
{
	lockdep_assert_held(&queue->lane->lock);
	if (tess_queue_is_dead_locked(queue))
		return -EIO;
	return tess_lane_admit_locked(queue->lane, count) ? 0 : -ENXIO;
}

static int tess_submit_check_queue(struct tess_queue *queue)
{
	int ret;

	lockdep_assert_held(&queue->lock);
	if (queue->killed)
		return -ENOENT;

	spin_lock_irq(&queue->lane->lock);
	ret = tess_submit_admit_locked(queue, 0);
	spin_unlock_irq(&queue->lane->lock);
	return ret;
}

static int tess_submit_admit(struct tess_queue *queue, struct tess_submit **parts, u32 count)
{
	struct tess_lane *lane = queue->lane;
	u32 i;
	int ret;

	spin_lock_irq(&lane->lock);
	ret = tess_submit_admit_locked(queue, count);
	spin_unlock_irq(&lane->lock);
	for (i = 0; !ret && i < count; i++)
		parts[i]->pushed = true;
	return ret;
}

static int tess_submit_add_in(struct tess_submit *submit, struct drm_file *file,
			      const struct drm_tessera_sync *in)
{
	struct dma_fence *fence;
	int ret;

	ret = drm_syncobj_find_fence(file, in->handle, in->point, 0, &fence);
	if (ret)
		return ret;
	if (fence->context == submit->queue->out_context) {
		dma_fence_put(fence);
		return 0;
	}
	return drm_sched_job_add_dependency(&submit->base, fence);
}

static int tess_submit_add_ins(struct tess_submit *submit, struct drm_file *file,
			       const struct drm_tessera_sync *ins, u32 count)
{
	u32 i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = tess_submit_add_in(submit, file, &ins[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Take the out fence from the armed job, and follow it. @before: of the part before it */
static struct dma_fence *tess_submit_take_out(struct tess_submit *submit,
					      struct dma_fence *before)
{
	struct tess_queue *queue = submit->queue;
	struct tess_fence *out = submit->out;

	submit->out = NULL;
	tess_fence_init_out(out, queue->out_context, ++queue->out_seqno,
			    &submit->base.s_fence->finished, before);
	return &out->base;
}

static void tess_submit_discard(struct tess_submit **parts, u32 count)
{
	while (count--) {
		drm_sched_job_cleanup(&parts[count]->base);
		tess_submit_free(parts[count]);
	}
}

/* A job for each command buffer: the queue keeps their order */
static int tess_submit_prepare(struct tess_queue *queue, struct drm_file *file,
			       const struct tess_request *req, struct tess_submit **parts)
{
	u32 i;
	int ret;

	for (i = 0; i < req->cmd_count; i++) {
		parts[i] = tess_submit_create(queue, file, &req->cmds[i]);
		if (IS_ERR(parts[i])) {
			ret = PTR_ERR(parts[i]);
			goto err_discard;
		}
		parts[i]->cmd = i;
	}
	ret = tess_submit_add_ins(parts[0], file, req->ins, req->in_count);
	if (!ret)
		ret = tess_submit_admit(queue, parts, req->cmd_count);
	if (ret)
		goto err_discard;
	return 0;

err_discard:
	tess_submit_discard(parts, i);
	return ret;
}

/* Nothing fails any more */
static void tess_submit_push(const struct tess_request *req, struct tess_submit **parts,
			     struct drm_gpuvm_exec *exec)
{
	struct dma_fence *out = NULL;
	u32 i;

	for (i = 0; i < req->cmd_count; i++) {
		drm_sched_job_arm(&parts[i]->base);
		out = tess_submit_take_out(parts[i], out);
		if (i == req->cmd_count - 1) {
			tess_outs_attach(req->outs, req->out_count, out);
			tess_vm_add_job(exec, out);
		}
		drm_sched_entity_push_job(&parts[i]->base);
	}
	dma_fence_put(out);
}

static int tess_submit_locked(struct tess_queue *queue, struct drm_file *file,
			      const struct tess_request *req)
{
	struct drm_gpuvm_exec exec;
	struct tess_submit **parts;
	int ret;

	ret = tess_submit_check_queue(queue);
	if (ret)
		return ret;
	parts = kmalloc_array(req->cmd_count, sizeof(*parts), GFP_KERNEL);
	if (!parts)
		return -ENOMEM;
	ret = tess_vm_lock_for_job(queue->vm, &exec);
	if (ret)
		goto out_free;
	ret = tess_submit_prepare(queue, file, req, parts);
	if (!ret)
		tess_submit_push(req, parts, &exec);
	drm_gpuvm_exec_unlock(&exec);
out_free:
	kfree(parts);
	return ret;
}

static int tess_submit_entered(struct tess_queue *queue, struct drm_file *file,
			       const struct tess_request *req)
{
	int idx, ret;

	if (!drm_dev_enter(queue->tdev->drm, &idx))
		return -ENODEV;
	ret = mutex_lock_interruptible(&queue->lock);
	if (!ret) {
		ret = tess_submit_locked(queue, file, req);
		mutex_unlock(&queue->lock);
	}
	drm_dev_exit(idx);
	return ret;
}

static bool tess_cmd_valid(const struct drm_tessera_cmd *cmd)
{
	if (cmd->flags || cmd->slices)
		return false;
	if (!cmd->count || cmd->count > DRM_TESSERA_MAX_INDIRECT)
		return false;
	return !(cmd->va % DRM_TESSERA_PKT_SIZE) &&
	       cmd->va <= TESS_VA_END - (u64)cmd->count * DRM_TESSERA_PKT_SIZE;
}

static struct drm_tessera_cmd *tess_cmds_copy(const struct drm_tessera_array *arr)
{
	struct drm_tessera_cmd *cmds;
	u32 i;

	if (!arr->count)
		return ERR_PTR(-EINVAL);
	cmds = tess_args_array(arr, TESS_MAX_CMDS, struct drm_tessera_cmd, slices);
	if (IS_ERR(cmds))
		return cmds;
	for (i = 0; i < arr->count; i++) {
		if (!tess_cmd_valid(&cmds[i])) {
			kvfree(cmds);
			return ERR_PTR(-EINVAL);
		}
	}
	return cmds;
}

static int tess_submit(struct tess_queue *queue, struct drm_file *file,
		       const struct drm_tessera_submit *args)
{
	struct tess_request req = {
		.cmd_count = args->cmds.count,
		.in_count = args->in_syncs.count,
		.out_count = args->out_syncs.count,
	};
	int ret;

	req.cmds = tess_cmds_copy(&args->cmds);
	if (IS_ERR(req.cmds))
		return PTR_ERR(req.cmds);
	req.ins = tess_syncs_copy(&args->in_syncs);
	if (IS_ERR(req.ins)) {
		ret = PTR_ERR(req.ins);
		goto out_free_cmds;
	}
	req.out_syncs = tess_syncs_copy(&args->out_syncs);
	if (IS_ERR(req.out_syncs)) {
		ret = PTR_ERR(req.out_syncs);
		goto out_free_ins;
	}
	req.outs = tess_outs_create(file, req.out_syncs, req.out_count);
	if (IS_ERR(req.outs)) {
		ret = PTR_ERR(req.outs);
		goto out_free_out_syncs;
	}

	ret = tess_submit_entered(queue, file, &req);
	tess_outs_free(req.outs, req.out_count);
out_free_out_syncs:
	kvfree(req.out_syncs);
out_free_ins:
	kvfree(req.ins);
out_free_cmds:
	kvfree(req.cmds);
	return ret;
}

/**
 * tess_submit_ioctl() - DRM_IOCTL_TESSERA_SUBMIT
 * @drm: device
 * @data: struct drm_tessera_submit
 * @file: open file
 *
 * Return: 0; -EINVAL flags, masks, counts, a command buffer, an in sync without a fence;
 * -E2BIG an element has a part that is not known; -ENOENT no such queue or syncobj; -EIO the
 * queue is dead; -ENXIO its slice was taken away; -EFAULT; -EINTR; -ENOMEM; -ENODEV.
 */
int tess_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_submit *args = data;
	struct tess_queue *queue;
	int ret;

	if (args->flags || args->slices)
		return -EINVAL;
	queue = tess_queue_lookup(to_tess_file(file), args->queue);
	if (!queue)
		return -ENOENT;
	ret = tess_submit(queue, file, args);
	tess_queue_put(queue);
	return ret;
}
