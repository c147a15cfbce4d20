// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: moves to another GPU
 *
 * A composition is of one GPU. To go to another GPU, with all its memory and while its guest
 * works, a vGPU gets another composition there, which continues the first (see tessera/transfer.h);
 * the device stays the same. It is one transaction, in steps, of which each is undone if one
 * fails:
 *
 * 1. *Compose* there, with its VRAM in a stage 2 of its own. The guest works on, while its VRAM is
 *    copied, and what it writes to meanwhile is copied again, a few times.
 * 2. *Freeze*. &tess_mdev.lock keeps trapped accesses and resets away from here on. Vslices
 *    are parked, their doorbells zapped; stores are caught on parking pages, as ever.
 * 3. *Copy contexts*, with the faults that are pending in them.
 * 4. *Map guest memory* for the other device and in the other stage 2, under &tess_mdev_dma.lock:
 *    no page comes or goes. If a vslice's memory is coming and does not arrive in some seconds, the
 *    move fails. VFIO waits with unmapping; what it unmaps then is found mapped for
 *    the other GPU.
 * 5. *Copy VRAM*, what was written to since. With &tess_mdev.map_lock for writing all that the VMM
 *    has mapped is withdrawn; who touches VRAM waits in the page fault until the copy is complete,
 *    and finds the other GPU's. Doorbells lead to their parking pages until 6.
 * 6. *Exchange* the compositions. Nothing can fail from here on.
 * 7. *Follow*: completion records, stores that were caught, the composition page with one
 *    new generation. The first stage 2 and its DMA mappings go.
 * 8. *Thaw* the one that is the vGPU's now, and give up the other: the new one if a step
 *    failed, else the old one, whose memory is zeroed.
 *
 * A vGPU that stands still with its machine (guest/stop.c) is frozen already, and stays so.
 *
 * While a page fault waits for map_lock, it holds the VMM's mmap_lock. So nothing between
 * the two may need that: nothing is pinned in 5 and 6.
 *
 * A GPU that goes during the move is noticed by the core's calls, which fail before 6, or by
 * gone(), which waits for map_lock and finds what is the vGPU's then. The parents of both GPUs
 * are in use meanwhile, so that neither device loses its driver before its DMA mappings are
 * gone. A VMM that is killed waits in close() for shape.lock.
 *
 * When a GPU is about to go, and works, all vGPUs that it carries are moved in this way, one
 * after the other, to the GPUs that have most room. Where there is none even for a blueprint's
 * min, or something fails, the vGPU loses its GPU, and the kernel log says why it did not move.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <tessera/gpu.h>
#include <tessera/inject.h>
#include <tessera/memory.h>
#include <tessera/transfer.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/page.h"
#include "base/parts.h"
#include "compose.h"
#include "display/head.h"
#include "frame.h"
#include "map/area.h"
#include "map/doorbell.h"
#include "mem/chunk.h"
#include "mem/dma.h"
#include "mem/log.h"
#include "mem/pin.h"
#include "migrate.h"
#include "parent.h"
#include "tell.h"

static unsigned int move_rounds = 4;
module_param(move_rounds, uint, 0644);
MODULE_PARM_DESC(move_rounds, "how often VRAM is copied before a vGPU that moves stands still");

/**
 * struct migrate_move - a move to another GPU
 * @next: composition there; afterwards that which is not the vGPU's
 * @count: number of blocks of VRAM (TESS_VRAM_BLOCK)
 * @left: those that are to be copied
 * @blank: nothing was copied yet
 */
struct migrate_move {
	struct tess_mdev_parts next;
	unsigned int count;
	unsigned long *left;
	bool blank;
};

/* Number of the GPU of one that is of one GPU */
static unsigned int migrate_carrier(const struct tess_mdev *tm)
{
	return tess_gpu_info(tess_vgpu_gpu(tess_mdev_first(&tm->parts)))->index;
}

/* ---- 1: ahead of it ---- */

