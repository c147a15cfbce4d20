/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rectangles of a picture, as a client wants them */
#ifndef RFB_ENCODE_H
#define RFB_ENCODE_H

#include <zlib.h>

#include "connection.h"
#include "format.h"
#include "shadow.h"

/* Encodings, and what a client says among them (RFC 6143, 7.7 and 7.8; rfbproto) */
#define ENCODING_RAW 0
#define ENCODING_COPY 1
#define ENCODING_TIGHT 7
#define ENCODING_ZRLE 16
#define ENCODING_QUALITY (-32)
#define ENCODING_QUALITIES 10
#define ENCODING_SIZE (-223)
#define ENCODING_EXTENDED_SIZE (-308)

/* Streams of zlib that Tight uses */
#define TIGHT_COPY 0
#define TIGHT_MONO 1
#define TIGHT_INDEXED 2
#define TIGHT_STREAMS 3
/* Pixels from edge to edge of a piece, at most: each may have its own colours */
#define TIGHT_PIECE 256U

/**
 * struct deflater - a stream of zlib that lasts as long as the client
 * @z: state
 * @open: it has begun
 * @strategy: of zlib, at present
 */
struct deflater {
	z_stream z;
	bool open;
	int strategy;
};

/**
 * struct encoder - for one client
 * @to: the client
 * @format: its pixels
 * @encoding: what it likes best
 * @quality: of JPEG, in Tight, 1 to 100; 0: none, pixels are exact
 * @level: of zlib
 * @strategy: of zlib, for the present rectangle
 * @zrle: stream
 * @tight: streams
 * @jpeg: of libturbojpeg
 */
struct encoder {
	struct connection *to;
	struct format format;
	int32_t encoding;
	unsigned int quality;
	unsigned int level;
	int strategy;
	struct deflater zrle, tight[TIGHT_STREAMS];
	void *jpeg;
};

/**
 * struct pixels - a picture
 * @at: XRGB8888 with X = 0, line after line
 * @width: of it
 */
struct pixels {
	const uint32_t *at;
	unsigned int width;
};

static inline const uint32_t *pixels_of(const struct pixels *p, unsigned int x, unsigned int y)
{
	return p->at + (size_t)y * p->width + x;
}

/* Behind what the client was told; @flush: and so that it can take out all of it */
void deflater_put(struct deflater *d, const struct encoder *e, struct connection *to,
		  const void *data, size_t count, bool flush);

/* Pixels of which few that are side by side are so elsewhere, too */
bool noisy(const struct pixels *pixels, const struct shadow_rect *rect);

/* How large the pieces are that a rectangle is sent in */
void encode_piece(const struct encoder *e, unsigned int width, unsigned int *piece_width,
		  unsigned int *piece_height);

/* The beginning of a rectangle */
void encode_header(struct connection *to, const struct shadow_rect *rect, int32_t encoding);

/* A piece, with its header */
void encode_rect(struct encoder *e, const struct pixels *pixels, const struct shadow_rect *rect);

/* What is behind the header */
void zrle_rect(struct encoder *e, const struct pixels *pixels, const struct shadow_rect *rect);
void tight_rect(struct encoder *e, const struct pixels *pixels, const struct shadow_rect *rect);

#endif
