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
 * here: the access is repeated or refused.
 *
 * A client fault stays pending until the client acknowledges it, which a guest may
 * never do. tess_slice.fault_told remembers that the client knows, until the
 * acknowledgment; tess_slice.hw orders the two.
 *
 * A guest that acknowledges and faults in a loop would keep a CPU of the host busy.
 * Above a rate, its faults are handled late; only its own slice waits. Host faults are
 * not limited: each one makes progress, or becomes a client fault.
 */
#include <linux/ratelimit.h>
#include <tessera/compat.h>

#include "fault.h"
#include "gpu.h"
#include "slice.h"
#include "vgpu.h"

/* Client faults of a slice per second that are handled at once, and how late others are */
#define FAULT_BURST		256
#define FAULT_DELAY_MS		20

static struct workqueue_struct *fault_wq;

static bool fault_host_read(struct tess_slice *slice, struct tess_host_fault *hf, u64 *resets)
{
	struct tess_gpu *gpu = slice->gpu;
	const struct tess_backend_ops *ops;
	bool pending;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return false;
	ops = tess_gpu_ops(gpu);
	mutex_lock(&slice->hw);
	pending = ops->host_fault_read && ops->host_fault_read(gpu->be, slice->index, hf);
	*resets = slice->resets;
	mutex_unlock(&slice->hw);
	tess_gpu_exit(gpu, idx);
	return pending;
}

/* A reset in between took the fault away; the one that is pending now is another */
static void fault_host_ack(struct tess_slice *slice, bool resume, u64 resets)
{
	struct tess_gpu *gpu = slice->gpu;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return;
	mutex_lock(&slice->hw);
	if (slice->resets == resets)
		tess_gpu_ops(gpu)->host_fault_ack(gpu->be, slice->index, resume);
	mutex_unlock(&slice->hw);
	tess_gpu_exit(gpu, idx);
}

/* The slice's host fault goes to its client. True: it was handled, there may be another */
static bool fault_host(struct tess_slice *slice, struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_host_fault hf;
	int rc = -EFAULT;
	u64 resets;

	if (!fault_host_read(slice, &hf, &resets))
		return false;
	if (vgpu->ops->host_fault)
		rc = vgpu->ops->host_fault(vgpu, vslice, &hf);
	fault_host_ack(slice, rc == 0, resets);
	return true;
}

/* Client fault that the client was not told of, unless it must wait */
static bool fault_client(struct tess_slice *slice, struct tess_fault *fault)
{
	const unsigned long delay = msecs_to_jiffies(FAULT_DELAY_MS);
	struct tess_gpu *gpu = slice->gpu;
	unsigned long left;
	bool found = false;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return false;
	mutex_lock(&slice->hw);
	left = slice->fault_hold - jiffies;
	if (left && left <= delay) {
		queue_delayed_work(fault_wq, &slice->fault_work, left);
	} else if (!slice->fault_told) {
		found = tess_gpu_ops(gpu)->fault_read(gpu->be, slice->index, fault);
		WRITE_ONCE(slice->fault_told, found);
	}
	mutex_unlock(&slice->hw);
	tess_gpu_exit(gpu, idx);
	return found;
}

static void fault_work(struct work_struct *work)
{
	struct tess_slice *slice = container_of(work, struct tess_slice, fault_work.work);
	struct tess_fault fault;
	struct tess_vgpu *vgpu;
	unsigned int vslice;

	vgpu = tess_vgpu_get_client(slice, &vslice);
	if (!vgpu)
		return;
	if (fault_host(slice, vgpu, vslice))
		queue_delayed_work(fault_wq, &slice->fault_work, 0);
	if (fault_client(slice, &fault)) {
		dev_dbg(&slice->gpu->dev, "slice %u: \"%s\" faulted: cause %u, address %#llx\n",
			slice->index, vgpu->name, fault.cause, fault.addr);
		vgpu->ops->fault(vgpu, vslice, &fault);
	}
	tess_vgpu_put_client(vgpu);
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
 * tess_fault_forget() - the slice was reset
 * @slice: slice, its hw mutex is held
 */
void tess_fault_forget(struct tess_slice *slice)
{
	lockdep_assert_held(&slice->hw);
	slice->resets++;
	WRITE_ONCE(slice->fault_told, false);
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
	lockdep_assert_held(&slice->hw);
	if (!slice->fault_told)
		return;
	if (!__ratelimit(&slice->fault_rate))
		slice->fault_hold = jiffies + msecs_to_jiffies(FAULT_DELAY_MS);
	WRITE_ONCE(slice->fault_told, false);
	queue_delayed_work(fault_wq, &slice->fault_work, 0);
}

void tess_fault_init_slice(struct tess_slice *slice)
{
	INIT_DELAYED_WORK(&slice->fault_work, fault_work);
	slice->fault_hold = jiffies;
	ratelimit_state_init(&slice->fault_rate, HZ, FAULT_BURST);
	/* It bounds work, not messages: report nothing by itself */
	ratelimit_set_flags(&slice->fault_rate, RATELIMIT_MSG_ON_RELEASE);
}

/**
 * tess_fault_stop() - no fault is handled any more
 * @gpu: GPU that is gone: nothing new is queued
 */
void tess_fault_stop(struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++)
		cancel_delayed_work_sync(&gpu->slices[i].fault_work);
}

int tess_fault_init(void)
{
	fault_wq = alloc_workqueue("tessera_fault", WQ_UNBOUND, 0);
	return fault_wq ? 0 : -ENOMEM;
}

void tess_fault_exit(void)
{
	destroy_workqueue(fault_wq);
}
