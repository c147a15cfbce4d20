// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switching: one client of a slice is parked, another goes on.
 *
 * DOC: Switching
 *
 * The GPU exchanges the clients in one operation, so that the slice stands still for
 * some hundred cycles only. What the host has to do is on both sides of it:
 *
 * 1. The doorbell of the one that leaves becomes unreachable (parked()). A store that
 *    was made before is in its context; one that is made later is caught by its owner,
 *    who calls tess_vslice_wake().
 * 2. The operation.
 * 3. What the saved context says is noted: packets left, cycles to charge, a fault
 *    that its client was not told of. Its completion record is looked at once more, for
 *    what it completed in its last moments.
 * 4. The owner of the slice changes, for faults and completions that arrive from now
 *    on. The record of the one that comes is looked at, because it runs already.
 * 5. Its doorbell becomes reachable (resumed()), stores that were caught are passed on, a
 *    host fault is answered, and registers are written that its client wants to write.
 *
 * A client that does not stop in time loses its packet: what its registers say becomes
 * its context, with a fault in place of the packet, and the slice is reset. The clients
 * that are parked have nothing on the slice and lose nothing. One whose saved context the
 * GPU does not accept loses its packet in the same way.
 */
#include <drm/tessera_packet.h>
#include <tessera/gpu.h>

#include "account.h"
#include "analyzer.h"
#include "base/context.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "ring.h"
#include "run.h"
#include "slice/complete.h"
#include "slice/fault.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "turn.h"

/* Switches in a row that may fail for no good reason */
#define SWITCH_MAX_FAILURES	3

static void switch_park(struct tess_vslice *vs)
{
	struct tess_gpu *gpu = vs->vgpu->gpu;

	spin_lock(&gpu->lock);
	WRITE_ONCE(vs->parked, true);
	spin_unlock(&gpu->lock);
	if (vs->ring)
		tess_ring_parked(vs->ring);
	else
		vs->vgpu->ops->parked(vs->vgpu, vs->index);
}

/* The client of a vGPU may store to the doorbell again; what it stored meanwhile is passed on */
static void switch_tell_resumed(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;
	u64 wptr = 0;

	/* A store that is caught from here on is seen by resumed() */
	WRITE_ONCE(vs->sched.woken, false);
	if (vs->ring)
		tess_ring_resumed(vs->ring);
	else if (vs->vgpu->ops->resumed(vs->vgpu, vs->index, &wptr))
		tess_gpu_ops(gpu)->kick(gpu->be, slice->index, wptr);
}

static void switch_resume(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;

	/* Before the client can store anything newer */
	if (vs->sched.kicked)
		tess_gpu_ops(gpu)->kick(gpu->be, slice->index, vs->sched.kick);
	vs->sched.kicked = false;
	spin_lock(&gpu->lock);
	WRITE_ONCE(vs->parked, false);
	spin_unlock(&gpu->lock);
	switch_tell_resumed(slice, vs);
	tess_fault_resumed(slice, vs);
	tess_turn_run(slice, vs);
}

/* Faults and completions are those of @next from now on */
static void switch_set_resident(struct tess_slice *slice, struct tess_vslice *out,
				struct tess_vslice *next)
{
	struct tess_gpu *gpu = slice->gpu;
	bool look = slice->fault_told;

	lockdep_assert_held(&slice->hw);
	if (out)
		out->fault_told = slice->fault_told;
	spin_lock(&gpu->lock);
	tess_slice_set_resident(slice, next);
	tess_route_exchange(slice, out, next);
	spin_unlock(&gpu->lock);
	WRITE_ONCE(slice->fault_told, next && next->fault_told);
	/* The vector may have been raised for @next and been taken for the other's fault */
	if (look || (next && next->fault_owed) || (out && out->fault_owed))
		tess_fault_queue(slice);
	if (next)
		next->fault_owed = false;
}

/* What the context says that was just saved */
static void switch_saved(struct tess_slice *slice, struct tess_vslice *out, u64 time,
			 enum tess_out_reason reason)
{
	struct tess_sched_entity *se = &out->sched;
	u64 counters[TESS_COUNTS] = { 0 };
	struct tess_fault fault;

