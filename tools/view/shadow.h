/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The picture that clients are told of, and which tiles of it a newer picture differs in. Pure. */
#ifndef VIEW_SHADOW_H
#define VIEW_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pixels from edge to edge of a tile */
#define SHADOW_TILE 64
/* Pixels from edge to edge of a cursor (TESSERA_VIEW_CURSOR_SIZE) */
#define SHADOW_CURSOR 64
/* The largest picture: that of a head (TESS_DISPLAY_SIZE_MAX) */
#define SHADOW_SIZE_MAX 8192
#define SHADOW_PIXELS_MAX ((size_t)SHADOW_SIZE_MAX * SHADOW_SIZE_MAX)
/* A line of tiles has as many bits as the widest picture needs, whatever its width is */
#define SHADOW_COLUMNS (SHADOW_SIZE_MAX / SHADOW_TILE)
#define SHADOW_WORDS (SHADOW_COLUMNS * SHADOW_COLUMNS / 64)

/**
 * struct shadow_tiles - a set of tiles
 * @words: bit SHADOW_COLUMNS * line + column
 */
struct shadow_tiles {
	uint64_t words[SHADOW_WORDS];
};

/**
 * struct shadow_rect - part of a picture, in pixels
 * @x1: left edge
 * @y1: top edge
 * @x2: behind the right edge; not above @x1: empty
 * @y2: behind the bottom edge
 */
struct shadow_rect {
	unsigned int x1, y1, x2, y2;
};

/**
 * struct shadow_picture - the one that a head shows
 * @pixels: its first line; may change, and fault, at any time
 * @pitch: bytes from line to line
 * @rgb565: two bytes for each pixel; otherwise four, of which the highest does not count
 */
struct shadow_picture {
	const uint8_t *pixels;
	size_t pitch;
	bool rgb565;
};

/**
 * struct shadow_cursor - what is shown on top of the picture
 * @shown: it is
 * @x: where its first pixel is; may be left of the picture
 * @y: the same
 * @pixels: ARGB8888, colours multiplied by alpha
 */
struct shadow_cursor {
	bool shown;
	int x, y;
	uint32_t pixels[SHADOW_CURSOR * SHADOW_CURSOR];
};

/**
 * struct shadow - the copy
 * @pixels: XRGB8888 with X = 0, line after line; of the caller, with room for SHADOW_PIXELS_MAX
 * @width: pixels
 * @height: lines
 * @cursor: on top of what is taken over from now on
 * @changed: tiles that were changed since the caller emptied it
 * @compared: tiles that shadow_take() looked at, so far
 * @different: pixels of the tiles that differed, so far
 */
struct shadow {
	uint32_t *pixels;
	unsigned int width, height;
	struct shadow_cursor cursor;
	struct shadow_tiles changed;
	uint64_t compared, different;
};

/* A black picture of another size; all tiles are changed. */
void shadow_resize(struct shadow *shadow, unsigned int width, unsigned int height);

/**
 * shadow_take() - take over what differs in part of a picture of the same size
 * @shadow: copy
 * @picture: newer one
 * @rect: where; cut at the edges of the picture
 *
 * A tile is in @changed before any pixel of it changes, so a fault of @picture may end this by
 * longjmp().
 *
 * Return: how many tiles differed.
 */
unsigned int shadow_take(struct shadow *shadow, const struct shadow_picture *picture,
			 const struct shadow_rect *rect);

/* Where a cursor is in the picture; empty: nowhere */
struct shadow_rect shadow_under(const struct shadow *shadow);

/* Tiles of a picture of that size */
unsigned int shadow_count(unsigned int width, unsigned int height);

/* All tiles of a picture of that size, and none else */
void shadow_tiles_all(struct shadow_tiles *tiles, unsigned int width, unsigned int height);

/* Take those tiles of a picture of that size out of a set that have no pixel outside of @rect. */
void shadow_tiles_remove(struct shadow_tiles *tiles, const struct shadow_rect *rect,
			 unsigned int width, unsigned int height);

/**
 * shadow_tiles_run() - the next tiles of a set that are side by side
 * @tiles: set
 * @width: pixels of the picture
 * @height: lines of it
 * @at: where to begin; 0 for the first time, then as this left it
 * @rect: set to their place in the picture
 *
 * Return: false if there is none left.
 */
bool shadow_tiles_run(const struct shadow_tiles *tiles, unsigned int width, unsigned int height,
		      unsigned int *at, struct shadow_rect *rect);

#endif
