/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a picture is there in the next one, elsewhere. Pure. */
#ifndef RFB_MOVES_H
#define RFB_MOVES_H

#include "shadow.h"

/**
 * struct move - part of a picture is copied
 * @to: where it comes to
 * @dx: from where it was to where it comes to
 * @dy: the same
 * @exact: each pixel was found to be right there
 */
struct move {
	struct shadow_rect to;
	int dx, dy;
	bool exact;
};

/**
 * moves_find() - find the move that explains most of what differs
 * @old: picture
 * @new: next one, of the same size; it may change meanwhile, and then the move may be of no use
 * @width: pixels of a line
 * @area: what differs is in there; what moves comes from there, and to there
 * @move: what was found; both of its ends are in @area
 *
 * It takes time in proportion to @area. What was moved need not be right everywhere.
 *
 * Return: false if there is none that is worth it.
 */
bool moves_find(const uint32_t *old, const uint32_t *new, unsigned int width,
		const struct shadow_rect *area, struct move *move);

/**
 * moves_again() - see whether the same has happened as before
 * @old: picture
 * @new: next one
 * @width: pixels of a line
 * @area: what differs is in there, and much else may be
 * @last: what was found before; only its vector counts, which may be none (0, 0)
 * @move: what was found; both of its ends are in @area
 *
 * It takes less time than to find out what differs, if little has moved so.
 *
 * Return: false if most has not moved by that vector, or it is not worth it.
 */
bool moves_again(const uint32_t *old, const uint32_t *new, unsigned int width,
		 const struct shadow_rect *area, const struct move *last, struct move *move);

/* Copy it within a picture. */
void moves_apply(uint32_t *pixels, unsigned int width, const struct move *move);

#endif
