// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults: from the one fault vector to the client that caused it.
 *
 * DOC: Faults
 *
 * A slice stops at a fault of its client and waits, all others run on. The vector says
 * only that some slice stopped; two mask registers say which. The interrupt's thread
 * reads the masks and queues work for each slice, so that a client that takes long, or
 * a guest that faults in a loop, delays nobody else. As a slice stays stopped until its
 * fault is acknowledged, there is at most one fault of each sort per slice to handle,
 * and no queue that a client could fill.
 *
 * A host fault (stage 2) is resolved by the client's owner and always acknowledged
 * here: the access is repeated or refused. That takes as long as the memory takes to come, so
 * that each vslice has a work item of its own for it, of which none waits for another: memory
 * that is slow is slow for its own vslice only. The owner is not asked about the same fault by
 * anybody else meanwhile (tess_vslice.host_fault). If the vslice shares its
 * slice it waits like one that has nothing to do: others run, and it comes back only when the
 * answer is there, which is given as soon as it is on a slice again, whichever.
 *
 * A client fault stays pending until the client acknowledges it, which a guest may
 * never do. tess_slice.fault_told remembers that the client knows, until the
 * acknowledgment; tess_slice.hw orders the two.
 *
 * Of a slice that is shared, the resident vslice's faults are pending. One that is saved
 * with a client fault which its client was not told of is told from its context
 * (tess_vslice.fault_owed); a host fault becomes pending again when it is back. A reset takes
 * both away, and an answer that comes after that is dropped.
 *
 * A guest that acknowledges and faults in a loop would keep a CPU of the host busy.
 * Above a rate, its faults are handled late; only its own vslice waits. Host faults are
 * not limited: each one makes progress, or becomes a client fault.
 */
#include <linux/ratelimit.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>

#include "access.h"
#include "base/context.h"
#include "base/gpu.h"
#include "fault.h"
#include "look.h"
#include "slice.h"
#include "vgpu.h"

/* Client faults of a vslice per second that are handled at once, and how late others are */
#define FAULT_BURST		256
#define FAULT_DELAY_MS		20

static struct workqueue_struct *fault_wq;
/* What runs there waits for memory of clients */
static struct workqueue_struct *fault_host_wq;
/* Of host faults */
static atomic64_t fault_number;

/**
 * struct tess_fault_news - a fault that a client has to be told of
 * @vgpu: vGPU, counted as one with a running call-back; NULL: there is none
 * @vslice: of which vslice
 * @fault: client fault
 */
struct tess_fault_news {
	struct tess_vgpu *vgpu;
	unsigned int vslice;
	struct tess_fault fault;
};

/* Jiffies until the client may be told of a fault again */
static unsigned long fault_delay(const struct tess_vslice *vs)
{
	unsigned long left = vs->fault_hold - jiffies;

	return left <= msecs_to_jiffies(FAULT_DELAY_MS) ? left : 0;
}

/*
 * Who has a ring is told at once: it may be destroyed as soon as tess_slice.hw is not held. Others
 * are told later, without it. False: nobody is told any more.
 */
static bool fault_note(struct tess_vslice *vs, struct tess_fault_news *news)
{
	if (vs->ring) {
		vs->ring_ops->fault(vs->ring_priv);
		return true;
	}
	if (!tess_vgpu_get(vs->vgpu))
		return false;
	news->vgpu = vs->vgpu;
	news->vslice = vs->index;
	return true;
}

static void fault_read_client(struct tess_slice *slice, struct tess_vslice *vs,
			      struct tess_fault_news *news)
{
	unsigned long left = fault_delay(vs);
	struct tess_gpu *gpu = slice->gpu;
	bool told;

	lockdep_assert_held(&slice->hw);
	if (slice->fault_told)
		return;
	if (left) {
		queue_delayed_work(fault_wq, &slice->fault_work, left);
		return;
	}
	told = tess_gpu_ops(gpu)->fault_read(gpu->be, slice->index, &news->fault) &&
	       fault_note(vs, news);
	WRITE_ONCE(slice->fault_told, told);
}

/* Its owner is asked by the vslice's work, for which the vGPU counts as one with a call-back */
static void fault_queue_host(struct tess_vslice *vs)
{
	if (tess_vgpu_get(vs->vgpu) && mod_delayed_work(fault_host_wq, &vs->host_work, 0))
		tess_vgpu_put_client(vs->vgpu);
}

static void fault_read_host(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_host_fault hf;

	lockdep_assert_held(&slice->hw);
	if (vs->host_fault || !tess_gpu_ops(gpu)->host_fault_read ||
	    !tess_gpu_ops(gpu)->host_fault_read(gpu->be, slice->index, &hf))
		return;
	vs->host_fault = atomic64_inc_return(&fault_number);
	vs->host_wanted = hf;
	fault_queue_host(vs);
	/* Others need not wait for the answer */
	if (tess_slice_takes_turns(slice))
		tess_slice_look(slice);
}

