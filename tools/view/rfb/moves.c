// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: what has moved
 *
 * Some runs of the new picture that are like no other are looked for in the old one: by a hash that
 * rolls over its lines, and by comparing where that fits. Each place where one is found is a vote
 * for the vector from there. Then a run that voted for the vector with most votes grows, line by
 * line, as long as the new picture has there what the old one has at the other end.
 *
 * What moves often moves the same way again, as text that is scrolled. If most of the runs are where
 * the vector of before says, the old picture need not be looked through, nor be compared first.
 *
 * What a guest shows can mislead this, and make nothing worse: the caller compares what came of
 * it, and it counts before how many pixels become right, and how many wrong.
 */
#include <stdlib.h>
#include <string.h>

#include "moves.h"

/* Pixels of a run, and how many colours follow each other in it at least */
#define RUN 32U
#define VARIETY 4
/* A run from each cell of a grid, and how many lines of the cell are looked at */
#define GRID 8U
#define PROBES 32U
#define ANCHORS (GRID * GRID)
/* Places where a run is found that count */
#define PLACES 64
#define SLOTS 1024U
#define VOTES 4096U
#define STEPS 16
/* Votes that a vector needs; runs that it is tried with; pixels that have to become right */
#define VOTES_LEAST 2
#define SEEDS 4
#define GAIN 512
/* One line may differ in such a part of its pixels */
#define WRONG_PART 4
#define BASE 0x01000193U

/**
 * struct anchor - a run of the new picture
 * @x: where it is
 * @y: where it is
 * @hash: of it
 * @places: where the old picture has it
 */
struct anchor {
	unsigned int x, y, places;
	uint32_t hash;
};

/**
 * struct vote - for a vector
 * @dx: pixels
 * @dy: lines
 * @count: of votes; 0: free
 */
struct vote {
	int dx, dy;
	unsigned int count;
};

/**
 * struct search - what is known
 * @old: picture
 * @new: picture
 * @width: of a line
 * @area: where to look
 * @anchors: runs
 * @count: of @anchors
 * @slots: anchor by its hash, + 1; 0: none
 * @votes: by vector
 * @best: of them
 */
struct search {
	const uint32_t *old, *new;
	unsigned int width;
	struct shadow_rect area;
	struct anchor anchors[ANCHORS];
	unsigned int count;
	uint8_t slots[SLOTS];
	struct vote votes[VOTES];
	const struct vote *best;
};

static const uint32_t *at(const struct search *s, const uint32_t *picture, unsigned int x,
			  unsigned int y)
{
	return picture + (size_t)y * s->width + x;
}

static uint32_t hash_of(const uint32_t *run)
{
	uint32_t hash = 0;
	unsigned int i;

	for (i = 0; i < RUN; i++)
		hash = hash * BASE + run[i];
	return hash;
}

static unsigned int slot_of(uint32_t hash)
{
	return hash * 0x9e3779b1U / (0xffffffffU / SLOTS + 1);
}

/* ---- runs of the new picture ---- */

static unsigned int variety(const uint32_t *run)
{
	unsigned int changes = 0, i;

	for (i = 1; i < RUN; i++)
		changes += run[i] != run[i - 1];
	return changes;
}

static void add_anchor(struct search *s, unsigned int x, unsigned int y)
{
	uint32_t hash = hash_of(at(s, s->new, x, y));
	unsigned int slot = slot_of(hash);

	while (s->slots[slot]) {
		if (s->anchors[s->slots[slot] - 1].hash == hash)
			return;
		slot = (slot + 1) % SLOTS;
	}
	s->anchors[s->count] = (struct anchor){ .x = x, .y = y, .hash = hash };
	s->slots[slot] = (uint8_t)++s->count;
}

/* The run of a cell that has most colours, of those that are new there */
static void look_at_cell(struct search *s, const struct shadow_rect *cell)
{
	unsigned int step = (cell->y2 - cell->y1) / PROBES + 1, most = VARIETY - 1, y, best = 0;

	if (cell->x1 + RUN > s->area.x2)
		return;
	for (y = cell->y1; y < cell->y2; y += step) {
		const uint32_t *run = at(s, s->new, cell->x1, y);
		unsigned int found;

		if (!memcmp(run, at(s, s->old, cell->x1, y), RUN * sizeof(*run)))
			continue;
		found = variety(run);
		if (found <= most)
			continue;
		most = found;
		best = y;
	}
	if (most >= VARIETY)
		add_anchor(s, cell->x1, best);
}

static void choose_anchors(struct search *s)
{
	unsigned int width = s->area.x2 - s->area.x1, height = s->area.y2 - s->area.y1, i, j;

	for (i = 0; i < GRID; i++)
		for (j = 0; j < GRID; j++) {
			struct shadow_rect cell = { s->area.x1 + width * j / GRID,
						    s->area.y1 + height * i / GRID, 0,
						    s->area.y1 + height * (i + 1) / GRID };

			look_at_cell(s, &cell);
		}
}

