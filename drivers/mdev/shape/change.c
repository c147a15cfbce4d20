// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vGPU becomes another: in place, composed anew, on another GPU, or blank (shape.c).
 */
#include <linux/string.h>
#include <tessera/vgpu.h>
#include "base/mdev.h"
#include "base/parts.h"
#include "change.h"
#include "compose.h"
#include "frame.h"
#include "map/doorbell.h"
#include "migrate.h"
#include "parent.h"
#include "span.h"
#include "tell.h"

/* ---- blank ones ---- */

static int blank_get(struct tess_mdev_parent *parent, struct tess_reason *reason)
{
	if (atomic_add_unless(&parent->blanks, 1, parent->max_blanks))
		return 0;
	scnprintf(reason->text, sizeof(reason->text),
		  "there are %d blank vGPUs, which is the limit of this GPU", parent->max_blanks);
	return -ENOSPC;
}

static void blank_put(struct tess_mdev_parent *parent)
{
	atomic_dec(&parent->blanks);
}

/* ---- changing ---- */

static int change_compose(struct tess_mdev *tm, struct tess_gpu *gpu,
			  const struct tess_blueprint *bp,
			  struct tess_mdev_parts *out, struct tess_reason *reason)
{
	if (bp->gpus > 1)
		return tess_mdev_compose_span(tm, gpu, bp, out, reason);
	return tess_mdev_compose(tm, gpu, bp, NULL, out, reason);
}

/*
 * Another composition instead of the one that there is, for which nobody has the device
 * open; @bp is NULL: none
 */
static int change_replace(struct tess_mdev *tm, struct tess_gpu *gpu,
			  const struct tess_blueprint *bp, struct tess_reason *reason)
{
	struct tess_mdev_parent *parent = tm->type->parent;
	struct tess_mdev_parts composed = {};
	bool was_blank = !tm->parts.count;
	int ret;

	lockdep_assert_held(&tm->shape.lock);
	ret = bp ? change_compose(tm, gpu, bp, &composed, reason) : blank_get(parent, reason);
	if (ret)
		return ret;
	ret = tess_mdev_install(tm, &composed);
	/* The old one, or the new one if there is no place for it any more */
	tess_mdev_decompose(&composed);
	tess_mdev_doorbells_trim(tm, tm->vslices);
	if (bp && !ret && was_blank)
		blank_put(parent);
	return ret;
}

/* Is it the same to a client that opens it now? */
static bool change_fits_frame(const struct tess_mdev *tm, const struct tess_blueprint *bp)
{
	struct tess_blueprint now;

	if (!tm->parts.count || READ_ONCE(tm->dead))
		return false;
	tess_mdev_parts_blueprint(&tm->parts, &now);
	return bp->max == tm->vslices && bp->memory == now.memory && bp->shared == now.shared &&
	       bp->gpus == now.gpus;
}

static int change_compose_anew(struct tess_mdev *tm, struct tess_gpu *gpu,
			       const struct tess_blueprint *bp, struct tess_reason *reason)
{
	int ret = change_replace(tm, gpu, bp, reason);

	if (!ret)
		tess_mdev_shape_changed(tm);
	return ret;
}

/* From several GPUs, to several, or both */
static int change_span(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
		       struct tess_reason *reason)
{
	unsigned int count = tm->parts.count;
	int ret = -EOPNOTSUPP;

	if (tm->shape.open && bp->gpus != count) {
		scnprintf(reason->text, sizeof(reason->text),
			  "gpus=%u: it is in use and has slices of %u", bp->gpus, count);
		return -EBUSY;
	}
	if (tm->shape.open || change_fits_frame(tm, bp))
		ret = tess_mdev_recompose_span(tm, bp, reason);
	if (tm->shape.open || (ret != -EOPNOTSUPP && ret != -ENOSPC))
		return ret;
	/* Other GPUs may have more, or cannot move vslices but compose anew */
	reason->text[0] = 0;
	return change_compose_anew(tm, gpu, bp, reason);
}

/* Its VMM has asked for regions already, and its guest for capabilities */
static int change_check_heads(const struct tess_mdev *tm, const struct tess_blueprint *bp,
			      struct tess_reason *reason)
{
	if (!tm->shape.open || !bp->heads || tm->display.present)
		return 0;
	scnprintf(reason->text, sizeof(reason->text),
		  "heads=%u: it is in use and had none when it was opened", bp->heads);
	return -EBUSY;
}

int tess_mdev_change(struct tess_mdev *tm, struct tess_gpu *gpu, const struct tess_blueprint *bp,
		     struct tess_reason *reason)
{
	int ret;

	ret = change_check_heads(tm, bp, reason);
	if (ret)
		return ret;
	ret = -EOPNOTSUPP;
	if (bp->gpus > 1 || tess_mdev_spans(&tm->parts))
		return change_span(tm, gpu, bp, reason);
	if (tm->shape.open || change_fits_frame(tm, bp))
		ret = tess_vgpu_recompose(tess_mdev_first(&tm->parts), bp, reason);
	if (ret == -ENOSPC)
		ret = tess_mdev_recompose_elsewhere(tm, bp, reason);
	if (tm->shape.open || ret != -EOPNOTSUPP)
		return ret;
	/* A GPU that cannot move vslices can compose anew */
	reason->text[0] = 0;
	return change_compose_anew(tm, gpu, bp, reason);
}

int tess_mdev_make_blank(struct tess_mdev *tm, struct tess_gpu *gpu, struct tess_reason *reason)
{
	if (tm->shape.open) {
		strscpy(reason->text, "it is in use");
		return -EBUSY;
	}
	return tm->parts.count ? change_compose_anew(tm, gpu, NULL, reason) : 0;
}

/* ---- life ---- */

/**
 * tess_mdev_shape_create() - what a new mdev of its type has
 * @tm: vGPU
 *
 * Return: 0; -ENOSPC not enough free slices or VRAM, or too many blank ones; -ENODEV;
 * -ENOMEM. The kernel log says what was missing.
 */
int tess_mdev_shape_create(struct tess_mdev *tm)
{
	struct tess_mdev_parent *parent = tm->type->parent;
	struct tess_mdev_parts composed = {};
	struct tess_reason reason = {};
	int ret = -ENODEV;

	down_read(&parent->lock);
	if (!parent->gpu)
		goto unlock;
	if (tm->type->blank)
		ret = blank_get(parent, &reason);
	else
		ret = tess_mdev_compose(tm, parent->gpu, &tm->type->blueprint, NULL, &composed,
					&reason);
	if (ret)
		goto unlock;
	ret = tess_mdev_install(tm, &composed);
	if (ret)
		tess_mdev_decompose(&composed);
	else if (tm->parts.count)
		tess_mdev_parts_blueprint(&tm->parts, &tm->shape.asked);
unlock:
	up_read(&parent->lock);
	if (reason.text[0])
		dev_info(tm->vdev.dev, "%s\n", reason.text);
	return ret;
}

void tess_mdev_shape_destroy(struct tess_mdev *tm)
{
	struct tess_mdev_parts composed = {};

	if (!tm->parts.count)
		blank_put(tm->type->parent);
	/* Cannot fail without a composition to install */
	tess_mdev_install(tm, &composed);
	tess_mdev_decompose(&composed);
}
