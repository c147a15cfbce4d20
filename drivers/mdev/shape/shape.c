// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: shapes
 *
 * What a vGPU is made of is asked for as a blueprint: that of its type when the mdev is
 * created, and whatever is written to its attributes later. A type is only a preset; the
 * type "blank" stands for nothing yet, and such a vGPU takes part in nothing but sysfs.
 *
 *	blank --blueprint--> composed --open--> open --blueprint--> open
 *	  ^                   |  ^  |            |
 *	  +------- none ------+  |  +-blueprint  | close
 *	                         +---------------+
 *
 * While a VMM has it open, what the guest found at its BARs has to stay: the core
 * recomposes the vGPU in place, within the number of vslices and the memory that it was made
 * with (tess_vgpu_recompose()). Nothing has to stay while nobody has it open. Then another
 * vGPU is composed, takes the place of the first, and only now that is given up: a refusal
 * leaves what there was. It needs the slices of both for a moment. Where the frame is the
 * same, it is recomposed in place as well, which needs only what is new.
 *
 * One of several GPUs (parts.c) changes in the same way, but stays on these GPUs while it is open.
 *
 * One that its GPU cannot serve any more, while another GPU can, goes there (migrate.c), and
 * so does one whose attribute "gpu" is written. The mdev stays where it was made.
 *
 * What is made from a profile is made from what was asked for by words or by the type, which is
 * remembered (tess_mdev_shape.asked), and not from what was made from a profile before: the same
 * profile always gives the same. Memory stays while the vGPU is open, whatever the profile wants.
 *
 * Giving the old one up first was rejected: if the new one is refused, the slices of the old
 * one may be somebody else's by then. Lending them to the new one was rejected, too: until all of
 * that is there, of several GPUs maybe, the old one would be a vGPU without slices, which
 * nothing in the core expects, and VRAM is needed for both in any case. Whoever has room for
 * one only writes "none" first.
 *
 * All of this is serialized by &tess_mdev_shape.lock, with open and close too, so that
 * nothing changes the frame of a vGPU that is being opened. No call-back of the core takes
 * it. A VMM that dies in the middle of a change waits in close until the change is over,
 * which the core does in bounded time.
 */
#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>
#include <tessera/gpu.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "change.h"
#include "migrate.h"
#include "parent.h"
#include "shape.h"
#include "types.h"

/* Most slices that are made from a profile where nobody gave bounds: the largest preset */
#define TESS_MDEV_PROFILE_SLICES	4

void tess_mdev_shape_init(struct tess_mdev *tm)
{
	mutex_init(&tm->shape.lock);
	mutex_init(&tm->shape.error_lock);
}

static int shape_parse(const struct tess_mdev *tm, const struct tess_gpu *gpu, const char *text,
		       struct tess_blueprint *bp, struct tess_reason *reason)
{
	struct tess_blueprint base;

	if (!tm->parts.count)
		return tess_mdev_parse_blueprint(gpu, text, bp, reason);
	tess_mdev_parts_blueprint(&tm->parts, &base);
	return tess_blueprint_parse(text, &base, bp, reason);
}

/*
 * What was asked for of all that is generated, and the rest as it is now. While a VMM has the
 * vGPU open, the bounds and the memory are those of its frame.
 */
static void asked_blueprint(const struct tess_mdev *tm, struct tess_blueprint *bp)
{
	const struct tess_blueprint *asked = &tm->shape.asked;
	struct tess_blueprint now;

	lockdep_assert_held(&tm->shape.lock);
	tess_mdev_parts_blueprint(&tm->parts, &now);
	*bp = now;
	bp->slices = asked->slices;
	bp->min = asked->min;
	bp->max = asked->max;
	bp->kind = asked->kind;
	bp->memory = asked->memory;
	bp->topology = asked->topology;
	bp->engines = asked->engines;
	bp->heads = asked->heads;
	bp->displays = asked->displays;
	bp->remote = asked->remote;
	bp->shown = (struct tess_shown){};
	if (!tm->shape.open)
		return;
	bp->min = now.min;
	bp->max = now.max;
	bp->slices = clamp(bp->slices, bp->min, bp->max);
	bp->memory = now.memory;
}

