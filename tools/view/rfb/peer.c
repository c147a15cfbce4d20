// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: what clients say
 *
 * RFC 6143, 7.5, and SetDesktopSize. All of it is a wish that replaces the one before, so nothing
 * queues, however much a client says. Keys, pointer and clipboard are skipped.
 */
#include "peer.h"

/* Messages, and how long they are, at least */
#define SET_FORMAT 0
#define SET_FORMAT_BYTES 20
#define SET_ENCODINGS 2
#define SET_ENCODINGS_BYTES 4
#define REQUEST 3
#define REQUEST_BYTES 10
#define KEY 4
#define KEY_BYTES 8
#define POINTER 5
#define POINTER_BYTES 6
#define CUT_TEXT 6
#define CUT_TEXT_BYTES 8
#define SET_SIZE 251
#define SET_SIZE_BYTES 8
#define SET_SIZE_SCREEN 16

#define MAP_COLOURS 256

static unsigned int get16(const uint8_t *from)
{
	return (unsigned int)from[0] << 8 | from[1];
}

static uint32_t get32(const uint8_t *from)
{
	return (uint32_t)get16(from) << 16 | get16(from + 2);
}

/* 0: no such message */
static size_t length_of(uint8_t type)
{
	switch (type) {
	case SET_FORMAT:
		return SET_FORMAT_BYTES;
	case SET_ENCODINGS:
		return SET_ENCODINGS_BYTES;
	case REQUEST:
		return REQUEST_BYTES;
	case KEY:
		return KEY_BYTES;
	case POINTER:
		return POINTER_BYTES;
	case CUT_TEXT:
		return CUT_TEXT_BYTES;
	case SET_SIZE:
		return SET_SIZE_BYTES;
	}
	return 0;
}

static bool set_format(struct peer *c, const uint8_t *message)
{
	uint16_t colours[3];
	unsigned int i;

	if (!format_set(&c->encoder.format, message + 4))
		return false;
	if (!c->encoder.format.mapped)
		return true;
	connection_put16(&c->connection, 1 << 8);
	connection_put16(&c->connection, 0);
	connection_put16(&c->connection, MAP_COLOURS);
	for (i = 0; i < MAP_COLOURS; i++) {
		format_map(i, colours);
		connection_put16(&c->connection, colours[0]);
		connection_put16(&c->connection, colours[1]);
		connection_put16(&c->connection, colours[2]);
	}
	return true;
}

static void begin_encodings(struct peer *c, unsigned int count)
{
	c->encodings = count;
	c->copies = c->sizes = c->extended = false;
	c->encoder.encoding = -1;
	c->encoder.quality = 0;
}

static void take_encoding(struct peer *c, int32_t encoding)
{
	struct encoder *e = &c->encoder;

	switch (encoding) {
	case ENCODING_RAW:
	case ENCODING_TIGHT:
	case ENCODING_ZRLE:
		if (e->encoding < 0)
			e->encoding = encoding;
		return;
	case ENCODING_COPY:
		c->copies = true;
		return;
	case ENCODING_SIZE:
		c->sizes = true;
		return;
	case ENCODING_EXTENDED_SIZE:
		c->extended = c->sizes = c->tell_size = true;
		return;
	}
	if (encoding >= ENCODING_QUALITY && encoding < ENCODING_QUALITY + ENCODING_QUALITIES)
		e->quality = 10 * (unsigned int)(encoding - ENCODING_QUALITY + 1);
}

static void take_encodings(struct peer *c)
{
	for (; c->encodings && connection_has(&c->connection) >= 4; c->encodings--)
		take_encoding(c, (int32_t)get32(connection_take(&c->connection, 4)));
	if (!c->encodings && c->encoder.encoding < 0)
		c->encoder.encoding = ENCODING_RAW;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

void tiles_add(struct shadow_tiles *tiles, const struct shadow_rect *rect)
{
	unsigned int x, y;

	for (y = rect->y1 / SHADOW_TILE; y * SHADOW_TILE < rect->y2; y++)
		for (x = rect->x1 / SHADOW_TILE; x * SHADOW_TILE < rect->x2; x++) {
			unsigned int bit = y * SHADOW_COLUMNS + x;

			tiles->words[bit / 64] |= 1ULL << bit % 64;
		}
}

static void take_request(struct peer *c, const uint8_t *message)
{
	struct shadow_rect area = { get16(message + 2), get16(message + 4), 0, 0 };

	area.x2 = least(area.x1 + get16(message + 6), c->width);
	area.y2 = least(area.y1 + get16(message + 8), c->height);
	c->asked = true;
	if (!message[1])
		tiles_add(&c->owed, &area);
}

static void take_size(struct peer *c, const uint8_t *message)
{
	uint64_t width = get16(message + 2), height = get16(message + 4);

	c->skip = (uint64_t)message[6] * SET_SIZE_SCREEN;
	if (!c->may_resize) {
		c->answer = SIZE_PROHIBITED;
	} else if (!width || !height) {
		c->answer = SIZE_INVALID;
	} else {
		c->answer = SIZE_FORWARDED;
		c->wanted = width << 32 | height;
	}
}

static bool take_message(struct peer *c, const uint8_t *message)
{
	switch (message[0]) {
	case SET_FORMAT:
		return set_format(c, message);
	case SET_ENCODINGS:
		begin_encodings(c, get16(message + 2));
		break;
	case REQUEST:
		take_request(c, message);
		break;
	case CUT_TEXT:
		c->skip = get32(message + 4);
		break;
	case SET_SIZE:
		take_size(c, message);
		break;
	}
	return true;
}

static void skip(struct peer *c)
{
	size_t count = connection_has(&c->connection);

	if (count > c->skip)
		count = (size_t)c->skip;
	connection_take(&c->connection, count);
	c->skip -= count;
}

bool peer_listen(struct peer *c)
{
	size_t length;

	for (;;) {
		take_encodings(c);
		skip(c);
		if (c->encodings || c->skip || !connection_has(&c->connection))
			return true;
		length = length_of(*connection_look(&c->connection));
		if (!length)
			return false;
		if (connection_has(&c->connection) < length)
			return true;
		if (!take_message(c, connection_take(&c->connection, length)))
			return false;
	}
}
