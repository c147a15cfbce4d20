// SPDX-License-Identifier: GPL-2.0-only
/*
 * Viewers of the display heads are told that something is to be looked at. However slow they are,
 * it costs a bit and a wake-up for each file, of which there are a few.
 */
#include <linux/bits.h>
#include <linux/eventfd.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include "mdev.h"
#include "viewer.h"
#include "vram.h"

void tess_mdev_viewers_tell(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_viewer *viewer;

	lockdep_assert_held_write(&tm->map_lock);
	list_for_each_entry(viewer, &tm->display.viewers, link) {
		if (viewer->event && viewer->event_heads & BIT(n))
			eventfd_signal(viewer->event);
		if (!(viewer->looked & BIT(n)))
			continue;
		WRITE_ONCE(viewer->changed, viewer->changed | BIT(n));
		wake_up_interruptible_poll(&viewer->wait, EPOLLIN | EPOLLRDNORM);
	}
}

void tess_mdev_viewers_tell_cursor(struct tess_mdev *tm, unsigned int n)
{
	struct tess_mdev_viewer *viewer;

	lockdep_assert_held_write(&tm->map_lock);
	list_for_each_entry(viewer, &tm->display.viewers, link) {
		if (!(viewer->cursor_looked & BIT(n)))
			continue;
		if (viewer->event && viewer->event_heads & BIT(n))
			eventfd_signal(viewer->event);
		WRITE_ONCE(viewer->cursor_changed, viewer->cursor_changed | BIT(n));
		wake_up_interruptible_poll(&viewer->wait, EPOLLIN | EPOLLRDNORM);
	}
}

void tess_mdev_viewers_hide_cursor(struct tess_mdev *tm, unsigned int n)
{
	if (!(tm->display.head[n].cursor.control & TESS_DCURSOR_ENABLE))
		return;
	tm->display.totals[n].cursor_serial++;
	tess_mdev_viewers_tell_cursor(tm, n);
}

void tess_mdev_viewers_flip(struct tess_mdev *tm, unsigned int n)
{
	tm->display.totals[n].serial++;
	tess_mdev_viewers_tell(tm, n);
}

/* They wait for the lock before they look, and find what is then */
void tess_mdev_viewers_change(struct tess_mdev *tm, unsigned int n)
{
	tess_mdev_viewers_hide_cursor(tm, n);
	if (tess_mdev_picture(tm, n))
		tess_mdev_viewers_flip(tm, n);
	else
		tess_mdev_viewers_tell(tm, n);
}

void tess_mdev_viewers_lose(struct tess_mdev *tm)
{
	unsigned int n;

	for (n = 0; !tm->dead && n < TESS_HEADS_MAX; n++)
		if (tm->display.given & BIT(n))
			tess_mdev_viewers_change(tm, n);
}
