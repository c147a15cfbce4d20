// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: submission
 *
 * SUBMIT chooses slices, makes a job of each command buffer, gives them what they have to wait for,
 * puts a fence of all of them into the out syncs and queues them. All that can
 * fail comes before the first job is armed; nothing after that may. User memory, which may take
 * for ever to come, is read before drm_dev_enter(): an unplug waits for what is inside.
 *
 * An in sync of the same queue needs no waiting: jobs of a queue run in order. So a
 * chain of jobs that a program makes explicit still runs back to back. Jobs of one SUBMIT run in
 * order, too, on one slice, unless the program says that they need not.
 */
#include <linux/dma-fence.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <drm/tessera_drm.h>
#include "base/args.h"
#include "base/device.h"
#include "base/sync.h"
#include "job/fence.h"
#include "job/gate.h"
#include "job/jobs.h"
#include "job/lane.h"
#include "job/queue_state.h"
#include "mem/validate.h"
#include "mem/vm.h"
#include "place.h"
#include "queue.h"
#include "submit.h"

/**
 * struct tess_request - what a SUBMIT asks for, in memory of the kernel
 * @parallel: command buffers may run side by side
 * @slices: where; 0: on any that the queue has
 * @cmds: command buffers
 * @cmd_count: number of them
 * @ins: what to wait for
 * @in_count: number of them
 * @out_syncs: what to signal
 * @outs: the same, looked up
 * @out_count: number of them
 * @frames: hint, as the following
 * @operations: hint
 */
struct tess_request {
	bool parallel;
	u64 slices;
	struct drm_tessera_cmd *cmds;
	u32 cmd_count;
	struct drm_tessera_sync *ins;
	u32 in_count;
	struct drm_tessera_sync *out_syncs;
	struct tess_out *outs;
	u32 out_count;
	u32 frames;
	u64 operations;
};

/**
 * struct tess_batch - the jobs of a SUBMIT
 * @req: what it asks for
 * @out: fence of all of them, owned until they are pushed
 * @where: slices that they are sent to
 * @jobs: one for each command buffer
 */
struct tess_batch {
	const struct tess_request *req;
	struct tess_out_fence *out;
	struct tess_entity **where;
	struct tess_submit **jobs;
};

static struct tess_submit *tess_submit_create(struct tess_queue *queue, struct drm_file *file,
					      struct tess_entity *entity,
					      const struct drm_tessera_cmd *cmd)
{
	struct tess_submit *submit;
	int ret = -ENOMEM;

	submit = kzalloc(sizeof(*submit), GFP_KERNEL_ACCOUNT);
	if (!submit)
		return ERR_PTR(-ENOMEM);
	submit->fence = tess_fence_alloc();
	if (!submit->fence)
		goto err_free;

	INIT_LIST_HEAD(&submit->link);
	submit->job.as = queue->vm->as;
	submit->job.cmd = cmd->va;
	submit->job.count = cmd->count;

	ret = drm_sched_job_init(&submit->base, &entity->base, 1, NULL, file->client_id);
	if (ret)
		goto err_free_fence;
	kref_get(&queue->ref);
	submit->queue = queue;
	submit->lane = entity->lane;
	return submit;

err_free_fence:
	tess_fence_free(submit->fence);
err_free:
	kfree(submit);
	return ERR_PTR(ret);
}

/* ---- where its jobs run ---- */

/* All on one slice, in order */
static int tess_batch_place_one(struct tess_batch *batch, struct tess_queue *queue)
{
	u64 slices = batch->req->slices ?: queue->slices;
	struct tess_entity *entity;
	u32 i;

	entity = tess_queue_place(queue, slices, NULL);
	if (IS_ERR(entity))
		return PTR_ERR(entity);
	for (i = 0; i < batch->req->cmd_count; i++)
		batch->where[i] = entity;
	return 0;
}

/* Side by side, as far as there are slices */
static int tess_batch_place_all(struct tess_batch *batch, struct tess_queue *queue)
{
	u64 slices = batch->req->slices ?: queue->slices;
	u8 taken[TESS_MAX_SLICES] = {};
	struct tess_entity *entity;
	u32 i;

	static_assert(TESS_MAX_CMDS <= U8_MAX);
	for (i = 0; i < batch->req->cmd_count; i++) {
		entity = tess_queue_place(queue, batch->req->cmds[i].slices ?: slices, taken);
		if (IS_ERR(entity))
			return PTR_ERR(entity);
		batch->where[i] = entity;
		taken[entity->lane->lanes->vslice]++;
	}
	return 0;
}

