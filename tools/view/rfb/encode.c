// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <unistd.h>

#include "encode.h"
#include "say.h"
#include "serve.h"

/* Pixels of a piece: what waits to be written grows by no more than that at a time */
#define PIECE (256U << 10)
/* Pairs of pixels that are remembered; such a part of them is seen again where it is not noise */
#define SEEN 4096U
#define AGAIN_PART 16
/* Pixels; fewer are searched in no time */
#define NOISE_LEAST 1024

static size_t give_room(struct deflater *d, struct connection *to)
{
	size_t room = 4096 + d->z.avail_in;

	d->z.next_out = connection_room(to, room);
	d->z.avail_out = (uInt)room;
	return room;
}

/* What was put before goes out first, and there may be no room for all of it at once */
static void change_strategy(struct deflater *d, const struct encoder *e, struct connection *to)
{
	size_t room;

	d->z.avail_in = 0;
	while (d->strategy != e->strategy) {
		room = give_room(d, to);
		if (deflateParams(&d->z, (int)e->level, e->strategy) != Z_BUF_ERROR)
			d->strategy = e->strategy;
		connection_used(to, room - d->z.avail_out);
	}
}

void deflater_put(struct deflater *d, const struct encoder *e, struct connection *to,
		  const void *data, size_t count, bool flush)
{
	z_stream *z = &d->z;
	size_t room;

	if (!d->open && deflateInit(z, (int)e->level) != Z_OK) {
		say("no memory for zlib; a client is disconnected");
		_exit(1);
	}
	d->open = true;
	change_strategy(d, e, to);
	z->next_in = (Bytef *)data;
	z->avail_in = (uInt)count;
	do {
		room = give_room(d, to);
		deflate(z, flush ? Z_SYNC_FLUSH : Z_NO_FLUSH);
		connection_used(to, room - z->avail_out);
	} while (!z->avail_out);
}

bool noisy(const struct pixels *pixels, const struct shadow_rect *rect)
{
	static uint32_t seen[SEEN];
	unsigned int width = rect->x2 - rect->x1, again = 0, x, y;
	size_t most = (size_t)width * (rect->y2 - rect->y1) / AGAIN_PART;

	if (most < NOISE_LEAST / AGAIN_PART)
		return false;
	memset(seen, 0, sizeof(seen));
	for (y = rect->y1; y < rect->y2; y++) {
		const uint32_t *line = pixels_of(pixels, rect->x1, y);

		for (x = 1; x < width; x++) {
			uint32_t pair = line[x - 1] * 0x9e3779b1U + line[x];
			uint32_t *slot = &seen[pair * 0x85ebca6bU / (0xffffffffU / SEEN + 1)];

			again += *slot == pair;
			*slot = pair;
		}
		if (again > most)
			return false;
	}
	return true;
}

void encode_piece(const struct encoder *e, unsigned int width, unsigned int *piece_width,
		  unsigned int *piece_height)
{
	*piece_width = e->encoding == ENCODING_TIGHT && width > TIGHT_PIECE ? TIGHT_PIECE : width;
	*piece_height = e->encoding == ENCODING_TIGHT ? TIGHT_PIECE : PIECE / *piece_width;
}

void encode_header(struct connection *to, const struct shadow_rect *rect, int32_t encoding)
{
	connection_put16(to, rect->x1);
	connection_put16(to, rect->y1);
	connection_put16(to, rect->x2 - rect->x1);
	connection_put16(to, rect->y2 - rect->y1);
	connection_put32(to, (uint32_t)encoding);
}

static void raw_rect(struct encoder *e, const struct pixels *pixels, const struct shadow_rect *rect)
{
	size_t width = rect->x2 - rect->x1, bytes = width * e->format.bytes;
	unsigned int y;

	for (y = rect->y1; y < rect->y2; y++) {
		format_pixels(&e->format, connection_room(e->to, bytes),
			      pixels_of(pixels, rect->x1, y), width);
		connection_used(e->to, bytes);
	}
}

void encode_rect(struct encoder *e, const struct pixels *pixels, const struct shadow_rect *rect)
{
	/* Where little is like what was before, looking for it takes most of the time, for a fiftieth
	 * of the bytes */
	e->strategy = e->level <= COMPRESS_USUAL && e->encoding != ENCODING_RAW &&
				      noisy(pixels, rect) ?
			      Z_HUFFMAN_ONLY :
			      Z_DEFAULT_STRATEGY;
	encode_header(e->to, rect, e->encoding);
	switch (e->encoding) {
	case ENCODING_ZRLE:
		zrle_rect(e, pixels, rect);
		return;
	case ENCODING_TIGHT:
		tight_rect(e, pixels, rect);
		return;
	}
	raw_rect(e, pixels, rect);
}