/* Who is on the slice is asked for together with its faults: a moment later it may be another */
static void fault_read(struct tess_slice *slice, struct tess_fault_news *news)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_vslice *vs;
	int idx;

	*news = (struct tess_fault_news){ };
	if (!tess_gpu_enter(gpu, &idx))
		return;
	mutex_lock(&slice->hw);
	vs = tess_slice_resident(slice);
	if (vs) {
		fault_read_host(slice, vs);
		fault_read_client(slice, vs, news);
	}
	mutex_unlock(&slice->hw);
	tess_gpu_exit(gpu, idx);
}

/**
 * tess_fault_resumed() - a vslice is on a slice
 * @slice: slice, its hw mutex is held, inside tess_gpu_enter()
 * @vs: vslice that is resident
 */
void tess_fault_resumed(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;

	lockdep_assert_held(&slice->hw);
	if (vs->host_answer != TESS_HOST_NO_ANSWER)
		tess_gpu_ops(gpu)->host_fault_ack(gpu->be, slice->index,
						  vs->host_answer == TESS_HOST_RESUME);
	vs->host_answer = TESS_HOST_NO_ANSWER;
}

/* What the owner of a vslice is to be asked; false: nothing any more */
static bool fault_wanted(struct tess_vslice *vs, u64 *number, struct tess_host_fault *hf)
{
	struct tess_slice *slice;
	int idx;

	slice = tess_vslice_begin(vs->vgpu, vs->index, &idx);
	if (IS_ERR(slice))
		return false;
	*number = vs->host_fault;
	*hf = vs->host_wanted;
	tess_vslice_end(slice, idx);
	return *number;
}

/* A reset in between took the fault away; one that is pending now is another */
static void fault_answer(struct tess_vslice *vs, u64 number, enum tess_host_answer answer)
{
	struct tess_slice *slice;
	int idx;

	/* Its home may be another one by now */
	slice = tess_vslice_begin(vs->vgpu, vs->index, &idx);
	if (IS_ERR(slice))
		return;
	if (vs->host_fault == number) {
		vs->host_fault = 0;
		vs->host_answer = answer;
		if (tess_vslice_is_resident(vs))
			tess_fault_resumed(slice, vs);
		if (tess_slice_takes_turns(slice))
			tess_slice_look(slice);
	}
	/* There may be another, whose interrupt found this one unanswered */
	queue_delayed_work(fault_wq, &slice->fault_work, 0);
	tess_vslice_end(slice, idx);
}

/* True: the owner wants to be asked again, by this work, which is queued for it */
static bool fault_tell_host(struct tess_vslice *vs)
{
	const struct tess_client_ops *ops = vs->vgpu->ops;
	struct tess_host_fault hf;
	int rc = -EFAULT;
	u64 number;

	if (!fault_wanted(vs, &number, &hf))
		return false;
	if (ops->host_fault)
		rc = ops->host_fault(vs->vgpu, vs->index, &hf);
	/* If it is queued already, for a newer fault, that counts for itself */
	if (rc > 0)
		return queue_delayed_work(fault_host_wq, &vs->host_work, rc);
	fault_answer(vs, number, rc ? TESS_HOST_REFUSE : TESS_HOST_RESUME);
	return false;
}

static void fault_host_work(struct work_struct *work)
{
	struct tess_vslice *vs = container_of(work, struct tess_vslice, host_work.work);

	/* The last that is done: the vGPU may be freed then, and this work with it */
	if (!fault_tell_host(vs))
		tess_vgpu_put_client(vs->vgpu);
}

static void fault_tell_client(struct tess_slice *slice, struct tess_fault_news *news)
{
	if (!news->vgpu)
		return;
	dev_dbg(&slice->gpu->dev, "slice %u: \"%s\" faulted: cause %u, address %#llx\n",
		slice->index, news->vgpu->name, news->fault.cause, news->fault.addr);
	news->vgpu->ops->fault(news->vgpu, news->vslice, &news->fault);
	tess_vgpu_put_client(news->vgpu);
}

/* A parked vslice whose client has to be told now of the fault in its context */
static struct tess_vslice *fault_owed(struct tess_slice *slice)
{
	struct tess_policy_entity *e;
	struct tess_vslice *vs;

	lockdep_assert_held(&slice->hw);
	tess_policy_for_each(e, &slice->rq.policy) {
		vs = to_tess_vslice(e);
		if (!vs->fault_owed || tess_vslice_is_resident(vs))
			continue;
		if (!fault_delay(vs))
			return vs;
		queue_delayed_work(fault_wq, &slice->fault_work, fault_delay(vs));
	}
	return NULL;
}

static bool fault_read_parked(struct tess_slice *slice, struct tess_fault_news *news)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_vslice *vs;
	int idx;

	*news = (struct tess_fault_news){ };
	if (!tess_gpu_enter(gpu, &idx))
		return false;
	mutex_lock(&slice->hw);
	vs = fault_owed(slice);
	if (vs) {
		vs->fault_owed = false;
		vs->fault_told = tess_context_fault(vs->context, &news->fault) &&
				 fault_note(vs, news);
	}
	mutex_unlock(&slice->hw);
	tess_gpu_exit(gpu, idx);
	return vs;
}