	tess_context_counters(out->context, counters);
	se->has_work = tess_context_has_work(out->context);
	out->fault_owed = !slice->fault_told && tess_context_fault(out->context, &fault);
	tess_sched_charge(slice, out, time, counters[TESS_COUNT_BUSY],
			  reason == TESS_OUT_IDLE || reason == TESS_OUT_FAULT);
	if (!out->ring)
		tess_analyze_sample(slice, out->vgpu, out->index, time, counters, se->wait_cycles,
				    tess_context_value(out->context, TESS_CLIENT_QUEUE));
	/* It may have got work since it was found idle, or have done its last */
	if (tess_sched_wants(out)) {
		se->wait_since = time;
		tess_policy_wake(&slice->rq.policy, &se->policy);
	} else {
		tess_policy_sleep(&slice->rq.policy, &se->policy);
	}
	trace_tess_save(slice, out->vgpu, out->index, time, tess_context_hw(out->context)->used);
	trace_tess_sched_out(slice, out->vgpu, out->index, time, se->run_cycles - se->in_cycles,
			     reason);
}

static void switch_restored(struct tess_slice *slice, struct tess_vslice *next, u64 time)
{
	struct tess_sched_entity *se = &next->sched;
	u64 waited = se->wait_since && time > se->wait_since ? time - se->wait_since : 0;

	se->wait_since = 0;
	se->wait_cycles += waited;
	se->in_cycles = se->run_cycles;
	se->switches++;
	slice->rq.switches++;
	slice->rq.turn_start = time;
	slice->rq.charged_at = time;
	if (tess_slice_takes_turns(slice))
		tess_policy_start(&slice->rq.policy, &se->policy);
	trace_tess_restore(slice, next->vgpu, next->index, time,
			   tess_context_hw(next->context)->used);
	trace_tess_sched_in(slice, next->vgpu, next->index, time, waited);
	switch_resume(slice, next);
}

/* The context is no good, and there is no other: its client is told */
static void switch_drop(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;

	dev_notice_ratelimited(&gpu->dev, "slice %u: the context of \"%s\" is damaged, its work is dropped\n",
			       slice->index, vs->vgpu->name);
	if (tess_gpu_switch_ops(gpu)->lose(gpu->be, slice->index, tess_context_hw(vs->context),
					   DRM_TESSERA_CAUSE_CONTEXT_LOST))
		tess_context_clear(vs->context);
	vs->fault_told = false;
	vs->fault_owed = true;
	tess_fault_drop(vs);
	tess_fault_queue(slice);
	vs->sched.lost++;
	vs->sched.has_work = false;
	vs->sched.busy = 0;
	tess_policy_sleep(&slice->rq.policy, &vs->sched.policy);
}

/* @out did not stop: its packet is lost, and its owner is told so. -EALREADY: it did in the end */
static int switch_capture(struct tess_slice *slice, struct tess_vslice *out)
{
	struct tess_gpu *gpu = slice->gpu;
	u64 time = tess_gpu_ops(gpu)->time(gpu->be);
	int rc;

	rc = tess_gpu_switch_ops(gpu)->capture(gpu->be, slice->index,
					       tess_context_hw(out->context),
					       DRM_TESSERA_CAUSE_NOT_PREEMPTED);
	if (rc == -EALREADY)
		return rc;
	if (rc)
		tess_context_clear(out->context);
	tess_fault_drop(out);
	slice->rq.timeouts++;
	out->sched.lost++;
	WRITE_ONCE(slice->fault_told, false);
	switch_saved(slice, out, time, TESS_OUT_TIMEOUT);
	return 0;
}

/* The slice has nobody on it afterwards, and is as after power-on */
static int switch_reset(struct tess_slice *slice, struct tess_vslice *out)
{
	struct tess_gpu *gpu = slice->gpu;
	int rc;

	if (out && switch_capture(slice, out) == -EALREADY)
		return -EALREADY;
	switch_set_resident(slice, out, NULL);
	slice->rq.armed = false;
	rc = tess_slice_reset(slice);
	if (rc == -EIO || ++slice->rq.failures > SWITCH_MAX_FAILURES)
		tess_slice_give_up(slice);
	if (!out)
		return 0;
	/* A console may be slow, and the switch still end until the reset */
	dev_notice_ratelimited(&gpu->dev, "slice %u: \"%s\" did not stop in time, its work is dropped\n",
			       slice->index, out->vgpu->name);
	/* Only now nothing is written to its record any more */
	spin_lock(&gpu->lock);
	tess_route_exchange(slice, NULL, out);
	tess_route_exchange(slice, out, NULL);
	spin_unlock(&gpu->lock);
	return 0;
}

/* -EALREADY: what was given up has ended, and is to be asked for again */
static int switch_failed(struct tess_slice *slice, struct tess_vslice *out,
			 struct tess_vslice *next, int rc)
{
	switch (rc) {
	case -ENODEV:
		return 0;
	case -EBADMSG:
		if (next)
			switch_drop(slice, next);
		if (out)
			switch_resume(slice, out);
		return 0;
	default:
		return switch_reset(slice, out);
	}
}