static int migrate_begin(struct tess_mdev *tm, struct migrate_move *move)
{
	unsigned int count = tm->vram ? TESS_VRAM_BLOCKS(tm->vram) : 0;

	move->count = count;
	move->blank = true;
	move->left = bitmap_alloc(max(count, 1U), GFP_KERNEL);
	if (!move->left)
		return -ENOMEM;
	bitmap_fill(move->left, count);
	return 0;
}

/* What was written to since the last time is to be copied, too */
static int migrate_gather(struct tess_mdev *tm, struct migrate_move *move)
{
	guard(mutex)(&tm->lock);
	guard(rwsem_write)(&tm->map_lock);
	return tm->dead ? -ENODEV : tess_mdev_gather(tm, TESS_MDEV_FOR_MOVE, move->left);
}

/* As long as it helps: each time, less was written to while less was copied */
static int migrate_ahead(struct tess_mdev *tm, struct migrate_move *move)
{
	unsigned int rounds = READ_ONCE(move_rounds), before, left = move->count;
	struct tess_vgpu *to = tess_mdev_first(&move->next);
	int ret = 0;

	while (!ret && rounds-- && left) {
		before = left;
		if (move->blank)
			ret = migrate_gather(tm, move);
		if (!ret)
			ret = tess_vgpu_copy_memory(to, tess_mdev_first(&tm->parts), move->left,
						    move->blank);
		move->blank = false;
		if (!ret)
			ret = migrate_gather(tm, move);
		left = bitmap_weight(move->left, move->count);
		if (left > before / 2)
			break;
	}
	return ret;
}

/* ---- 2 to 8 ---- */

static int migrate_copy(struct tess_mdev *tm, struct migrate_move *move)
{
	int ret;

	ret = tess_mdev_gather(tm, TESS_MDEV_FOR_MOVE, move->left);
	if (ret)
		return ret;
	atomic64_add(bitmap_weight(move->left, move->count) * TESS_VRAM_BLOCK,
		     &tm->stats.still_bytes);
	return tess_vgpu_copy_memory(tess_mdev_first(&move->next), tess_mdev_first(&tm->parts),
				     move->left, move->blank);
}

/* 5 and 6; @move->next is then what the vGPU had before */
static int migrate_exchange(struct tess_mdev *tm, struct migrate_move *move)
{
	struct tess_vgpu *from = tess_mdev_first(&tm->parts), *to = tess_mdev_first(&move->next);
	struct tess_mdev_parts *next = &move->next;
	u64 time;
	int ret;

	lockdep_assert_held_write(&tm->map_lock);
	if (tm->dead)
		return -ENODEV;
	tess_mdev_zap(tm);
	ret = migrate_copy(tm, move);
	if (ret)
		return ret;
	/* Its gone() may have found that it is nobody's; if not, it finds what is installed here */
	if (tess_mdev_parts_gone(next))
		return -ENODEV;
	time = tess_gpu_time(tess_vgpu_gpu(from));
	tm->time_base += time - tess_gpu_time(tess_vgpu_gpu(to));
	mutex_lock(&tm->doorbell_lock);
	tess_mdev_page_continue(tm, next);
	tess_mdev_fill_frame(tm);
	tess_mdev_doorbells_follow(tm);
	mutex_unlock(&tm->doorbell_lock);
	return 0;
}

/*
 * Memory that is being pinned comes when the VMM likes, and a GPU that is drained has to go. The
 * call-back of a vGPU that waits for it would hold up the end of that vGPU.
 */
static bool migrate_lock_memory(struct tess_mdev *tm)
{
	long left = TESS_MDEV_VMM_TIMEOUT;

	mutex_lock(&tm->dma.lock);
	while (tm->dma.faults && left)
		left = tess_mdev_pins_wait(&tm->dma, left);
	if (!tm->dma.faults)
		return true;
	mutex_unlock(&tm->dma.lock);
	return false;
}

