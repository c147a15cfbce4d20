/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may have been meant by a name that does not exist. */
#ifndef CLI_NEAR_H
#define CLI_NEAR_H

#include <stddef.h>

/**
 * struct near - the candidate that is nearest to what was typed
 * @typed: what was typed
 * @best: the nearest of those that were offered, NULL if none is near; not copied
 * @distance: letters to insert, remove or replace
 */
struct near {
	const char *typed;
	const char *best;
	size_t distance;
};

static inline struct near near_to(const char *typed)
{
	return (struct near){ .typed = typed };
}

/* Offer a candidate that must be near as a whole. */
void near_offer(struct near *near, const char *candidate);

/* Offer one of which only the beginning may have been typed. */
void near_offer_prefix(struct near *near, const char *candidate);

#endif