static int tess_batch_place(struct tess_batch *batch, struct tess_queue *queue)
{
	u32 i;

	lockdep_assert_held(&queue->lock);
	if (queue->killed)
		return -ENOENT;
	if (batch->req->slices & ~queue->slices)
		return -EINVAL;
	for (i = 0; i < batch->req->cmd_count; i++)
		if (batch->req->cmds[i].slices & ~queue->slices)
			return -EINVAL;
	if (tess_queue_is_dead(queue))
		return -EIO;
	return batch->req->parallel ? tess_batch_place_all(batch, queue) :
				      tess_batch_place_one(batch, queue);
}

/* ---- what they wait for ---- */

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

/* An entity keeps the order of its jobs; elsewhere they have to wait for what came before */
static int tess_submit_add_last(struct tess_submit *submit, const struct tess_entity *entity)
{
	struct tess_queue *queue = submit->queue;

	if (!queue->last || queue->last_entity == entity)
		return 0;
	return drm_sched_job_add_dependency(&submit->base, dma_fence_get(queue->last));
}

static int tess_submit_wait_as(struct tess_submit *submit, struct tess_submit *first)
{
	struct dma_fence *fence;
	unsigned long i;
	int ret;

	xa_for_each(&first->base.dependencies, i, fence) {
		ret = drm_sched_job_add_dependency(&submit->base, dma_fence_get(fence));
		if (ret)
			return ret;
	}
	return 0;
}

static int tess_batch_add_dependencies(struct tess_batch *batch, struct drm_file *file)
{
	const struct tess_request *req = batch->req;
	u32 i;
	int ret;

	ret = tess_submit_add_ins(batch->jobs[0], file, req->ins, req->in_count);
	/* What is said once is looked up once: a syncobj may have another fence by now */
	for (i = 1; !ret && req->parallel && i < req->cmd_count; i++)
		ret = tess_submit_wait_as(batch->jobs[i], batch->jobs[0]);
	for (i = 0; !ret && i < req->cmd_count; i++)
		ret = tess_submit_add_last(batch->jobs[i], batch->where[i]);
	return ret;
}

/* ---- the way to the scheduler ---- */

/* Not dead and not taken away, or counted: both at the same time as the slice's lanes close */
static int tess_submit_admit(struct tess_submit *submit)
{
	struct tess_lane *lane = submit->lane;
	int ret = 0;

	spin_lock_irq(&lane->lock);
	if (tess_queue_is_dead(submit->queue))
		ret = -EIO;
	else if (!tess_lane_admit_locked(lane))
		ret = -ENXIO;
	spin_unlock_irq(&lane->lock);
	submit->pushed = !ret;
	return ret;
}

static void tess_batch_discard(struct tess_batch *batch, u32 count)
{
	while (count--) {
		drm_sched_job_cleanup(&batch->jobs[count]->base);
		tess_submit_free(batch->jobs[count]);
	}
	tess_out_fence_free(batch->out);
}

/* A job for each command buffer */
static int tess_batch_prepare(struct tess_batch *batch, struct tess_queue *queue,
			      struct drm_file *file)
{
	u32 count = batch->req->cmd_count, made, i;
	int ret;

	batch->out = tess_out_fence_alloc(count);
	if (!batch->out)
		return -ENOMEM;
	for (made = 0; made < count; made++) {
		struct tess_submit *submit;

		submit = tess_submit_create(queue, file, batch->where[made],
					    &batch->req->cmds[made]);
		if (IS_ERR(submit)) {
			ret = PTR_ERR(submit);
			goto err_discard;
		}
		submit->cmd = made;
		batch->jobs[made] = submit;
	}
	batch->jobs[count - 1]->job.frames = batch->req->frames;
	batch->jobs[count - 1]->job.operations = batch->req->operations;
	ret = tess_batch_add_dependencies(batch, file);
	for (i = 0; !ret && i < count; i++)
		ret = tess_submit_admit(batch->jobs[i]);
	if (ret)
		goto err_discard;
	return 0;

err_discard:
	tess_batch_discard(batch, made);
	return ret;
}

/* Where all of a SUBMIT is; NULL: on several slices */
static struct tess_entity *tess_batch_entity(const struct tess_batch *batch)
{
	u32 i;

	for (i = 1; i < batch->req->cmd_count; i++)
		if (batch->where[i] != batch->where[0])
			return NULL;
	return batch->where[0];
}

