// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: ZRLE
 *
 * RFC 6143, 7.7.6. A tile is what is the smallest before zlib: one colour, pixels, indices of few
 * bits, or runs of one or the other.
 */
#include <string.h>

#include "encode.h"
#include "palette.h"

#define TILE 64U
#define TILE_PIXELS (TILE * TILE)
#define PACKED_COLOURS 16
#define RUN_COLOURS 127
/* Each pixel a run; its colours; kind */
#define TILE_BYTES (TILE_PIXELS * 5 + PACKED_COLOURS * 4 + RUN_COLOURS * 4 + 1)

/**
 * struct tile - one of them
 * @pixels: of it
 * @width: of it
 * @count: of @pixels
 * @palette: its colours
 * @runs: of pixels that are the same
 * @singles: of these, those of one
 * @more: bytes that say how long the runs are, if each is said
 */
struct tile {
	uint32_t pixels[TILE_PIXELS];
	unsigned int width, count;
	struct palette palette;
	unsigned int runs, singles, more;
};

static void take(struct tile *t, const struct pixels *pixels, unsigned int x, unsigned int y,
		 unsigned int width, unsigned int height)
{
	unsigned int line;

	t->width = width;
	t->count = width * height;
	for (line = 0; line < height; line++)
		memcpy(t->pixels + line * width, pixels_of(pixels, x, y + line), width * 4);
}

static unsigned int run_at(const struct tile *t, unsigned int at)
{
	unsigned int end = at + 1;

	while (end < t->count && t->pixels[end] == t->pixels[at])
		end++;
	return end - at;
}

static void look(struct tile *t)
{
	unsigned int at, run;

	t->palette.most = RUN_COLOURS;
	t->palette.count = 0;
	memset(t->palette.slots, 0, sizeof(t->palette.slots));
	t->runs = t->singles = t->more = 0;
	for (at = 0; at < t->count; at += run) {
		run = run_at(t, at);
		palette_add(&t->palette, t->pixels[at]);
		t->runs++;
		t->singles += run == 1;
		t->more += (run - 1) / 255 + 1;
	}
}

static unsigned int bits_for(unsigned int colours)
{
	return colours <= 2 ? 1 : colours <= 4 ? 2 : 4;
}

static uint8_t *put_length(uint8_t *to, unsigned int run)
{
	for (run--; run >= 255; run -= 255)
		*to++ = 255;
	*to++ = (uint8_t)run;
	return to;
}

static uint8_t *put_packed(const struct tile *t, uint8_t *to)
{
	unsigned int bits = bits_for(t->palette.count), at, x;

	for (at = 0; at < t->count; at += t->width) {
		unsigned int byte = 0, used = 0;

		for (x = 0; x < t->width; x++) {
			byte = byte << bits | palette_index(&t->palette, t->pixels[at + x]);
			used += bits;
			if (used < 8)
				continue;
			*to++ = (uint8_t)byte;
			byte = used = 0;
		}
		if (used)
			*to++ = (uint8_t)(byte << (8 - used));
	}
	return to;
}

static uint8_t *put_indexed_runs(const struct tile *t, uint8_t *to)
{
	unsigned int at, run;

	for (at = 0; at < t->count; at += run) {
		uint8_t index = palette_index(&t->palette, t->pixels[at]);

		run = run_at(t, at);
		*to++ = run > 1 ? index | 128 : index;
		if (run > 1)
			to = put_length(to, run);
	}
	return to;
}

static uint8_t *put_runs(const struct tile *t, const struct format *f, uint8_t *to)
{
	unsigned int at, run;

	for (at = 0; at < t->count; at += run) {
		run = run_at(t, at);
		to = put_length(format_cpixels(f, to, t->pixels + at, 1), run);
	}
	return to;
}

static uint8_t *put_palette(const struct tile *t, const struct format *f, uint8_t *to,
			    unsigned int kind)
{
	*to++ = (uint8_t)kind;
	return format_cpixels(f, to, t->palette.colours, t->palette.count);
}

/* Returns where it ends. */
static uint8_t *put_tile(const struct tile *t, const struct format *f, uint8_t *to)
{
	unsigned int c = f->compact, colours = t->palette.count, height = t->count / t->width;
	unsigned int raw = t->count * c, runs = t->runs * c + t->more;
	unsigned int packed =
		colours > PACKED_COLOURS ?
			raw :
			colours * c + height * ((t->width * bits_for(colours) + 7) / 8);
	/* A run of one needs no length */
	unsigned int indexed = colours > RUN_COLOURS ? raw :
						       colours * c + t->runs + t->more - t->singles;

	if (colours == 1)
		return put_palette(t, f, to, 1);
	if (packed < raw && packed <= runs && packed <= indexed)
		return put_packed(t, put_palette(t, f, to, colours));
	if (indexed < raw && indexed <= runs)
		return put_indexed_runs(t, put_palette(t, f, to, 128 + colours));
	if (runs < raw) {
		*to++ = 128;
		return put_runs(t, f, to);
	}
	*to++ = 0;
	return format_cpixels(f, to, t->pixels, t->count);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

void zrle_rect(struct encoder *e, const struct pixels *pixels, const struct shadow_rect *rect)
{
	static struct tile tile;
	static uint8_t bytes[TILE_BYTES];
	size_t at = connection_waits(e->to), length;
	unsigned int x, y;
	uint8_t *head;

	connection_put32(e->to, 0);
	for (y = rect->y1; y < rect->y2; y += TILE)
		for (x = rect->x1; x < rect->x2; x += TILE) {
			unsigned int width = least(TILE, rect->x2 - x);
			unsigned int height = least(TILE, rect->y2 - y);
			bool last = x + width == rect->x2 && y + height == rect->y2;

			take(&tile, pixels, x, y, width, height);
			look(&tile);
			deflater_put(&e->zrle, e, e->to, bytes,
				     (size_t)(put_tile(&tile, &e->format, bytes) - bytes), last);
		}
	/* How long it is, where there was room for it */
	length = connection_waits(e->to) - at - 4;
	head = e->to->out + e->to->out_begin + at;
	head[0] = (uint8_t)(length >> 24);
	head[1] = (uint8_t)(length >> 16);
	head[2] = (uint8_t)(length >> 8);
	head[3] = (uint8_t)length;
}
