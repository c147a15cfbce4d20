// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heads of a vGPU that goes to another machine, or comes from one.
 */
#include <linux/ktime.h>
#include "base/mdev.h"
#include "head.h"
#include "image.h"
#include "base/format.h"

static void image_save_plane(const struct tess_mdev_plane *plane, struct tess_mig_plane *out)
{
	*out = (struct tess_mig_plane){
		.control = cpu_to_le32(plane->control),
		.format = cpu_to_le32(plane->format),
		.width = cpu_to_le32(plane->width),
		.height = cpu_to_le32(plane->height),
		.pitch = cpu_to_le32(plane->pitch),
		.period = cpu_to_le32(plane->period),
		.address = cpu_to_le64(plane->address),
	};
}

void tess_mdev_head_save(struct tess_mdev *tm, unsigned int n, struct tess_mig_head *out)
{
	const struct tess_mdev_head *head = &tm->display.head[n];

	guard(rwsem_read)(&tm->map_lock);
	image_save_plane(&head->set, &out->set);
	image_save_plane(&head->next, &out->next);
	image_save_plane(&head->shown, &out->shown);
	out->waits = cpu_to_le32(head->waits);
	out->damage_start = cpu_to_le32(head->damage_start);
	out->damage_end = cpu_to_le32(head->damage_end);
	out->address_low = cpu_to_le32(head->address_low);
	out->error = cpu_to_le32(head->error);
	out->events = cpu_to_le32(head->events);
	out->event_mask = cpu_to_le32(head->event_mask);
	out->frames = cpu_to_le64(head->frames);
	out->frame_time = cpu_to_le64(head->frame_time);
}

/* All of it is damaged: the host has never seen it */
static void image_load_plane(const struct tess_mig_plane *in, struct tess_mdev_plane *plane)
{
	*plane = (struct tess_mdev_plane){
		.control = le32_to_cpu(in->control) & TESS_DCONTROL_ALL,
		.format = le32_to_cpu(in->format),
		.width = le32_to_cpu(in->width),
		.height = le32_to_cpu(in->height),
		.pitch = le32_to_cpu(in->pitch),
		.period = le32_to_cpu(in->period),
		.address = le64_to_cpu(in->address),
		.damage = { .x2 = le32_to_cpu(in->width), .y2 = le32_to_cpu(in->height) },
	};
}

static void image_load(const struct tess_mig_head *in, struct tess_mdev_head *head)
{
	image_load_plane(&in->set, &head->set);
	image_load_plane(&in->next, &head->next);
	image_load_plane(&in->shown, &head->shown);
	head->waits = in->waits;
	head->damage_start = le32_to_cpu(in->damage_start);
	head->damage_end = le32_to_cpu(in->damage_end);
	head->address_low = le32_to_cpu(in->address_low);
	head->error = le32_to_cpu(in->error);
	head->events = le32_to_cpu(in->events) & TESS_DEVENT_ALL;
	head->event_mask = le32_to_cpu(in->event_mask) & TESS_DEVENT_ALL;
	head->frames = le64_to_cpu(in->frames);
	head->frame_time = le64_to_cpu(in->frame_time);
	head->frame_began = ktime_get_ns();
}

/* One that was not given here is one that was taken: its guest will hear of it */
static void image_take(struct tess_mdev_head *head)
{
	*head = (struct tess_mdev_head){
		.events = head->events | TESS_DEVENT_LINK,
		.event_mask = head->event_mask,
	};
}

static bool image_can_show(const struct tess_mdev *tm, unsigned int n,
			   const struct tess_mdev_head *head)
{
	return tess_mdev_head_check(tm, n, &head->shown) == TESS_DISPLAY_OK &&
	       (!head->waits || tess_mdev_head_check(tm, n, &head->next) == TESS_DISPLAY_OK);
}

int tess_mdev_head_load(struct tess_mdev *tm, unsigned int n, const struct tess_mig_head *in)
{
	struct tess_mdev_head head = {};

	image_load(in, &head);
	guard(rwsem_write)(&tm->map_lock);
	if (!(tm->display.given & BIT(n)))
		image_take(&head);
	else if (!image_can_show(tm, n, &head))
		return -EINVAL;
	tess_mdev_head_install(tm, n, &head);
	return 0;
}