static void fault_work(struct work_struct *work)
{
	struct tess_slice *slice = container_of(work, struct tess_slice, fault_work.work);
	struct tess_fault_news news;

	fault_read(slice, &news);
	fault_tell_client(slice, &news);
	while (fault_read_parked(slice, &news))
		fault_tell_client(slice, &news);
}

/**
 * tess_fault_queue() - look for faults of a slice, and of those that share it
 * @slice: slice
 */
void tess_fault_queue(struct tess_slice *slice)
{
	mod_delayed_work(fault_wq, &slice->fault_work, 0);
}

void tess_gpu_fault_irq(struct tess_gpu *gpu)
{
	u64 client, host = 0;
	unsigned int i;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return;
	client = tess_gpu_ops(gpu)->fault_pending(gpu->be);
	if (tess_gpu_ops(gpu)->host_fault_pending)
		host = tess_gpu_ops(gpu)->host_fault_pending(gpu->be);
	for (i = 0; i < gpu->info.slice_count; i++) {
		struct tess_slice *slice = &gpu->slices[i];

		if (host & BIT_ULL(i))
			mod_delayed_work(fault_wq, &slice->fault_work, 0);
		else if ((client & BIT_ULL(i)) && !READ_ONCE(slice->fault_told))
			queue_delayed_work(fault_wq, &slice->fault_work, 0);
	}
	tess_gpu_exit(gpu, idx);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_fault_irq, TESS_NS);

/**
 * tess_fault_drop() - the host fault of a vslice is no more
 * @vs: vslice; the hw mutex of its home is held
 *
 * It was reset, its context is another one, or it leaves its home.
 */
void tess_fault_drop(struct tess_vslice *vs)
{
	vs->host_fault = 0;
	vs->host_answer = TESS_HOST_NO_ANSWER;
}

/**
 * tess_fault_forget() - the slice was reset
 * @slice: slice, its hw mutex is held
 */
void tess_fault_forget(struct tess_slice *slice)
{
	struct tess_vslice *vs = tess_slice_resident(slice);

	lockdep_assert_held(&slice->hw);
	if (vs)
		tess_fault_drop(vs);
	WRITE_ONCE(slice->fault_told, false);
}

/* Too many of them: those that follow are told late */
static void fault_count(struct tess_vslice *vs)
{
	if (!__ratelimit(&vs->fault_rate))
		vs->fault_hold = jiffies + msecs_to_jiffies(FAULT_DELAY_MS);
}

/**
 * tess_fault_acked() - the client acknowledged its fault
 * @slice: slice, its hw mutex is held, after the register write
 *
 * The next fault may be there already and its interrupt may have been ignored because
 * the flag was still set, so the slice is looked at again.
 */
void tess_fault_acked(struct tess_slice *slice)
{
	struct tess_vslice *vs = tess_slice_resident(slice);

	lockdep_assert_held(&slice->hw);
	if (!slice->fault_told)
		return;
	if (vs)
		fault_count(vs);
	WRITE_ONCE(slice->fault_told, false);
	queue_delayed_work(fault_wq, &slice->fault_work, 0);
}

/**
 * tess_fault_acked_parked() - the fault in the context of a vslice is no more
 * @slice: its home, the hw mutex is held
 * @vs: vslice that is parked
 */
void tess_fault_acked_parked(struct tess_slice *slice, struct tess_vslice *vs)
{
	lockdep_assert_held(&slice->hw);
	if (vs->fault_told)
		fault_count(vs);
	vs->fault_told = false;
	vs->fault_owed = false;
}

void tess_fault_init_slice(struct tess_slice *slice)
{
	INIT_DELAYED_WORK(&slice->fault_work, fault_work);
}

void tess_fault_init_vslice(struct tess_vslice *vs)
{
	INIT_DELAYED_WORK(&vs->host_work, fault_host_work);
	vs->fault_hold = jiffies;
	ratelimit_state_init(&vs->fault_rate, HZ, FAULT_BURST);
	/* It bounds work, not messages: report nothing by itself */
	ratelimit_set_flags(&vs->fault_rate, RATELIMIT_MSG_ON_RELEASE);
}

/**
 * tess_fault_stop() - no fault is read any more
 * @gpu: GPU that is gone: nothing new is queued
 *
 * Owners that are bringing memory just now are not waited for: their answers find no GPU.
 */
void tess_fault_stop(struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++)
		cancel_delayed_work_sync(&gpu->slices[i].fault_work);
}

int tess_fault_init(void)
{
	/*
	 * As the scheduler's: else turns are over before anybody asks why nothing runs. And
	 * fences of jobs that faulted wait for it.
	 */
	fault_wq = alloc_workqueue("tessera_fault", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM, 0);
	if (!fault_wq)
		return -ENOMEM;
	/* As many at once as there can be: those that wait hold nobody up */
	fault_host_wq = alloc_workqueue("tessera_host_fault", WQ_UNBOUND | WQ_HIGHPRI,
					WQ_MAX_ACTIVE);
	if (fault_host_wq)
		return 0;
	destroy_workqueue(fault_wq);
	return -ENOMEM;
}

void tess_fault_exit(void)
{
	destroy_workqueue(fault_host_wq);
	destroy_workqueue(fault_wq);
}