static int migrate_locked(struct tess_mdev *tm, struct migrate_move *move)
{
	struct tess_mdev_parts *next = &move->next;
	int ret;

	ret = tess_mdev_dma_prepare(tm, next->part[0]);
	if (ret)
		return ret;
	/* It stands still: nothing is written after that */
	tess_mdev_log_move(tm);
	tess_hold(TESS_HOLD_MOVE);
	down_write(&tm->map_lock);
	ret = migrate_exchange(tm, move);
	up_write(&tm->map_lock);
	if (ret) {
		tess_mdev_dma_cancel(tm, next->part[0]);
		return ret;
	}
	tess_mdev_dma_commit(tm, next->part[0]);
	return 0;
}

/* 4 to 7 */
static int migrate_memory(struct tess_mdev *tm, struct migrate_move *move,
			  struct tess_reason *reason)
{
	int ret;

	if (!migrate_lock_memory(tm)) {
		strscpy(reason->text, "its VMM is busy with memory of the guest");
		return -EBUSY;
	}
	ret = migrate_locked(tm, move);
	mutex_unlock(&tm->dma.lock);
	return ret;
}

/* 2 to 7, and that which is the vGPU's then is thawed, unless its machine stands still */
static int migrate_client(struct tess_mdev *tm, struct migrate_move *move,
			  struct tess_reason *reason)
{
	struct tess_vgpu *from = tess_mdev_first(&tm->parts);
	int ret = 0;

	guard(mutex)(&tm->lock);
	if (!tm->migration.stopped)
		ret = tess_vgpu_freeze(from, reason);
	if (!ret)
		ret = tess_vgpu_copy_state(tess_mdev_first(&move->next), from, reason);
	if (!ret)
		ret = migrate_memory(tm, move, reason);
	if (!ret) {
		tess_mdev_page_refresh(tm);
		tess_mdev_heads_follow(tm);
	}
	if (tm->migration.stopped)
		tess_vgpu_settle(tess_mdev_first(&tm->parts));
	else
		tess_vgpu_thaw(tess_mdev_first(&tm->parts));
	return ret;
}

/* @gpu is another one, and in use, as is the vGPU's own */
static int migrate_vgpu(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
			struct tess_reason *reason)
{
	struct migrate_move move = {};
	int ret;

	lockdep_assert_held(&tm->shape.lock);
	ret = tess_mdev_compose(tm, gpu, bp, tess_mdev_first(&tm->parts), &move.next, reason);
	if (ret)
		return ret;
	ret = migrate_begin(tm, &move);
	if (!ret)
		ret = migrate_ahead(tm, &move);
	if (!ret)
		ret = migrate_client(tm, &move, reason);
	tess_mdev_decompose(&move.next);
	bitmap_free(move.left);
	if (!ret)
		tess_mdev_announce(tm);
	return ret;
}

static int migrate_to(struct tess_mdev *tm, struct tess_mdev_parent *parent,
		      const struct tess_blueprint *bp, struct tess_reason *reason)
{
	int ret = -ENODEV;

	/* Inside that of the vGPU's GPU; who writes has to be alone with the pool */
	down_read_nested(&parent->lock, SINGLE_DEPTH_NESTING);
	if (parent->gpu)
		ret = migrate_vgpu(tm, parent->gpu, bp, reason);
	up_read(&parent->lock);
	return ret;
}

static int parse_gpu(const char *text, unsigned int *index)
{
	char number[12];

	strscpy_pad(number, skip_spaces(text));
	return kstrtouint(number + (strstarts(number, "gpu") ? 3 : 0), 10, index);
}

int tess_mdev_move(struct tess_mdev *tm, struct tess_gpu *gpu, const char *text,
		   struct tess_reason *reason)
{
	struct tess_mdev_parent *parent;
	struct tess_blueprint bp;
	struct tess_vgpu *vgpu;
	unsigned int index;
	int ret;