static bool switch_others(const struct tess_slice *slice, const struct tess_vslice *next)
{
	const struct tess_policy_entity *e;

	tess_policy_for_each(e, &slice->rq.policy)
		if (e->runnable && e != &next->sched.policy)
			return true;
	return false;
}

static void switch_describe(struct tess_slice *slice, struct tess_vslice *out,
			    struct tess_vslice *next, struct tess_hw_switch *sw)
{
	struct tess_runq *rq = &slice->rq;

	*sw = (struct tess_hw_switch){
		.save = out ? tess_context_hw(out->context) : NULL,
		.timeout = tess_sched_cycles(slice->gpu, rq->timeout_us),
		.timer = tess_policy_timer(&rq->policy, next ? &next->sched.policy : NULL, 0,
					   rq->now),
	};
	if (!next)
		return;
	sw->restore = tess_context_hw(next->context);
	sw->setup = next->setup;
	sw->stage2 = next->stage2 ? tess_as_hw(next->stage2) : NULL;
	/* One that has still to be told of its work would be reported as idle at once */
	sw->notify_idle = next->sched.has_work && switch_others(slice, next);
}

/**
 * tess_switch_forget() - the GPU forgot who is on a slice
 * @slice: slice, its hw mutex held, inside tess_gpu_enter()
 *
 * No client is on the slice afterwards. The fault of the one that was is told when the GPU is back.
 */
void tess_switch_forget(struct tess_slice *slice)
{
	struct tess_vslice *out = tess_slice_resident(slice);
	struct tess_gpu *gpu = slice->gpu;

	slice->rq.armed = false;
	if (!out)
		return;
	switch_park(out);
	tess_gpu_switch_ops(gpu)->forget(gpu->be, slice->index, tess_context_hw(out->context),
					 DRM_TESSERA_CAUSE_CONTEXT_LOST);
	tess_fault_drop(out);
	WRITE_ONCE(slice->fault_told, false);
	out->sched.lost++;
	out->sched.has_work = false;
	out->sched.busy = tess_context_value(out->context, TESS_CLIENT_BUSY);
	tess_policy_sleep(&slice->rq.policy, &out->sched.policy);
	switch_set_resident(slice, out, NULL);
	out->fault_owed = true;
}

/* What was armed with the switch may not be enough for what it brought to light */
static void switch_arm(struct tess_slice *slice, struct tess_vslice *next,
		       const struct tess_hw_switch *sw)
{
	struct tess_gpu *gpu = slice->gpu;
	struct tess_runq *rq = &slice->rq;
	u64 timer;

	timer = tess_policy_timer(&rq->policy, next ? &next->sched.policy : NULL, 0, rq->now);
	if (next && rq->contested && !sw->notify_idle)
		tess_gpu_switch_ops(gpu)->notify(gpu->be, slice->index, timer, true);
	else if (timer && !sw->timer)
		tess_gpu_switch_ops(gpu)->notify(gpu->be, slice->index, timer, sw->notify_idle);
	else
		return;
	rq->armed = true;
}

/**
 * tess_switch() - exchange the client of a slice
 * @slice: slice, its hw mutex held, inside tess_gpu_enter()
 * @next: vslice with a context that is not resident; NULL: nobody
 * @reason: why the resident one leaves, if there is one
 *
 * Call-backs of both are made.
 *
 * Return: 0; -EBADMSG @next has lost its context, the resident one runs on; -ETIME or
 * -EIO nobody is on the slice; -ENODEV.
 */
int tess_switch(struct tess_slice *slice, struct tess_vslice *next, enum tess_out_reason reason)
{
	struct tess_vslice *out = tess_slice_resident(slice);
	struct tess_gpu *gpu = slice->gpu;
	struct tess_runq *rq = &slice->rq;
	struct tess_hw_switch sw;
	int rc;

	if (out)
		switch_park(out);
	switch_describe(slice, out, next, &sw);
	do {
		rc = tess_gpu_switch_ops(gpu)->exchange(gpu->be, slice->index, &sw);
	} while (rc && switch_failed(slice, out, next, rc) == -EALREADY);
	if (rc)
		return rc;
	rq->failures = 0;
	rq->now = sw.time;
	rq->armed = sw.timer || sw.notify_idle;
	if (out)
		switch_saved(slice, out, sw.time, reason);
	switch_set_resident(slice, out, next);
	if (next) {
		rq->contested = switch_others(slice, next);
		switch_restored(slice, next, sw.time);
	}
	switch_arm(slice, next, &sw);
	return 0;
}