/* ---- where the old picture has them ---- */

static void vote(struct search *s, int dx, int dy)
{
	uint32_t hash = ((uint32_t)dx * 0x9e3779b1U) ^ ((uint32_t)dy * 0x85ebca6bU);
	unsigned int i;

	if (!dx && !dy)
		return;
	hash ^= hash >> 15;
	for (i = 0; i < STEPS; i++) {
		struct vote *v = &s->votes[(hash + i) % VOTES];

		if (v->count && (v->dx != dx || v->dy != dy))
			continue;
		v->dx = dx;
		v->dy = dy;
		v->count++;
		if (!s->best || v->count > s->best->count)
			s->best = v;
		return;
	}
}

static void look_up(struct search *s, uint32_t hash, unsigned int x, unsigned int y)
{
	unsigned int slot = slot_of(hash);
	struct anchor *a;

	for (; s->slots[slot]; slot = (slot + 1) % SLOTS) {
		a = &s->anchors[s->slots[slot] - 1];
		if (a->hash != hash)
			continue;
		if (a->places < PLACES && !memcmp(at(s, s->old, x, y), at(s, s->new, a->x, a->y),
						  RUN * sizeof(uint32_t))) {
			a->places++;
			vote(s, (int)a->x - (int)x, (int)a->y - (int)y);
		}
		return;
	}
}

static void roll(struct search *s)
{
	uint32_t last = 1;
	unsigned int x, y, i;

	for (i = 0; i < RUN; i++)
		last *= BASE;
	for (y = s->area.y1; y < s->area.y2; y++) {
		const uint32_t *line = at(s, s->old, 0, y);
		uint32_t hash = hash_of(line + s->area.x1);

		for (x = s->area.x1;; x++) {
			if (s->slots[slot_of(hash)])
				look_up(s, hash, x, y);
			if (x + RUN >= s->area.x2)
				break;
			hash = hash * BASE + line[x + RUN] - line[x] * last;
		}
	}
}

/* ---- how far it goes ---- */

/* How many of @count pixels are not where they would be, with @step from one to the next */
static unsigned int wrong(const struct search *s, const struct move *m, unsigned int x,
			  unsigned int y, unsigned int count, size_t step)
{
	const uint32_t *to = at(s, s->new, x, y);
	const uint32_t *from =
		at(s, s->old, (unsigned int)((int)x - m->dx), (unsigned int)((int)y - m->dy));
	unsigned int found = 0;
	size_t i, end = count * step;

	if (step == 1 && !memcmp(to, from, count * sizeof(*to)))
		return 0;
	for (i = 0; i < end; i += step)
		found += to[i] != from[i];
	return found;
}

static bool line_fits(const struct search *s, const struct move *m, unsigned int y, size_t *off)
{
	unsigned int count = m->to.x2 - m->to.x1, found = wrong(s, m, m->to.x1, y, count, 1);

	*off += found;
	return found <= count / WRONG_PART;
}

static bool column_fits(const struct search *s, const struct move *m, unsigned int x)
{
	unsigned int count = m->to.y2 - m->to.y1;

	return wrong(s, m, x, m->to.y1, count, s->width) <= count / WRONG_PART;
}

/* Where both ends are in the area */
static struct shadow_rect limits(const struct search *s, int dx, int dy)
{
	struct shadow_rect r = s->area;

	if (dx > 0)
		r.x1 += (unsigned int)dx;
	else
		r.x2 -= (unsigned int)-dx;
	if (dy > 0)
		r.y1 += (unsigned int)dy;
	else
		r.y2 -= (unsigned int)-dy;
	return r;
}

static void grow_lines(const struct search *s, struct move *m, const struct shadow_rect *limit)
{
	size_t off = 0;

	while (m->to.y1 > limit->y1 && line_fits(s, m, m->to.y1 - 1, &off))
		m->to.y1--;
	while (m->to.y2 < limit->y2 && line_fits(s, m, m->to.y2, &off))
		m->to.y2++;
}

static void grow(const struct search *s, struct move *m)
{
	struct shadow_rect limit = limits(s, m->dx, m->dy);

	grow_lines(s, m, &limit);
	while (m->to.x1 > limit.x1 && column_fits(s, m, m->to.x1 - 1))
		m->to.x1--;
	while (m->to.x2 < limit.x2 && column_fits(s, m, m->to.x2))
		m->to.x2++;
	grow_lines(s, m, &limit);
}

/* Pixels that become right, less those that become wrong */
static long gain(const struct search *s, const struct move *m)
{
	const struct move stay = { .dx = 0 };
	unsigned int count = m->to.x2 - m->to.x1, y;
	long sum = 0;

	for (y = m->to.y1; y < m->to.y2; y++)
		sum += (long)wrong(s, &stay, m->to.x1, y, count, 1) -
		       (long)wrong(s, m, m->to.x1, y, count, 1);
	return sum;
}

static bool inside(const struct shadow_rect *r, unsigned int x, unsigned int y)
{
	return x >= r->x1 && x < r->x2 && y >= r->y1 && y < r->y2;
}