/* Words that were written are asked for, too; @bp: what the vGPU became with them */
static void note_asked(struct tess_mdev *tm, const char *text, const struct tess_blueprint *was,
		       const struct tess_blueprint *bp)
{
	struct tess_blueprint asked;

	lockdep_assert_held(&tm->shape.lock);
	/* Together with what was asked for before they may be no blueprint */
	tm->shape.asked = was && !tess_blueprint_parse(text, was, &asked, NULL) ? asked : *bp;
}

static int shape_write_blueprint(struct tess_mdev *tm, struct tess_gpu *gpu, const char *text,
				 struct tess_reason *reason)
{
	struct tess_blueprint bp, asked, *was = NULL;
	int ret;

	if (sysfs_streq(text, "none"))
		return tess_mdev_make_blank(tm, gpu, reason);
	if (!*skip_spaces(text)) {
		strscpy(reason->text, "no word is there");
		return -EINVAL;
	}
	if (tm->parts.count) {
		asked_blueprint(tm, &asked);
		was = &asked;
	}
	ret = shape_parse(tm, gpu, text, &bp, reason);
	if (!ret)
		ret = tess_mdev_change(tm, gpu, &bp, reason);
	if (!ret)
		note_asked(tm, text, was, &bp);
	return ret;
}

/* Bounds for what is made from a profile, and what it says nothing about */
static int profile_base(const struct tess_mdev *tm, const struct tess_gpu *gpu,
			struct tess_blueprint *base, struct tess_reason *reason)
{
	if (!tm->parts.count)
		return tess_mdev_parse_blueprint(gpu, "slices=1", base, reason);
	asked_blueprint(tm, base);
	return 0;
}

/* The bounds are nobody's wish: choose from the sizes of the presets, and stay there */
static void generate_unbound(const struct tess_profile *profile, struct tess_blueprint *base,
			     struct tess_blueprint *bp)
{
	base->min = 1;
	base->max = max_t(u32, base->slices, TESS_MDEV_PROFILE_SLICES);
	tess_blueprint_generate(profile, base, bp);
	bp->min = bp->slices;
	bp->max = bp->slices;
}

static int shape_write_profile(struct tess_mdev *tm, struct tess_gpu *gpu, const char *text,
			       struct tess_reason *reason)
{
	struct tess_blueprint base, bp, asked;
	struct tess_profile profile;
	int ret;

	ret = tess_profile_parse(text, &profile, reason);
	if (!ret)
		ret = profile_base(tm, gpu, &base, reason);
	if (ret)
		return ret;
	asked = tm->parts.count ? tm->shape.asked : base;
	if (tm->shape.open || base.min != base.max)
		tess_blueprint_generate(&profile, &base, &bp);
	else
		generate_unbound(&profile, &base, &bp);
	/* More or less of it would be another frame */
	if (tm->shape.open)
		bp.memory = base.memory;
	ret = tess_mdev_change(tm, gpu, &bp, reason);
	if (!ret)
		tm->shape.asked = asked;
	return ret;
}

/* ---- last_error ---- */

static void note_error(struct tess_mdev *tm, int error, struct tess_reason *reason)
{
	tess_reason_complete(reason, error);
	if (error)
		dev_info_ratelimited(tm->vdev.dev, "composition refused: %s\n", reason->text);
	guard(mutex)(&tm->shape.error_lock);
	tm->shape.error = error;
	tm->shape.reason = *reason;
}

ssize_t tess_mdev_show_error(struct tess_mdev *tm, char *buf)
{
	guard(mutex)(&tm->shape.error_lock);
	return tess_reason_show(&tm->shape.reason, tm->shape.error, buf);
}

/* ---- attributes ---- */

/* With its GPU in use, that which carries it */
static int shape_apply(struct tess_mdev *tm, const char *text,
		       int (*func)(struct tess_mdev *tm, struct tess_gpu *gpu, const char *text,
				   struct tess_reason *reason),
		       struct tess_reason *reason)
{
	struct tess_mdev_parent *parent = tess_mdev_parent_of(tm);
	DECLARE_BITMAP(gpus, TESS_MAX_GPUS) = {};
	int ret = -ENODEV;

