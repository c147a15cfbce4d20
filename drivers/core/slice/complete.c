// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion router: one interrupt vector, many clients.
 *
 * DOC: Completion router
 *
 * The GPU has one completion vector and does not say whose work is complete. It writes
 * the sequence number of each FENCE into the client's completion record, which lies in
 * memory shared with the host, and raises the vector if the number passed the client's
 * event index. The router looks at the record of every resident vslice and calls the
 * clients whose number passed their index. On this *page* route it makes no access to
 * the device: with n clients the cost is n reads of memory that is in the cache.
 *
 * Rings of clients in the kernel have no record that the core knows of: the back-end says how far
 * a ring is (ring_completed()), and the index is the number that the core gave to ring_arm(). No
 * file of the core but this one knows the format of a record, and the rule of the index is in
 * route_passed() alone.
 *
 * The *register* route asks the status register of each slice instead, which costs a
 * round trip to the device for each. It exists to be compared with the page route, which is
 * also that of a GPU that cannot be asked.
 *
 * Nothing is lost on the page route. The GPU writes seq, then (full barrier) reads
 * event; it interrupts if event is in (old, new]. A client writes event, then (full
 * barrier) reads seq again. So either the client sees the new seq by itself, or the GPU
 * saw the new event and interrupts. The router keeps @seen, the last seq that it saw,
 * and has to call complete() if event is in (seen, seq]:
 *
 * - It reads seq, then (full barrier) event. If it finds an event that is older than
 *   the client's newest, the client wrote the newest after that, reads seq after that,
 *   and therefore finds at least the seq that the router saw. If it read them in the
 *   other order, it could note a new seq as seen together with an old event, while the
 *   client still found the old seq: the interrupt for the new event would then be taken
 *   for one that was handled.
 * - An interrupt that arrives while the router runs is delivered after it: the router
 *   runs again and looks at all records again.
 * - @seen starts at the slice's FENCE_SEQ, from which the GPU counts too, not at what
 *   the page says: a page with an old number would hide the first completions. It
 *   starts again at 0 when the client resets the vslice.
 *
 * A vslice that shares its slice keeps its record and @seen while it is parked. The record
 * is looked at once more after the vslice was saved, when nothing is written to it any
 * more, and again when the vslice is back: the GPU may have interrupted before the router
 * knew.
 *
 * It may call complete() once too often, for instance when it runs for another client
 * just before this client's interrupt; clients must bear that.
 *
 * A record belongs to the client and its content is hostile. It decides about
 * nothing but whether complete() of this very client is called, at most once per
 * interrupt, and what its profile says of its pictures and operations.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>

#include "base/gpu.h"
#include "complete.h"
#include "slice.h"
#include "trace.h"
#include "vgpu.h"

static bool route_by_register;

static int route_param_set(const char *val, const struct kernel_param *kp)
{
	if (sysfs_streq(val, "page"))
		WRITE_ONCE(route_by_register, false);
	else if (sysfs_streq(val, "register"))
		WRITE_ONCE(route_by_register, true);
	else
		return -EINVAL;
	return 0;
}

static int route_param_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", READ_ONCE(route_by_register) ? "register" : "page");
}

static const struct kernel_param_ops route_param_ops = {
	.set = route_param_set,
	.get = route_param_get,
};
module_param_cb(route, &route_param_ops, NULL, 0644);
MODULE_PARM_DESC(route, "how completions find their client: page (default) or register");

static const struct tess_route_source route_nowhere;

static bool route_is_somewhere(const struct tess_route_source *source)
{
	return source->rec || source->ring;
}

/* On return the old source is looked at no more */
static void route_set(struct tess_slice *slice, struct tess_vslice *vs,
		      const struct tess_route_source *source, u64 seen)
{
	unsigned long flags;

	spin_lock_irqsave(&slice->route_lock, flags);
	slice->source = *source;
	slice->route = vs;
	slice->seen = seen;
	spin_unlock_irqrestore(&slice->route_lock, flags);
}

/**
 * tess_route_clear() - nobody is told of completions of a slice
 * @slice: slice
 *
 * On return no complete() call-back for it runs.
 */
void tess_route_clear(struct tess_slice *slice)
{
	route_set(slice, NULL, &route_nowhere, 0);
}

/**
 * tess_route_restart() - sequence numbers start again
 * @slice: slice that was reset by its client
 */
void tess_route_restart(struct tess_slice *slice)
{
	unsigned long flags;

	spin_lock_irqsave(&slice->route_lock, flags);
	slice->seen = 0;
	spin_unlock_irqrestore(&slice->route_lock, flags);
}

static u64 route_completed(const struct tess_slice *slice)
{
	const struct tess_route_source *source = &slice->source;

	if (source->ring)
		return tess_gpu_ops(slice->gpu)->ring_completed(source->ring);
	return le64_to_cpu(READ_ONCE(source->rec->seq));
}

