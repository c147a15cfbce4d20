/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Updates of the picture that a client has. */
#ifndef RFB_UPDATE_H
#define RFB_UPDATE_H

#include "peer.h"
#include "damage.h"
#include "moves.h"

#define MOVES_MOST 4

/**
 * struct update - for one client
 * @own: what the client has, or will have when it took in all of the update
 * @stale: tiles of it that may differ from the picture
 * @moves: that it begins with
 * @moved: how many
 * @last: what moved most in the last update that had moves
 * @damage: rectangles that are sent
 * @next: of them
 * @x: in that one, where the next piece begins
 * @y: the same
 */
struct update {
	uint32_t *own;
	struct shadow_tiles stale;
	struct move moves[MOVES_MOST];
	unsigned int moved;
	struct move last;
	struct damage damage;
	unsigned int next, x, y;
};

/* The client is to have a picture of this size. Returns false if there is no memory. */
bool update_resize(struct update *u, struct peer *c, unsigned int width, unsigned int height);

/**
 * update_begin() - answer a client that asked
 * @u: what it has
 * @c: the client
 * @picture: what it is to have; of the same size, and may change meanwhile: then tiles are stale
 *	again after that
 *
 * Return: false if there is nothing to be said.
 */
bool update_begin(struct update *u, struct peer *c, const uint32_t *picture);

/* The next piece of it. Returns false if there is none left. */
bool update_go_on(struct update *u, struct peer *c);

/* An update that tells of a size, and answers a wish for one */
void update_tell_size(struct peer *c);

#endif
