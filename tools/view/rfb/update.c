// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: updates
 *
 * What a client has is kept here, so an update is relative to that, however long ago the last one
 * was: first what has moved, then what still differs. Whether moves were found well or not, the
 * client has the picture in the end, as what is sent is what differs after them.
 *
 * An update is encoded piece by piece, while the client takes what there is; meanwhile what it has
 * does not change, and it is not listened to.
 */
#include <stdlib.h>
#include <string.h>

#include "update.h"

/* Fewer pixels are not worth to look for moves */
#define MOVE_LEAST 2048
/* The number of rectangles has 16 bits */
#define RECTS_MOST 60000

#define MESSAGE_UPDATE 0
/* Who wanted a size */
#define SIZE_OF_SERVER 0
#define SIZE_OF_CLIENT 1

bool update_resize(struct update *u, struct peer *c, unsigned int width, unsigned int height)
{
	free(u->own);
	u->own = calloc((size_t)width * height, sizeof(*u->own));
	c->width = width;
	c->height = height;
	memset(&u->stale, 0, sizeof(u->stale));
	memset(&u->last, 0, sizeof(u->last));
	shadow_tiles_all(&c->owed, width, height);
	return u->own;
}

static bool any(const struct shadow_tiles *tiles)
{
	unsigned int i;

	for (i = 0; i < SHADOW_WORDS; i++)
		if (tiles->words[i])
			return true;
	return false;
}

static void find(struct update *u, const struct peer *c, const uint32_t *picture)
{
	struct shadow_rect area;
	unsigned int at = 0;

	while (shadow_tiles_run(&u->stale, c->width, c->height, &at, &area))
		damage_find(&u->damage, u->own, picture, c->width, &area);
}

/* What a client has that is owed something is not known, so nothing of it is moved */
static void find_owed(struct update *u, struct peer *c, const uint32_t *picture)
{
	struct shadow_rect area;
	unsigned int at = 0, i;

	for (i = 0; i < SHADOW_WORDS; i++)
		u->stale.words[i] &= ~c->owed.words[i];
	while (shadow_tiles_run(&c->owed, c->width, c->height, &at, &area))
		damage_add(&u->damage, &area);
	find(u, c, picture);
}

/* All tiles that may differ */
static struct shadow_rect bounds_of_stale(const struct update *u, const struct peer *c)
{
	struct damage tiles = { .count = 0 };
	struct shadow_rect area;
	unsigned int at = 0;

	while (shadow_tiles_run(&u->stale, c->width, c->height, &at, &area))
		damage_add(&tiles, &area);
	return damage_bounds(&tiles);
}

static void apply_move(struct update *u, const struct peer *c)
{
	const struct move *m = &u->moves[u->moved++];

	moves_apply(u->own, c->width, m);
	/* It may have gone over what did not differ, so that may differ now */
	tiles_add(&u->stale, &m->to);
	if (m->exact)
		shadow_tiles_remove(&u->stale, &m->to, c->width, c->height);
	if (u->moved == 1)
		u->last = *m;
}

static void find_moves(struct update *u, struct peer *c, const uint32_t *picture)
{
	struct shadow_rect bounds = bounds_of_stale(u, c);

	if (c->copies && moves_again(u->own, picture, c->width, &bounds, &u->last, &u->moves[0]))
		apply_move(u, c);
	find(u, c, picture);
	while (c->copies && u->moved < MOVES_MOST && damage_pixels(&u->damage) >= MOVE_LEAST) {
		bounds = damage_bounds(&u->damage);
		if (!moves_find(u->own, picture, c->width, &bounds, &u->moves[u->moved]))
			return;
		apply_move(u, c);
		damage_begin(&u->damage);
		find(u, c, picture);
	}
}

static void copy(struct update *u, const struct peer *c, const uint32_t *picture)
{
	unsigned int i, y;

	for (i = 0; i < u->damage.count; i++) {
		const struct shadow_rect *r = &u->damage.rects[i];

		for (y = r->y1; y < r->y2; y++) {
			size_t at = (size_t)y * c->width + r->x1;

			memcpy(u->own + at, picture + at, (r->x2 - r->x1) * sizeof(*u->own));
		}
	}
}