static u64 route_event(const struct tess_route_source *source)
{
	return source->ring ? READ_ONCE(source->ring->event) :
			      le64_to_cpu(READ_ONCE(source->rec->event));
}

/* Did the number pass the event index since it was seen last? */
static bool route_passed(struct tess_slice *slice)
{
	u64 seq, step;

	lockdep_assert_held(&slice->route_lock);
	if (!route_is_somewhere(&slice->source))
		return false;
	seq = route_completed(slice);
	step = seq - slice->seen;
	if (!step)
		return false;
	/* The other side is a device or a client on another CPU, also if !SMP */
	virt_mb();
	slice->seen = seq;
	return seq - route_event(&slice->source) < step;
}

static void route_tell(struct tess_slice *slice, u64 seq)
{
	struct tess_vslice *vs = slice->route;

	lockdep_assert_held(&slice->route_lock);
	trace_tess_complete(slice, vs->vgpu, vs->index, seq);
	if (vs->ring)
		vs->ring_ops->complete(vs->ring_priv);
	else
		vs->vgpu->ops->complete(vs->vgpu, vs->index);
}

static void route_slice(struct tess_slice *slice, bool by_register)
{
	unsigned long flags;

	spin_lock_irqsave(&slice->route_lock, flags);
	if (!by_register && route_passed(slice))
		route_tell(slice, slice->seen);
	else if (by_register && route_is_somewhere(&slice->source) &&
		 tess_gpu_ops(slice->gpu)->completion_take(slice->gpu->be, slice->index))
		route_tell(slice, 0);
	spin_unlock_irqrestore(&slice->route_lock, flags);
}

/**
 * tess_route_exchange() - another vslice is on the slice
 * @slice: slice
 * @out: vslice that was on it, saved; or NULL
 * @in: vslice that is on it, or NULL
 *
 * tess_gpu.lock is held, with interrupts on.
 */
void tess_route_exchange(struct tess_slice *slice, struct tess_vslice *out,
			 struct tess_vslice *in)
{
	unsigned long flags;

	lockdep_assert_held(&slice->gpu->lock);
	spin_lock_irqsave(&slice->route_lock, flags);
	if (route_passed(slice))
		route_tell(slice, slice->seen);
	if (out)
		out->seen = slice->seen;
	slice->source = in ? in->source : route_nowhere;
	slice->route = in;
	slice->seen = in ? in->seen : 0;
	if (route_passed(slice))
		route_tell(slice, slice->seen);
	spin_unlock_irqrestore(&slice->route_lock, flags);
}

/**
 * tess_route_attach() - where to look for the completions of a vslice
 * @slice: its slice, the hw mutex is held
 * @vs: vslice, resident or parked
 * @source: there
 * @seen: its last sequence number
 */
void tess_route_attach(struct tess_slice *slice, struct tess_vslice *vs,
		       const struct tess_route_source *source, u64 seen)
{
	struct tess_gpu *gpu = slice->gpu;

	lockdep_assert_held(&slice->hw);
	spin_lock(&gpu->lock);
	vs->source = *source;
	vs->seen = seen;
	if (tess_vslice_is_resident(vs))
		route_set(slice, vs, source, seen);
	spin_unlock(&gpu->lock);
}

/**
 * tess_route_detach() - look for the completions of a vslice no more
 * @gpu: its GPU
 * @vs: vslice, resident, parked or without slice; its vGPU need not be there any more
 *
 * On return its record or ring is looked at no more. No spinlock but those of the caller's own.
 */
void tess_route_detach(struct tess_gpu *gpu, struct tess_vslice *vs)
{
	spin_lock(&gpu->lock);
	vs->source = route_nowhere;
	if (vs->slice && tess_vslice_is_resident(vs))
		tess_route_clear(vs->slice);
	spin_unlock(&gpu->lock);
}

/**
 * tess_route_hints() - what a client says of its work in its completion record
 * @gpu: its GPU
 * @vs: vslice, resident or parked
 * @frames: pictures that are complete: any number, as the following; each record starts anew
 * @operations: operations that were asked for
 *
 * Process context, tess_gpu.lock is not held.
 *
 * Return: false if it has no record now; nothing is written.
 */
bool tess_route_hints(struct tess_gpu *gpu, struct tess_vslice *vs, u64 *frames, u64 *operations)
{
	const struct tess_completion_record *rec;

	spin_lock(&gpu->lock);
	rec = vs->source.rec;
	if (rec) {
		*frames = le64_to_cpu(READ_ONCE(rec->frames));
		*operations = le64_to_cpu(READ_ONCE(rec->operations));
	}
	spin_unlock(&gpu->lock);
	return rec;
}

void tess_gpu_completion_irq(struct tess_gpu *gpu)
{
	bool by_register = READ_ONCE(route_by_register) && tess_gpu_ops(gpu)->completion_take;
	unsigned int i;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return;
	for (i = 0; i < gpu->info.slice_count; i++)
		route_slice(&gpu->slices[i], by_register);
	tess_gpu_exit(gpu, idx);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_completion_irq, TESS_NS);
