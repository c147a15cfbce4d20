/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When to look at a head. Pure: times are given, in nanoseconds. */
#ifndef VIEW_PACE_H
#define VIEW_PACE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct pace - when to look
 * @frame: from look to look at least
 * @next_look: not before that
 * @interval: until the next look at all of the picture
 * @next_whole: when that is due
 */
struct pace {
	uint64_t frame, next_look, interval, next_whole;
};

/* @rate: looks a second at most */
void pace_begin(struct pace *pace, unsigned int rate);

/* Somebody began to watch, and nobody did before: look at all of it now. */
void pace_wake(struct pace *pace, uint64_t now);

/* A look began. */
void pace_looked(struct pace *pace, uint64_t now);

/**
 * pace_whole() - all of the picture was looked at
 * @pace: state
 * @now: when that ended
 * @took: how long it took
 * @untold: something had changed that nobody had told of
 */
void pace_whole(struct pace *pace, uint64_t now, uint64_t took, bool untold);

/* When to look at all of it next, if the head tells nothing */
uint64_t pace_next(const struct pace *pace);

#endif
