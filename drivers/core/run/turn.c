// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register writes that wait until it is their vslice's turn.
 *
 * DOC: Turns
 *
 * A register of a parked vslice can be read from its context, but a write has effects
 * that only the GPU knows. It waits, and with it the thread of the client that made it,
 * until the vslice is resident; then the scheduler makes the write, under the mutex that
 * it holds anyway, so that the client cannot miss its turn. One that wants to write is
 * runnable, also if it used up its time: it only needs a moment. So the wait is bounded
 * by one turn of each of the others.
 *
 * Of a GPU that sleeps it is nobody's turn until it is back.
 *
 * It ends early if the vGPU is destroyed, if the GPU goes, and if the thread is killed.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/list.h>

#include "base/gpu.h"
#include "regs.h"
#include "run.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/vgpu.h"
#include "turn.h"

/* Far more than all turns take; a GPU whose time stands still is no reason to hang */
#define TURN_TIMEOUT	(30 * HZ)

/**
 * struct tess_turn - a write that waits
 * @link: in tess_sched_entity.writes, under tess_gpu.lock
 * @off: register
 * @width: its width
 * @val: value
 * @taken: it is in no list, @done follows. Under tess_gpu.lock
 * @rc: result, valid after @done
 * @done: it was made or never will be
 */
struct tess_turn {
	struct list_head link;
	u32 off;
	unsigned int width;
	u64 val;
	bool taken;
	int rc;
	struct completion done;
};

static int turn_enqueue(struct tess_vslice *vs, struct tess_turn *turn)
{
	struct tess_gpu *gpu = vs->vgpu->gpu;
	struct tess_slice *slice;

	spin_lock(&gpu->lock);
	slice = vs->slice;
	if (gpu->gone || vs->vgpu->dying || !slice) {
		spin_unlock(&gpu->lock);
		return gpu->gone ? -ENODEV : -ENXIO;
	}
	list_add_tail(&turn->link, &vs->sched.writes);
	spin_unlock(&gpu->lock);
	tess_slice_look(slice);
	return 0;
}

/* False: somebody is about to complete it */
static bool turn_dequeue(struct tess_vslice *vs, struct tess_turn *turn)
{
	struct tess_gpu *gpu = vs->vgpu->gpu;
	bool mine;

	spin_lock(&gpu->lock);
	mine = !turn->taken;
	if (mine)
		list_del(&turn->link);
	spin_unlock(&gpu->lock);
	return mine;
}

/**
 * tess_turn_write() - write a register when it is the vslice's turn
 * @vs: vslice of a shared vGPU; the caller is not inside tess_gpu_enter() and holds no
 *	lock that a call-back takes
 * @off: TESS_SREG_*
 * @width: checked
 * @val: value
 *
 * Return: 0, -ENXIO the vGPU goes, or the thread was killed; -ENODEV; -EAGAIN as the op.
 */
int tess_turn_write(struct tess_vslice *vs, u32 off, unsigned int width, u64 val)
{
	struct tess_turn turn = { .off = off, .width = width, .val = val };
	long left;
	int rc;

	init_completion(&turn.done);
	rc = turn_enqueue(vs, &turn);
	if (rc)
		return rc;
	do {
		left = wait_for_completion_killable_timeout(&turn.done, TURN_TIMEOUT);
	} while (!left && READ_ONCE(vs->vgpu->gpu->asleep));
	if (left <= 0) {
		if (turn_dequeue(vs, &turn))
			return -ENXIO;
		wait_for_completion(&turn.done);
	}
	return turn.rc;
}

static void turn_take(struct tess_vslice *vs, struct list_head *list)
{
	struct tess_gpu *gpu = vs->vgpu->gpu;
	struct tess_turn *turn;

	spin_lock(&gpu->lock);
	list_splice_init(&vs->sched.writes, list);
	list_for_each_entry(turn, list, link)
		turn->taken = true;
	spin_unlock(&gpu->lock);
}

/**
 * tess_turn_run() - make the writes that wait
 * @slice: slice, its hw mutex held, inside tess_gpu_enter()
 * @vs: vslice that is resident on it
 */
void tess_turn_run(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_turn *turn, *next;
	LIST_HEAD(list);

	lockdep_assert_held(&slice->hw);
	turn_take(vs, &list);
	list_for_each_entry_safe(turn, next, &list, link) {
		/* The turn is its waiter's again after complete() */
		turn->rc = tess_regs_write(slice, turn->off, turn->width, turn->val);
		complete(&turn->done);
	}
}

/**
 * tess_turn_cancel() - the writes that wait will not be made
 * @vs: vslice
 * @rc: what their callers are told
 */
void tess_turn_cancel(struct tess_vslice *vs, int rc)
{
	struct tess_turn *turn, *next;
	LIST_HEAD(list);

	turn_take(vs, &list);
	list_for_each_entry_safe(turn, next, &list, link) {
		turn->rc = rc;
		complete(&turn->done);
	}
}

static void turn_cancel_slice(struct tess_slice *slice)
{
	const struct tess_policy *p = &slice->rq.policy;
	struct tess_policy_entity *e;

	mutex_lock(&slice->hw);
	tess_policy_for_each(e, p)
		tess_turn_cancel(to_tess_vslice(e), -ENODEV);
	mutex_unlock(&slice->hw);
}

/**
 * tess_turn_cancel_all() - nobody's turn comes any more
 * @gpu: GPU that is gone
 */
void tess_turn_cancel_all(struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < gpu->info.slice_count; i++)
		turn_cancel_slice(&gpu->slices[i]);
}
