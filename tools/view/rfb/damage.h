/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rectangles of two pictures differ. Pure. */
#ifndef RFB_DAMAGE_H
#define RFB_DAMAGE_H

#include "shadow.h"

#define DAMAGE_MOST 512

/**
 * struct damage - rectangles; they may overlap
 * @count: of them
 * @rects: them
 */
struct damage {
	unsigned int count;
	struct shadow_rect rects[DAMAGE_MOST];
};

/* Nothing */
static inline void damage_begin(struct damage *d)
{
	d->count = 0;
}

/* A rectangle that was found otherwise */
void damage_add(struct damage *d, const struct shadow_rect *rect);

/**
 * damage_find() - add what differs
 * @d: rectangles
 * @old: picture
 * @new: picture of the same size; it may change meanwhile, and then anything may be added
 * @width: pixels of a line
 * @area: where to look
 *
 * Each pixel that differs is in a rectangle. Rectangles are as small as they can be, but those that
 * are near to each other are one.
 */
void damage_find(struct damage *d, const uint32_t *old, const uint32_t *new, unsigned int width,
		 const struct shadow_rect *area);

/* The rectangle that has all of them but those that are small beside the largest one */
struct shadow_rect damage_bounds(const struct damage *d);

/* Pixels in them */
size_t damage_pixels(const struct damage *d);

static inline size_t rect_pixels(const struct shadow_rect *r)
{
	return r->x1 < r->x2 && r->y1 < r->y2 ? (size_t)(r->x2 - r->x1) * (r->y2 - r->y1) : 0;
}

#endif
