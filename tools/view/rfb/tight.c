// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: Tight
 *
 * As rfbproto describes it: a piece is one colour, indices of up to 256 of them, pixels, or JPEG if
 * the client asked for that and there are more colours.
 */
#include <string.h>
#include <turbojpeg.h>

#include "encode.h"
#include "palette.h"

/* Behind the number of the stream */
#define FILTERED 0x40
#define FILTER_PALETTE 1
#define FILL 0x80
#define JPEG 0x90
/* Shorter ones are not compressed, and their length is not said */
#define SHORT 12
/* Fewer pixels are not worth it */
#define JPEG_LEAST 1024
/* From this quality on, colours have all lines */
#define QUALITY_FINE 80

static void put_length(struct connection *to, size_t length)
{
	connection_put8(to, (length & 127) | (length > 127 ? 128 : 0));
	if (length > 127)
		connection_put8(to, (length >> 7 & 127) | (length > 16383 ? 128 : 0));
	if (length > 16383)
		connection_put8(to, (unsigned int)(length >> 14));
}

/* How long it became is said before, so it is made elsewhere */
static void put_deflated(struct encoder *e, unsigned int stream, const uint8_t *data, size_t count)
{
	static struct connection aside;

	if (count < SHORT) {
		connection_put(e->to, data, count);
		return;
	}
	aside.out_begin = aside.out_end = 0;
	deflater_put(&e->tight[stream], e, &aside, data, count, true);
	put_length(e->to, connection_waits(&aside));
	connection_put(e->to, aside.out, connection_waits(&aside));
}

/**
 * struct piece - part of a picture
 * @first: pixel
 * @pitch: pixels from line to line
 * @width: of it
 * @height: of it
 * @bytes: room for what is made of it
 */
struct piece {
	const uint32_t *first;
	size_t pitch;
	unsigned int width, height;
	uint8_t *bytes;
};

static const uint32_t *line(const struct piece *p, unsigned int y)
{
	return p->first + y * p->pitch;
}

static void look(const struct piece *p, struct palette *palette)
{
	unsigned int x, y;

	palette->count = 0;
	memset(palette->slots, 0, sizeof(palette->slots));
	for (y = 0; y < p->height && palette->count <= palette->most; y++) {
		const uint32_t *from = line(p, y);

		palette_add(palette, from[0]);
		for (x = 1; x < p->width; x++)
			if (from[x] != from[x - 1])
				palette_add(palette, from[x]);
	}
}

static void put_colours(struct encoder *e, unsigned int control, const struct palette *palette)
{
	uint8_t bytes[PALETTE_MOST * 4];
	uint8_t *end = format_tpixels(&e->format, bytes, palette->colours, palette->count);

	connection_put8(e->to, control);
	if (control != FILL) {
		connection_put8(e->to, FILTER_PALETTE);
		connection_put8(e->to, palette->count - 1);
	}
	connection_put(e->to, bytes, (size_t)(end - bytes));
}

static void put_mono(struct encoder *e, const struct piece *p, const struct palette *palette)
{
	uint8_t *to = p->bytes;
	unsigned int x, y;

	for (y = 0; y < p->height; y++, to += (p->width + 7) / 8) {
		memset(to, 0, (p->width + 7) / 8);
		for (x = 0; x < p->width; x++)
			if (line(p, y)[x] != palette->colours[0])
				to[x / 8] |= (uint8_t)(128 >> x % 8);
	}
	put_colours(e, TIGHT_MONO << 4 | FILTERED, palette);
	put_deflated(e, TIGHT_MONO, p->bytes, (size_t)(to - p->bytes));
}

static void put_indexed(struct encoder *e, const struct piece *p, const struct palette *palette)
{
	uint8_t *to = p->bytes;
	unsigned int x, y;

	for (y = 0; y < p->height; y++)
		for (x = 0; x < p->width; x++)
			*to++ = palette_index(palette, line(p, y)[x]);
	put_colours(e, TIGHT_INDEXED << 4 | FILTERED, palette);
	put_deflated(e, TIGHT_INDEXED, p->bytes, (size_t)(to - p->bytes));
}

static void put_pixels(struct encoder *e, const struct piece *p)
{
	uint8_t *to = p->bytes;
	unsigned int y;

	for (y = 0; y < p->height; y++)
		to = format_tpixels(&e->format, to, line(p, y), p->width);
	connection_put8(e->to, TIGHT_COPY << 4);
	put_deflated(e, TIGHT_COPY, p->bytes, (size_t)(to - p->bytes));
}

/* Returns false if it cannot. */
static bool put_jpeg(struct encoder *e, const struct piece *p)
{
	unsigned char *made = NULL;
	unsigned long length = 0;
	int error;

	if (!e->jpeg)
		e->jpeg = tjInitCompress();
	if (!e->jpeg)
		return false;
	error = tjCompress2(e->jpeg, (const unsigned char *)p->first, (int)p->width,
			    (int)p->pitch * 4, (int)p->height, TJPF_BGRX, &made, &length,
			    e->quality < QUALITY_FINE ? TJSAMP_420 : TJSAMP_444, (int)e->quality,
			    TJFLAG_FASTDCT);
	if (!error) {
		connection_put8(e->to, JPEG);
		put_length(e->to, length);
		connection_put(e->to, made, length);
	}
	tjFree(made);
	return !error;
}

void tight_rect(struct encoder *e, const struct pixels *pixels, const struct shadow_rect *rect)
{
	static struct palette palette = { .most = PALETTE_MOST };
	static uint8_t bytes[TIGHT_PIECE * TIGHT_PIECE * 4];
	struct piece p = { .first = pixels_of(pixels, rect->x1, rect->y1),
			   .pitch = pixels->width,
			   .width = rect->x2 - rect->x1,
			   .height = rect->y2 - rect->y1,
			   .bytes = bytes };

	look(&p, &palette);
	if (palette.count == 1)
		put_colours(e, FILL, &palette);
	else if (palette.count == 2)
		put_mono(e, &p, &palette);
	else if (palette.count <= PALETTE_MOST && e->format.bytes > 1)
		put_indexed(e, &p, &palette);
	else if (!e->quality || e->format.bytes == 1 || p.width * p.height < JPEG_LEAST ||
		 !put_jpeg(e, &p))
		put_pixels(e, &p);
}
