// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: names that are near
 *
 * Somebody who mistypes a name is told the one that was probably meant: that with the
 * smallest edit distance, if it is not more than a third of what was typed.
 */
#include <string.h>

#include "near.h"

/* Longer ones are not typed by hand */
#define NEAR_MAX 64

static size_t min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance of @a and the first @length letters of @b, a row at a time */
static size_t edit_distance(const char *a, const char *b, size_t length)
{
	size_t row[NEAR_MAX + 1], i, j, diagonal, above;

	for (j = 0; j <= length; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= length; j++) {
			above = row[j];
			row[j] = min_of(min_of(above, row[j - 1]) + 1,
					diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[length];
}

static void offer(struct near *near, const char *candidate, size_t length)
{
	size_t typed = strlen(near->typed), distance;

	if (typed > NEAR_MAX || length > NEAR_MAX)
		return;
	distance = edit_distance(near->typed, candidate, length);
	if (distance > (typed + 1) / 3 || (near->best && distance >= near->distance))
		return;
	near->best = candidate;
	near->distance = distance;
}

void near_offer(struct near *near, const char *candidate)
{
	offer(near, candidate, strlen(candidate));
}

void near_offer_prefix(struct near *near, const char *candidate)
{
	offer(near, candidate, min_of(strlen(candidate), strlen(near->typed)));
}
