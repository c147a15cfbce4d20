/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a client said, and what it is to get */
#ifndef RFB_PEER_H
#define RFB_PEER_H

#include "encode.h"

/* Answers to a wish for a size (rfbproto, ExtendedDesktopSize) */
#define SIZE_PROHIBITED 1
#define SIZE_INVALID 3
#define SIZE_FORWARDED 4

/**
 * struct peer - a client
 * @connection: to it
 * @encoder: as it wants pictures
 * @copies: it knows CopyRect
 * @sizes: it knows other sizes
 * @extended: and more about them
 * @encodings: so many more of a list come
 * @skip: so many more bytes of no interest come
 * @asked: it asked for an update
 * @tell_size: in the next update
 * @answer: to its wish for a size, in the next update; 0: none
 * @owed: tiles that it gets whether or not they differ
 * @width: of the picture that it knows
 * @height: of it
 * @may_resize: it may wish for a size
 * @wanted: size that it wished for: width << 32 | height; 0: none
 */
struct peer {
	struct connection connection;
	struct encoder encoder;
	bool copies, sizes, extended;
	unsigned int encodings;
	uint64_t skip;
	bool asked, tell_size;
	unsigned int answer;
	struct shadow_tiles owed;
	unsigned int width, height;
	bool may_resize;
	uint64_t wanted;
};

/* Tiles in which a part of the picture is */
void tiles_add(struct shadow_tiles *tiles, const struct shadow_rect *rect);

/* Take in what it said, as far as that is complete. Returns false if it makes no sense. */
bool peer_listen(struct peer *peer);

#endif