	/* What it had, and what it has then */
	tess_mdev_touched(tm, gpus);
	down_read(&parent->lock);
	if (parent->gpu)
		ret = func(tm, parent->gpu, text, reason);
	up_read(&parent->lock);
	tess_mdev_touched(tm, gpus);
	if (!ret)
		tess_mdev_parents_changed(parent->frontend, gpus);
	tess_mdev_parent_put(parent);
	return ret;
}

static int shape_write(struct tess_mdev *tm, const char *text,
		       int (*func)(struct tess_mdev *tm, struct tess_gpu *gpu, const char *text,
				   struct tess_reason *reason))
{
	struct tess_reason reason = {};
	int ret;

	if (mutex_lock_interruptible(&tm->shape.lock))
		return -ERESTARTSYS;
	ret = shape_apply(tm, text, func, &reason);
	note_error(tm, ret, &reason);
	mutex_unlock(&tm->shape.lock);
	return ret;
}

/**
 * tess_mdev_write_blueprint() - give a vGPU another shape
 * @tm: vGPU
 * @text: words of a blueprint; what is not there stays as it is. "none": give all up
 *
 * Return: 0; -EINVAL it is no blueprint; -EBUSY not while it is in use; -ENOSPC not enough
 * free slices or VRAM, or too many blank vGPUs; -EOPNOTSUPP; -ENODEV; -EIO; -ENOMEM;
 * -ERESTARTSYS. The first composition is still there then, but after -ENODEV.
 */
int tess_mdev_write_blueprint(struct tess_mdev *tm, const char *text)
{
	return shape_write(tm, text, shape_write_blueprint);
}

/**
 * tess_mdev_write_profile() - give a vGPU the shape that fits a workload
 * @tm: vGPU
 * @text: profile
 *
 * Return: as tess_mdev_write_blueprint().
 */
int tess_mdev_write_profile(struct tess_mdev *tm, const char *text)
{
	return shape_write(tm, text, shape_write_profile);
}

/**
 * tess_mdev_write_gpu() - let another GPU carry a vGPU
 * @tm: vGPU
 * @text: number of the GPU in the pool, or "gpu" and the number
 *
 * Return: as tess_mdev_write_blueprint().
 */
int tess_mdev_write_gpu(struct tess_mdev *tm, const char *text)
{
	return shape_write(tm, text, tess_mdev_move);
}

int tess_mdev_gpu(struct tess_mdev *tm, unsigned int part)
{
	guard(mutex)(&tm->page.lock);
	if (part >= tm->parts.count)
		return -ENXIO;
	return tess_gpu_info(tess_vgpu_gpu(tm->parts.part[part]->vgpu))->index;
}

bool tess_mdev_blueprint(struct tess_mdev *tm, struct tess_blueprint *bp)
{
	guard(mutex)(&tm->page.lock);
	if (tm->parts.count)
		tess_mdev_parts_blueprint(&tm->parts, bp);
	return tm->parts.count;
}

int tess_mdev_profile(struct tess_mdev *tm, struct tess_profile *profile)
{
	guard(mutex)(&tm->shape.lock);
	return tm->parts.count ? tess_mdev_parts_profile(&tm->parts, profile) : -ENXIO;
}

/* ---- because the core wants it ---- */

/* Nobody asked for it, so it is nobody's last_error */
static void shape_apply_gpu(struct tess_mdev *tm, const char *text)
{
	struct tess_reason reason = {};
	struct tess_vgpu *vgpu;

	guard(mutex)(&tm->shape.lock);
	shape_apply(tm, text, tess_mdev_move, &reason);
	vgpu = tess_mdev_first(&tm->parts);
	if (vgpu)
		tess_vgpu_relocated(vgpu);
}

static void relocation_work(struct work_struct *work)
{
	struct tess_mdev *tm = container_of(work, struct tess_mdev, relocation.work);
	char text[16];

	snprintf(text, sizeof(text), "%u", READ_ONCE(tm->relocation.gpu));
	shape_apply_gpu(tm, text);
}

void tess_mdev_relocation_init(struct tess_mdev *tm)
{
	INIT_WORK(&tm->relocation.work, relocation_work);
}

void tess_mdev_relocation_stop(struct tess_mdev *tm)
{
	disable_work_sync(&tm->relocation.work);
}