/* Nothing fails any more. Jobs may be over and freed as soon as they are pushed */
static void tess_batch_push(struct tess_batch *batch, struct tess_queue *queue,
			    struct drm_gpuvm_exec *exec)
{
	const struct tess_request *req = batch->req;
	bool signalling = dma_fence_begin_signalling();
	struct tess_out_fence *out = batch->out;
	u32 i;

	tess_out_fence_init(out, queue->out_context, ++queue->out_seqno);
	for (i = 0; i < req->cmd_count; i++) {
		batch->jobs[i]->number = queue->out_seqno;
		drm_sched_job_arm(&batch->jobs[i]->base);
		tess_out_fence_follow(out, i, &batch->jobs[i]->base.s_fence->finished);
	}
	tess_outs_attach(req->outs, req->out_count, &out->base);
	tess_vm_add_job(exec, &out->base);
	for (i = 0; i < req->cmd_count; i++)
		drm_sched_entity_push_job(&batch->jobs[i]->base);
	dma_fence_end_signalling(signalling);

	dma_fence_put(queue->last);
	queue->last = &out->base;
	queue->last_entity = tess_batch_entity(batch);
}

static int tess_batch_run(struct tess_batch *batch, struct tess_queue *queue,
			  struct drm_file *file)
{
	struct drm_gpuvm_exec exec;
	int ret;

	ret = tess_batch_place(batch, queue);
	if (ret)
		return ret;
	ret = tess_vm_lock_for_job(queue->vm, &exec);
	if (ret)
		return ret;
	ret = tess_batch_prepare(batch, queue, file);
	if (!ret)
		tess_batch_push(batch, queue, &exec);
	drm_gpuvm_exec_unlock(&exec);
	return ret;
}

static int tess_submit_locked(struct tess_queue *queue, struct drm_file *file,
			      const struct tess_request *req)
{
	struct tess_batch batch = { .req = req };
	int ret = -ENOMEM;

	batch.where = kmalloc_array(req->cmd_count, sizeof(*batch.where), GFP_KERNEL);
	batch.jobs = kmalloc_array(req->cmd_count, sizeof(*batch.jobs), GFP_KERNEL);
	if (batch.where && batch.jobs)
		ret = tess_batch_run(&batch, queue, file);
	kfree(batch.jobs);
	kfree(batch.where);
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

static bool tess_cmd_valid(const struct drm_tessera_cmd *cmd, bool parallel, u64 va_end)
{
	if (cmd->flags || (cmd->slices && !parallel))
		return false;
	if (!cmd->count || cmd->count > DRM_TESSERA_MAX_INDIRECT)
		return false;
	return !(cmd->va % DRM_TESSERA_PKT_SIZE) && cmd->va < va_end &&
	       (u64)cmd->count * DRM_TESSERA_PKT_SIZE <= va_end - cmd->va;
}

static struct drm_tessera_cmd *tess_cmds_copy(const struct drm_tessera_array *arr, bool parallel,
					      u64 va_end)
{
	struct drm_tessera_cmd *cmds;
	u32 i;

	if (!arr->count)
		return ERR_PTR(-EINVAL);
	cmds = tess_args_array(arr, TESS_MAX_CMDS, struct drm_tessera_cmd, slices);
	if (IS_ERR(cmds))
		return cmds;
	for (i = 0; i < arr->count; i++) {
		if (!tess_cmd_valid(&cmds[i], parallel, va_end)) {
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
		.parallel = args->flags & DRM_TESSERA_SUBMIT_PARALLEL,
		.slices = args->slices,
		.cmd_count = args->cmds.count,
		.in_count = args->in_syncs.count,
		.out_count = args->out_syncs.count,
		.frames = args->frames,
		.operations = args->operations,
	};
	int ret;

	req.cmds = tess_cmds_copy(&args->cmds, req.parallel,
				  to_tess_device(queue->vm->base.drm)->info.va_end);
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
 * Return: 0; -EINVAL flags, padding, masks, counts, a command buffer, an in sync without a fence;
 * -E2BIG an element has a part that is not known; -ENOENT no such queue or syncobj; -EIO the
 * queue is dead; -ENXIO all of its slices were taken away, or those that were asked for; -EFAULT;
 * -EINTR; -ENOMEM; -ENODEV.
 */
int tess_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct drm_tessera_submit *args = data;
	struct tess_queue *queue;
	int ret;

	if (args->flags & ~DRM_TESSERA_SUBMIT_PARALLEL || args->pad)
		return -EINVAL;
	queue = tess_queue_lookup(to_tess_file(file), args->queue);
	if (!queue)
		return -ENOENT;
	ret = tess_submit(queue, file, args);
	tess_queue_put(queue);
	return ret;
}