static unsigned int pieces(unsigned int size, unsigned int piece)
{
	return (size + piece - 1) / piece;
}

static size_t count_rects(const struct update *u, const struct peer *c)
{
	unsigned int width, height, i;
	size_t count = u->moved;

	for (i = 0; i < u->damage.count; i++) {
		const struct shadow_rect *r = &u->damage.rects[i];

		encode_piece(&c->encoder, r->x2 - r->x1, &width, &height);
		count += (size_t)pieces(r->x2 - r->x1, width) * pieces(r->y2 - r->y1, height);
	}
	return count;
}

static void put_header(struct connection *to, size_t rects)
{
	connection_put16(to, MESSAGE_UPDATE << 8);
	connection_put16(to, (unsigned int)rects);
}

static void put_moves(struct update *u, struct connection *to)
{
	const struct move *m;

	for (m = u->moves; m < u->moves + u->moved; m++) {
		encode_header(to, &m->to, ENCODING_COPY);
		connection_put16(to, (unsigned int)((int)m->to.x1 - m->dx));
		connection_put16(to, (unsigned int)((int)m->to.y1 - m->dy));
	}
}

bool update_begin(struct update *u, struct peer *c, const uint32_t *picture)
{
	damage_begin(&u->damage);
	u->moved = 0;
	if (any(&c->owed))
		find_owed(u, c, picture);
	else if (any(&u->stale))
		find_moves(u, c, picture);
	memset(&u->stale, 0, sizeof(u->stale));
	memset(&c->owed, 0, sizeof(c->owed));
	if (count_rects(u, c) > RECTS_MOST) {
		u->damage.count = 1;
		u->damage.rects[0] = (struct shadow_rect){ 0, 0, c->width, c->height };
	}
	copy(u, c, picture);
	if (!u->damage.count && !u->moved)
		return false;
	c->asked = false;
	put_header(&c->connection, count_rects(u, c));
	put_moves(u, &c->connection);
	u->next = u->x = u->y = 0;
	return true;
}

bool update_go_on(struct update *u, struct peer *c)
{
	const struct pixels pixels = { u->own, c->width };
	const struct shadow_rect *r;
	struct shadow_rect piece;
	unsigned int width, height;

	if (u->next == u->damage.count)
		return false;
	r = &u->damage.rects[u->next];
	encode_piece(&c->encoder, r->x2 - r->x1, &width, &height);
	piece.x1 = r->x1 + u->x;
	piece.y1 = r->y1 + u->y;
	piece.x2 = piece.x1 + width < r->x2 ? piece.x1 + width : r->x2;
	piece.y2 = piece.y1 + height < r->y2 ? piece.y1 + height : r->y2;
	encode_rect(&c->encoder, &pixels, &piece);
	u->x = piece.x2 - r->x1;
	if (piece.x2 == r->x2) {
		u->x = 0;
		u->y = piece.y2 - r->y1;
	}
	if (piece.x2 == r->x2 && piece.y2 == r->y2) {
		u->y = 0;
		u->next++;
	}
	return true;
}

static void put_extended(struct peer *c, unsigned int whose, unsigned int answer)
{
	const struct shadow_rect rect = { whose, answer, whose + c->width, answer + c->height };
	struct connection *to = &c->connection;

	encode_header(to, &rect, ENCODING_EXTENDED_SIZE);
	/* One screen, number 0, that has all of it */
	connection_put32(to, 1U << 24);
	connection_put32(to, 0);
	connection_put32(to, 0);
	connection_put16(to, c->width);
	connection_put16(to, c->height);
	connection_put32(to, 0);
}

void update_tell_size(struct peer *c)
{
	const struct shadow_rect rect = { 0, 0, c->width, c->height };
	bool answer = c->answer && c->extended;

	put_header(&c->connection, answer + c->tell_size);
	if (answer)
		put_extended(c, SIZE_OF_CLIENT, c->answer);
	if (c->tell_size && c->extended)
		put_extended(c, SIZE_OF_SERVER, 0);
	else if (c->tell_size)
		encode_header(&c->connection, &rect, ENCODING_SIZE);
	c->asked = c->tell_size = false;
	c->answer = 0;
}
