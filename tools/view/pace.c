// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: when to look
 *
 * A head tells of each flip, so it is looked at then. Some guests draw into the picture that is
 * shown, and tell nobody: firmware, text consoles, drivers without damage. So all of the picture is
 * looked at from time to time, too: often while that finds something, twice a second if it does
 * not, and never so often that it takes more than a twentieth of a processor, as memory of a GPU
 * may be slow to read.
 */
#include "pace.h"

#define SECOND 1000000000ULL
#define SLOWEST (SECOND / 2)
#define FASTEST (SECOND / 20)
#define PART 20

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void pace_begin(struct pace *pace, unsigned int rate)
{
	*pace = (struct pace){ .frame = SECOND / rate, .interval = SLOWEST };
}

void pace_wake(struct pace *pace, uint64_t now)
{
	pace->interval = SLOWEST;
	pace->next_whole = now;
}

void pace_looked(struct pace *pace, uint64_t now)
{
	pace->next_look = now + pace->frame;
}

void pace_whole(struct pace *pace, uint64_t now, uint64_t took, bool untold)
{
	if (untold)
		pace->interval = FASTEST;
	else if (pace->interval < SLOWEST / 2)
		pace->interval *= 2;
	else
		pace->interval = SLOWEST;
	pace->next_whole = now + later(pace->interval, PART * took);
}

uint64_t pace_next(const struct pace *pace)
{
	return later(pace->next_whole, pace->next_look);
}
