// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: the shadow
 *
 * Guests tell which rectangle of a picture changed, and many tell that all of it did. What is sent
 * to clients is what differs, so each damaged tile is compared with what they were told before.
 * Tiles are compared line by line, and a line of the picture is read once: it is memory of a GPU,
 * which may be slow to read, and the guest may change it between two readings.
 *
 * Rejected: hashes instead of a copy. The library that encodes has some of its own, but then the
 * whole of each picture would have to be handed to it for each client.
 */
#include <string.h>

#include "shadow.h"

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static void take_xrgb(uint32_t *to, const uint8_t *from, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		uint32_t pixel;

		memcpy(&pixel, from + i * sizeof(pixel), sizeof(pixel));
		to[i] = pixel & 0xffffff;
	}
}

/* The highest bits of a colour are its lowest, too, so that white stays white */
static void take_rgb565(uint32_t *to, const uint8_t *from, unsigned int count)
{
	uint16_t line[SHADOW_TILE];
	unsigned int i;

	memcpy(line, from, count * sizeof(*line));
	for (i = 0; i < count; i++) {
		uint32_t r = line[i] >> 11, g = line[i] >> 5 & 0x3f, b = line[i] & 0x1f;

		to[i] = (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | b << 3 | b >> 2;
	}
}

static uint32_t blend(uint32_t under, uint32_t over)
{
	uint32_t rest = 255 - (over >> 24), pixel = 0;
	unsigned int shift;

	for (shift = 0; shift < 24; shift += 8) {
		uint32_t value =
			(over >> shift & 255) + ((under >> shift & 255) * rest + 127) / 255;

		/* Guests may give colours that were not multiplied */
		pixel |= (value < 255 ? value : 255) << shift;
	}
	return pixel;
}

/* On top of pixels from @x on, of line @y */
static void draw_cursor(const struct shadow_cursor *cursor, uint32_t *line, unsigned int x,
			unsigned int count, unsigned int y)
{
	int row = (int)y - cursor->y, column = (int)x - cursor->x;
	unsigned int i;

	if (!cursor->shown || row < 0 || row >= SHADOW_CURSOR)
		return;
	for (i = 0; i < count; i++, column++)
		if (column >= 0 && column < SHADOW_CURSOR)
			line[i] = blend(line[i], cursor->pixels[row * SHADOW_CURSOR + column]);
}

static void add_tile(struct shadow_tiles *tiles, unsigned int column, unsigned int line)
{
	unsigned int bit = line * SHADOW_COLUMNS + column;

	tiles->words[bit / 64] |= 1ULL << bit % 64;
}

/* Part of one tile; true: it differed */
static bool take_tile(struct shadow *shadow, const struct shadow_picture *picture,
		      const struct shadow_rect *part)
{
	unsigned int count = part->x2 - part->x1, y;
	bool differs = false;

	for (y = part->y1; y < part->y2; y++) {
		const uint8_t *from = picture->pixels + y * picture->pitch;
		uint32_t *to = shadow->pixels + (size_t)y * shadow->width + part->x1;
		uint32_t line[SHADOW_TILE];

		if (picture->rgb565)
			take_rgb565(line, from + part->x1 * sizeof(uint16_t), count);
		else
			take_xrgb(line, from + part->x1 * sizeof(uint32_t), count);
		draw_cursor(&shadow->cursor, line, part->x1, count, y);
		if (!memcmp(to, line, count * sizeof(*to)))
			continue;
		if (!differs)
			add_tile(&shadow->changed, part->x1 / SHADOW_TILE, y / SHADOW_TILE);
		differs = true;
		memcpy(to, line, count * sizeof(*to));
	}
	return differs;
}

void shadow_resize(struct shadow *shadow, unsigned int width, unsigned int height)
{
	shadow->width = least(width, SHADOW_SIZE_MAX);
	shadow->height = least(height, SHADOW_SIZE_MAX);
	memset(shadow->pixels, 0, (size_t)shadow->width * shadow->height * sizeof(uint32_t));
	shadow_tiles_all(&shadow->changed, shadow->width, shadow->height);
}

unsigned int shadow_take(struct shadow *shadow, const struct shadow_picture *picture,
			 const struct shadow_rect *rect)
{
	unsigned int right = least(rect->x2, shadow->width), found = 0;
	unsigned int bottom = least(rect->y2, shadow->height);
	struct shadow_rect part;

	for (part.y1 = rect->y1; part.y1 < bottom; part.y1 = part.y2) {
		part.y2 = least((part.y1 / SHADOW_TILE + 1) * SHADOW_TILE, bottom);
		for (part.x1 = rect->x1; part.x1 < right; part.x1 = part.x2) {
			part.x2 = least((part.x1 / SHADOW_TILE + 1) * SHADOW_TILE, right);
			shadow->compared++;
			if (!take_tile(shadow, picture, &part))
				continue;
			found++;
			shadow->different += (uint64_t)(part.x2 - part.x1) * (part.y2 - part.y1);
		}
	}
	return found;
}

/* From an edge of the cursor to one of the picture */
static unsigned int within(int edge, unsigned int limit)
{
	return edge < 0 ? 0 : least((unsigned int)edge, limit);
}

struct shadow_rect shadow_under(const struct shadow *shadow)
{
	const struct shadow_cursor *c = &shadow->cursor;

	if (!c->shown)
		return (struct shadow_rect){ 0, 0, 0, 0 };
	return (struct shadow_rect){ within(c->x, shadow->width), within(c->y, shadow->height),
				     within(c->x + SHADOW_CURSOR, shadow->width),
				     within(c->y + SHADOW_CURSOR, shadow->height) };
}

static unsigned int tiles_of(unsigned int pixels)
{
	return (pixels + SHADOW_TILE - 1) / SHADOW_TILE;
}

unsigned int shadow_count(unsigned int width, unsigned int height)
{
	return tiles_of(width) * tiles_of(height);
}

void shadow_tiles_all(struct shadow_tiles *tiles, unsigned int width, unsigned int height)
{
	unsigned int x, y;

	memset(tiles, 0, sizeof(*tiles));
	for (y = 0; y < tiles_of(height); y++)
		for (x = 0; x < tiles_of(width); x++)
			add_tile(tiles, x, y);
}

/* Where the last tile that ends before an edge does; that at the edge of a picture is cut there */
static unsigned int whole_tiles(unsigned int edge, unsigned int size)
{
	return edge < size ? edge / SHADOW_TILE : tiles_of(size);
}

void shadow_tiles_remove(struct shadow_tiles *tiles, const struct shadow_rect *rect,
			 unsigned int width, unsigned int height)
{
	unsigned int right = whole_tiles(rect->x2, width), x;
	unsigned int bottom = whole_tiles(rect->y2, height), y;

	for (y = tiles_of(rect->y1); y < bottom; y++)
		for (x = tiles_of(rect->x1); x < right; x++)
			tiles->words[(y * SHADOW_COLUMNS + x) / 64] &=
				~(1ULL << (y * SHADOW_COLUMNS + x) % 64);
}

/* Is it in the set? */
static bool has(const struct shadow_tiles *tiles, unsigned int bit)
{
	return tiles->words[bit / 64] >> bit % 64 & 1;
}

bool shadow_tiles_run(const struct shadow_tiles *tiles, unsigned int width, unsigned int height,
		      unsigned int *at, struct shadow_rect *rect)
{
	unsigned int end = tiles_of(height) * SHADOW_COLUMNS, bit = *at, first;

	while (bit < end && (!has(tiles, bit) || bit % SHADOW_COLUMNS >= tiles_of(width)))
		bit += tiles->words[bit / 64] >> bit % 64 ? 1 : 64 - bit % 64;
	if (bit >= end)
		return false;
	first = bit;
	while (bit < end && has(tiles, bit) && bit / SHADOW_COLUMNS == first / SHADOW_COLUMNS &&
	       bit % SHADOW_COLUMNS < tiles_of(width))
		bit++;
	*at = bit;
	rect->x1 = first % SHADOW_COLUMNS * SHADOW_TILE;
	rect->y1 = first / SHADOW_COLUMNS * SHADOW_TILE;
	rect->x2 = least(rect->x1 + (bit - first) * SHADOW_TILE, width);
	rect->y2 = least(rect->y1 + SHADOW_TILE, height);
	return true;
}
