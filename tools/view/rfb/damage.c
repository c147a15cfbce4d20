// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: what differs
 *
 * Tiles are what the server tells of; an encoder should get less. So each is compared again, in
 * blocks, of which the edges of what differs are kept exactly. Two rectangles become one if that
 * has few pixels more than both: a rectangle costs some 30 bytes, and pixels that are as they were
 * cost little, as they are like those beside them.
 */
#include <string.h>

#include "damage.h"

/* Pixels from edge to edge */
#define BLOCK 16U
/* So many pixels too many are cheaper than another rectangle, and such a part of all of them */
#define WASTE 256
#define WASTE_PART 8
/* A rectangle that has such a part of another one is small */
#define SMALL_PART 16
/* So many of the last rectangles may grow */
#define LOOK_BACK 32

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static struct shadow_rect unite(const struct shadow_rect *a, const struct shadow_rect *b)
{
	return (struct shadow_rect){ least(a->x1, b->x1), least(a->y1, b->y1),
				     a->x2 > b->x2 ? a->x2 : b->x2, a->y2 > b->y2 ? a->y2 : b->y2 };
}

static bool worth_it(const struct shadow_rect *a, const struct shadow_rect *b,
		     const struct shadow_rect *both)
{
	size_t all = rect_pixels(both), own = rect_pixels(a) + rect_pixels(b);

	return all <= own + WASTE || all <= own + all / WASTE_PART;
}

void damage_add(struct damage *d, const struct shadow_rect *rect)
{
	unsigned int i = d->count > LOOK_BACK ? d->count - LOOK_BACK : 0;

	for (; i < d->count; i++) {
		struct shadow_rect both = unite(&d->rects[i], rect);

		if (!worth_it(&d->rects[i], rect, &both))
			continue;
		d->rects[i] = both;
		return;
	}
	if (d->count < DAMAGE_MOST)
		d->rects[d->count++] = *rect;
	else
		d->rects[DAMAGE_MOST - 1] = unite(&d->rects[DAMAGE_MOST - 1], rect);
}

/* Narrow a line of a block down to what differs; false: nothing does */
static bool narrow(const uint32_t *old, const uint32_t *new, unsigned int *x1, unsigned int *x2)
{
	while (*x1 < *x2 && old[*x1] == new[*x1])
		++*x1;
	while (*x1 < *x2 && old[*x2 - 1] == new[*x2 - 1])
		--*x2;
	return *x1 < *x2;
}

static void add_line(struct shadow_rect *found, unsigned int x1, unsigned int x2, unsigned int y)
{
	struct shadow_rect line = { x1, y, x2, y + 1 };

	*found = rect_pixels(found) ? unite(found, &line) : line;
}

/* A line of blocks: what differs in each that lies side by side is one */
static void add_blocks(struct damage *d, const struct shadow_rect *found, unsigned int count)
{
	struct shadow_rect run = { 0, 0, 0, 0 }, both;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!rect_pixels(&found[i]))
			continue;
		both = unite(&run, &found[i]);
		if (rect_pixels(&run) && worth_it(&run, &found[i], &both)) {
			run = both;
			continue;
		}
		if (rect_pixels(&run))
			damage_add(d, &run);
		run = found[i];
	}
	if (rect_pixels(&run))
		damage_add(d, &run);
}

/* Lines of one row of blocks */
static void find_row(struct damage *d, const uint32_t *old, const uint32_t *new, unsigned int width,
		     const struct shadow_rect *row)
{
	struct shadow_rect found[SHADOW_SIZE_MAX / BLOCK + 1];
	unsigned int blocks = (row->x2 - row->x1 + BLOCK - 1) / BLOCK, y, i;
	bool any = false;

	for (y = row->y1; y < row->y2; y++) {
		const uint32_t *a = old + (size_t)y * width, *b = new + (size_t)y *width;

		if (!memcmp(a + row->x1, b + row->x1, (row->x2 - row->x1) * sizeof(*a)))
			continue;
		if (!any)
			memset(found, 0, blocks * sizeof(*found));
		any = true;
		for (i = 0; i < blocks; i++) {
			unsigned int x1 = row->x1 + i * BLOCK, x2 = least(x1 + BLOCK, row->x2);

			if (memcmp(a + x1, b + x1, (x2 - x1) * sizeof(*a)) &&
			    narrow(a, b, &x1, &x2))
				add_line(&found[i], x1, x2, y);
		}
	}
	if (any)
		add_blocks(d, found, blocks);
}

void damage_find(struct damage *d, const uint32_t *old, const uint32_t *new, unsigned int width,
		 const struct shadow_rect *area)
{
	struct shadow_rect row = *area;

	for (row.y1 = area->y1; row.y1 < area->y2; row.y1 = row.y2) {
		row.y2 = least(row.y1 + BLOCK, area->y2);
		find_row(d, old, new, width, &row);
	}
}

struct shadow_rect damage_bounds(const struct damage *d)
{
	struct shadow_rect all = { 0, 0, 0, 0 };
	size_t largest = 0, pixels;
	unsigned int i;

	for (i = 0; i < d->count; i++) {
		pixels = rect_pixels(&d->rects[i]);
		largest = pixels > largest ? pixels : largest;
	}
	for (i = 0; i < d->count; i++)
		if (rect_pixels(&d->rects[i]) >= largest / SMALL_PART)
			all = rect_pixels(&all) ? unite(&all, &d->rects[i]) : d->rects[i];
	return all;
}

size_t damage_pixels(const struct damage *d)
{
	size_t pixels = 0;
	unsigned int i;

	for (i = 0; i < d->count; i++)
		pixels += rect_pixels(&d->rects[i]);
	return pixels;
}
