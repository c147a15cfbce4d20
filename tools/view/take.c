// SPDX-License-Identifier: GPL-2.0-or-later
#include "guard.h"
#include "source.h"

/* Arguments and result of shadow_take() */
struct take {
	struct shadow *shadow;
	const struct shadow_picture *picture;
	const struct shadow_rect *rect;
	unsigned int found;
};

static void take(void *data)
{
	struct take *t = data;

	t->found = shadow_take(t->shadow, t->picture, t->rect);
}

bool source_read(const struct source *source, const struct shadow_picture *picture,
		 const struct shadow_rect *rect, struct shadow *shadow, unsigned int *found)
{
	struct take t = { .shadow = shadow, .picture = picture, .rect = rect };
	bool whole = guard_run(source->map, source->mapped, take, &t);

	*found = t.found;
	return whole;
}