/* Is it worth it, though so many pixels become wrong? Some lines may be enough to know that. */
static bool gains(const struct search *s, const struct move *m, size_t off)
{
	const struct move stay = { .dx = 0 };
	unsigned int count = m->to.x2 - m->to.x1, y;
	size_t right = 0;

	for (y = m->to.y1; y < m->to.y2 && right < off + GAIN; y++)
		right += wrong(s, &stay, m->to.x1, y, count, 1);
	return right >= off + GAIN;
}

/* Does it fit wherever it can be, as if all of the area had moved? */
static bool try_all(const struct search *s, struct move *best)
{
	int dx = s->best->dx, dy = s->best->dy;
	struct move m = { limits(s, dx, dy), dx, dy, false };
	size_t off = 0;
	unsigned int y;

	for (y = m.to.y1; y < m.to.y2; y++)
		if (!line_fits(s, &m, y, &off))
			return false;
	if (!gains(s, &m, off))
		return false;
	m.exact = !off;
	*best = m;
	return true;
}

/* The largest that one of the runs becomes which voted for the vector */
static bool try_seeds(const struct search *s, struct move *best)
{
	int dx = s->best->dx, dy = s->best->dy;
	struct shadow_rect limit = limits(s, dx, dy);
	long most = GAIN - 1, found;
	unsigned int i, seeds = 0;

	best->to = (struct shadow_rect){ 0, 0, 0, 0 };
	for (i = 0; i < s->count && seeds < SEEDS; i++) {
		const struct anchor *a = &s->anchors[i];
		struct move m = { { a->x, a->y, a->x + RUN, a->y + 1 }, dx, dy, false };

		if (inside(&best->to, a->x, a->y) || !inside(&limit, a->x, a->y) ||
		    m.to.x2 > limit.x2 || wrong(s, &m, a->x, a->y, RUN, 1))
			continue;
		seeds++;
		grow(s, &m);
		found = gain(s, &m);
		if (found <= most)
			continue;
		most = found;
		*best = m;
	}
	return most >= GAIN;
}

/* Most runs that can have come by that vector did so */
static bool is_again(struct search *s, const struct move *last)
{
	struct vote *v = s->votes;
	unsigned int able = 0, i;
	struct shadow_rect limit;

	/* It may be longer than the area */
	if ((unsigned int)abs(last->dx) >= s->area.x2 - s->area.x1 ||
	    (unsigned int)abs(last->dy) >= s->area.y2 - s->area.y1)
		return false;
	limit = limits(s, last->dx, last->dy);
	*v = (struct vote){ .dx = last->dx, .dy = last->dy };
	for (i = 0; i < s->count; i++) {
		const struct anchor *a = &s->anchors[i];

		if (!inside(&limit, a->x, a->y) || a->x + RUN > limit.x2)
			continue;
		able++;
		v->count += !wrong(s, last, a->x, a->y, RUN, 1);
	}
	if (v->count < VOTES_LEAST || v->count * 2 <= able) {
		v->count = 0;
		return false;
	}
	s->best = v;
	return true;
}

/* Runs of what is new in the area. Returns false if there are too few */
static bool begin(struct search *s, const uint32_t *old, const uint32_t *new, unsigned int width,
		  const struct shadow_rect *area)
{
	if (area->x1 + RUN > area->x2 || area->y1 >= area->y2)
		return false;
	memset(s, 0, sizeof(*s));
	s->old = old;
	s->new = new;
	s->width = width;
	s->area = *area;
	choose_anchors(s);
	return s->count >= VOTES_LEAST;
}

static bool try_best(const struct search *s, struct move *move)
{
	return s->best && s->best->count >= VOTES_LEAST && (try_all(s, move) || try_seeds(s, move));
}

bool moves_again(const uint32_t *old, const uint32_t *new, unsigned int width,
		 const struct shadow_rect *area, const struct move *last, struct move *move)
{
	static struct search s;

	return (last->dx || last->dy) && begin(&s, old, new, width, area) && is_again(&s, last) &&
	       try_best(&s, move);
}

bool moves_find(const uint32_t *old, const uint32_t *new, unsigned int width,
		const struct shadow_rect *area, struct move *move)
{
	static struct search s;

	if (!begin(&s, old, new, width, area))
		return false;
	roll(&s);
	return try_best(&s, move);
}

void moves_apply(uint32_t *pixels, unsigned int width, const struct move *m)
{
	size_t bytes = (m->to.x2 - m->to.x1) * sizeof(*pixels);
	unsigned int lines = m->to.y2 - m->to.y1, i;

	for (i = 0; i < lines; i++) {
		/* A line is read before another one is copied there */
		unsigned int y = m->dy > 0 ? m->to.y2 - 1 - i : m->to.y1 + i;
		uint32_t *to = pixels + (size_t)y * width + m->to.x1;

		memmove(to, to - (ptrdiff_t)m->dy * width - m->dx, bytes);
	}
}