	if (parse_gpu(text, &index)) {
		strscpy(reason->text, "gpu: no number of a GPU");
		return -EINVAL;
	}
	vgpu = tess_mdev_first(&tm->parts);
	if (!vgpu) {
		strscpy(reason->text, "gpu: it is blank");
		return -EINVAL;
	}
	if (tess_mdev_spans(&tm->parts)) {
		strscpy(reason->text, "gpu: it is of several GPUs, which cannot move");
		return -EOPNOTSUPP;
	}
	if (migrate_carrier(tm) == index)
		return READ_ONCE(tm->dead) ? -ENODEV : 0;
	parent = tess_mdev_parent_by_index(tm->type->parent->frontend, index);
	if (!parent) {
		scnprintf(reason->text, sizeof(reason->text),
			  "gpu: gpu%u is not there, or gives no vGPUs", index);
		return -EINVAL;
	}
	tess_vgpu_blueprint(vgpu, &bp);
	/* What its guest shows is told there anew, and does not keep it here */
	bp.shown = (struct tess_shown){};
	ret = migrate_to(tm, parent, &bp, reason);
	tess_mdev_parent_put(parent);
	return ret;
}

/* To the GPU with most room for it that takes it */
int tess_mdev_recompose_elsewhere(struct tess_mdev *tm, const struct tess_blueprint *bp,
				  struct tess_reason *reason)
{
	struct tess_mdev_frontend *frontend = tm->type->parent->frontend;
	DECLARE_BITMAP(tried, TESS_MAX_GPUS) = {};
	struct tess_mdev_parent *parent;
	int ret = -ENOSPC;

	__set_bit(migrate_carrier(tm), tried);
	while (ret && (parent = tess_mdev_parent_for(frontend, tried, bp))) {
		reason->text[0] = 0;
		ret = migrate_to(tm, parent, bp, reason);
		tess_mdev_parent_put(parent);
	}
	return ret;
}

/* ---- because its GPU is about to go ---- */

/* One that nobody has open goes with the GPU if it is its parent, and nothing is in it */
static bool migrate_shall_leave(const struct tess_mdev *tm, const struct tess_gpu *gpu)
{
	const struct tess_gpu *home = tm->type->parent->gpu;

	return tess_mdev_part_on(&tm->parts, gpu) && !READ_ONCE(tm->dead) &&
	       (tm->shape.open || (home && home != gpu));
}

/* With fewer slices, if its blueprint says that these will do */
static int migrate_leave(struct tess_mdev *tm, struct tess_blueprint *bp,
			 struct tess_reason *reason)
{
	int ret;

	if (tess_mdev_spans(&tm->parts)) {
		strscpy(reason->text, "it is of several GPUs, which cannot move");
		return -EOPNOTSUPP;
	}
	for (;;) {
		ret = tess_mdev_recompose_elsewhere(tm, bp, reason);
		if (!ret || tess_mdev_parts_gone(&tm->parts) || bp->slices == bp->min)
			break;
		bp->slices--;
	}
	if (ret == -ENOSPC && !reason->text[0])
		strscpy(reason->text, "no room there");
	else if (ret && !reason->text[0])
		scnprintf(reason->text, sizeof(reason->text), "error %d", ret);
	return ret;
}

void tess_mdev_leave(struct tess_mdev *tm, struct tess_gpu *gpu)
{
	unsigned int from = tess_gpu_info(gpu)->index;
	DECLARE_BITMAP(gpus, TESS_MAX_GPUS) = {};
	struct tess_reason reason = {};
	struct tess_blueprint bp;
	int ret;

	guard(mutex)(&tm->shape.lock);
	if (!migrate_shall_leave(tm, gpu))
		return;
	tess_mdev_parts_blueprint(&tm->parts, &bp);
	bp.shown = (struct tess_shown){};
	ret = migrate_leave(tm, &bp, &reason);
	tess_mdev_touched(tm, gpus);
	if (!ret)
		tess_mdev_parents_changed(tm->type->parent->frontend, gpus);
	if (!ret)
		dev_info(tm->vdev.dev, "gpu%u is about to go: goes on with %u slices of gpu%u\n",
			 from, bp.slices, migrate_carrier(tm));
	else
		dev_notice(tm->vdev.dev, "gpu%u is about to go, and no other GPU has it: %s\n",
			   from, reason.text);
}
