// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: damage
 *
 * A guest says with each COMMIT which rectangle of the picture differs from the one that was
 * committed before, and the host adds up what was shown. The guest may say anything: a rectangle is
 * cut at the edges of its picture, whose size was checked, and only numbers come of it. All of a
 * picture is damaged if the guest named no rectangle, or if nothing of the picture before can be
 * kept. Of several that were committed before a frame, the last one is shown, with the
 * smallest rectangle around all of theirs.
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/rwsem.h>
#include <linux/sysfs.h>
#include "base/mdev.h"
#include "base/page.h"
#include "damage.h"

static bool rect_is_empty(const struct tess_head_rect *rect)
{
	return rect->x2 <= rect->x1 || rect->y2 <= rect->y1;
}

/* Around both */
static void rect_join(struct tess_head_rect *rect, const struct tess_head_rect *other)
{
	if (rect_is_empty(other))
		return;
	if (rect_is_empty(rect)) {
		*rect = *other;
		return;
	}
	rect->x1 = min(rect->x1, other->x1);
	rect->y1 = min(rect->y1, other->y1);
	rect->x2 = max(rect->x2, other->x2);
	rect->y2 = max(rect->y2, other->y2);
}

static bool plane_is_alike(const struct tess_mdev_plane *plane, const struct tess_mdev_plane *other)
{
	return plane->format == other->format && plane->width == other->width &&
	       plane->height == other->height && plane->pitch == other->pitch;
}

void tess_mdev_damage_take(struct tess_mdev_head *head, struct tess_mdev_plane *plane)
{
	const struct tess_mdev_plane *before = head->waits ? &head->next : &head->shown;
	struct tess_head_rect rect = {
		.x1 = FIELD_GET(TESS_DAMAGE_X, head->damage_start),
		.y1 = FIELD_GET(TESS_DAMAGE_Y, head->damage_start),
		.x2 = FIELD_GET(TESS_DAMAGE_X, head->damage_end),
		.y2 = FIELD_GET(TESS_DAMAGE_Y, head->damage_end),
	};

	if (!(before->control & TESS_DCONTROL_ENABLE) || !plane_is_alike(plane, before) ||
	    rect_is_empty(&rect)) {
		plane->damage = (struct tess_head_rect){ .x2 = plane->width, .y2 = plane->height };
		return;
	}
	rect.x2 = min(rect.x2, plane->width);
	rect.y2 = min(rect.y2, plane->height);
	/* One that is beyond the picture is how nothing is said */
	if (rect_is_empty(&rect))
		rect = (struct tess_head_rect){};
	if (head->waits)
		rect_join(&rect, &before->damage);
	plane->damage = rect;
}

/* What each viewer did not look at yet; all of it if nothing of the picture before can be kept */
static void damage_add(struct tess_mdev *tm, unsigned int n, const struct tess_mdev_plane *shown)
{
	const struct tess_head_rect *rect = &shown->damage;
	bool all = rect->x2 - rect->x1 == shown->width && rect->y2 - rect->y1 == shown->height;
	struct tess_mdev_viewer *viewer;

	list_for_each_entry(viewer, &tm->display.viewers, link) {
		if (all)
			viewer->damage[n] = *rect;
		else
			rect_join(&viewer->damage[n], rect);
	}
}

void tess_mdev_damage_count(struct tess_mdev *tm, unsigned int n)
{
	const struct tess_mdev_plane *shown = &tm->display.head[n].shown;
	struct tess_mdev_totals *totals = &tm->display.totals[n];

	lockdep_assert_held_write(&tm->map_lock);
	if (!(shown->control & TESS_DCONTROL_ENABLE))
		return;
	totals->shown++;
	totals->damaged += (u64)(shown->damage.x2 - shown->damage.x1) *
			   (shown->damage.y2 - shown->damage.y1);
	totals->last = shown->damage;
	damage_add(tm, n, shown);
}

static int damage_format_head(const struct tess_mdev_display *display, unsigned int n, char *buf,
			      int at)
{
	const struct tess_mdev_totals *totals = &display->totals[n];
	const struct tess_mdev_plane *shown = &display->head[n].shown;
	const struct tess_head_rect *last = &totals->last;
	bool enabled = shown->control & TESS_DCONTROL_ENABLE;
	int len;

	len = sysfs_emit_at(buf, at, "head=%u size=%ux%u shown=%llu damaged=%llu ", n,
			    enabled ? shown->width : 0, enabled ? shown->height : 0,
			    totals->shown, totals->damaged);
	return len + sysfs_emit_at(buf, at + len, "last=%u,%u-%u,%u\n", last->x1, last->y1,
				   last->x2, last->y2);
}

ssize_t tess_mdev_damage_format(struct tess_mdev *tm, char *buf)
{
	u32 given = tess_mdev_page_heads(tm);
	unsigned int n;
	int at = 0;

	guard(rwsem_read)(&tm->map_lock);
	for (n = 0; n < TESS_HEADS_MAX; n++)
		if (given & BIT(n))
			at += damage_format_head(&tm->display, n, buf, at);
	return at;
}
