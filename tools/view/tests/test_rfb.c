// SPDX-License-Identifier: GPL-2.0-or-later
/* What differs, what has moved, and pixels of clients, against plain ways to find them. */
#include <stdlib.h>
#include <string.h>

#include "rfb/damage.h"
#include "rfb/format.h"
#include "rfb/moves.h"
#include "tap.h"

#define WIDTH 300U
#define HEIGHT 200U
#define BYTES (WIDTH * HEIGHT * sizeof(uint32_t))
#define ROUNDS 200

static uint64_t state = 1;

static unsigned int below(unsigned int n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)((state >> 33) % n);
}

static const struct shadow_rect whole = { 0, 0, WIDTH, HEIGHT };

static uint32_t *at(uint32_t *picture, unsigned int x, unsigned int y)
{
	return picture + (size_t)y * WIDTH + x;
}

static void fill(uint32_t *picture, const struct shadow_rect *r, uint32_t colour)
{
	unsigned int x, y;

	for (y = r->y1; y < r->y2; y++)
		for (x = r->x1; x < r->x2; x++)
			*at(picture, x, y) = colour;
}

static struct shadow_rect somewhere(void)
{
	struct shadow_rect r = { below(WIDTH), below(HEIGHT), 0, 0 };

	r.x2 = r.x1 + 1 + below(WIDTH - r.x1);
	r.y2 = r.y1 + 1 + below(HEIGHT - r.y1);
	return r;
}

static void draw_noise(uint32_t *picture)
{
	size_t i;

	for (i = 0; i < (size_t)WIDTH * HEIGHT; i++)
		picture[i] = below(1 << 24);
}

/* ---- damage ---- */

static bool covered(const struct damage *d, unsigned int x, unsigned int y)
{
	unsigned int i;

	for (i = 0; i < d->count; i++)
		if (x >= d->rects[i].x1 && x < d->rects[i].x2 && y >= d->rects[i].y1 &&
		    y < d->rects[i].y2)
			return true;
	return false;
}

/* Pixels that differ and are in no rectangle */
static unsigned int missed(const struct damage *d, uint32_t *old, uint32_t *new)
{
	unsigned int x, y, count = 0;

	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++)
			count += *at(old, x, y) != *at(new, x, y) && !covered(d, x, y);
	return count;
}

static bool within(const struct damage *d)
{
	unsigned int i;

	for (i = 0; i < d->count; i++)
		if (!rect_pixels(&d->rects[i]) || d->rects[i].x2 > WIDTH || d->rects[i].y2 > HEIGHT)
			return false;
	return true;
}

static void test_damage(uint32_t *old, uint32_t *new)
{
	static struct damage d;
	bool all = true, inside = true;
	struct shadow_rect r;
	unsigned int i, j;

	for (i = 0; i < ROUNDS; i++) {
		memcpy(new, old, BYTES);
		for (j = below(20); j; j--) {
			r = somewhere();
			fill(new, &r, below(1 << 24));
		}
		for (j = below(i + 1); j; j--)
			*at(new, below(WIDTH), below(HEIGHT)) ^= 1;
		damage_begin(&d);
		damage_find(&d, old, new, WIDTH, &whole);
		all &= !missed(&d, old, new);
		inside &= within(&d);
	}
	ok(all, "each pixel that differs is in a rectangle");
	ok(inside, "rectangles are in the picture, and none is empty");
	memcpy(new, old, BYTES);
	damage_begin(&d);
	damage_find(&d, old, new, WIDTH, &whole);
	ok(!d.count && !rect_pixels(&(struct shadow_rect){ 0, 0, 0, 0 }), "nothing of the same");
	r = (struct shadow_rect){ 37, 21, 141, 99 };
	fill(new, &r, 0);
	damage_find(&d, old, new, WIDTH, &whole);
	ok(d.count == 1 && !memcmp(&d.rects[0], &r, sizeof(r)), "a block is as large as it is");
	*at(new, 280, 190) ^= 1;
	damage_begin(&d);
	damage_find(&d, old, new, WIDTH, &whole);
	ok(d.count == 2 && damage_pixels(&d) == rect_pixels(&r) + 1,
	   "a pixel far away is another one");
	r = damage_bounds(&d);
	ok(r.x2 == 141 && r.y2 == 99, "and too small to count");
}

static void test_full(uint32_t *old, uint32_t *new)
{
	static struct damage d;
	unsigned int x, y;

	memcpy(new, old, BYTES);
	/* Each in a block of its own, and none worth another's rectangle */
	for (y = 8; y < HEIGHT; y += 8)
		for (x = 0; x < WIDTH; x += 40)
			*at(new, x, y) ^= 1;
	damage_begin(&d);
	for (x = 0; x < 10; x++)
		damage_find(&d, old, new, WIDTH, &whole);
	ok(d.count <= DAMAGE_MOST && !missed(&d, old, new), "not more than there is room for");
}

/* ---- moves ---- */

static size_t wrong_in(uint32_t *a, uint32_t *b, const struct shadow_rect *r)
{
	unsigned int x, y;
	size_t count = 0;

	for (y = r->y1; y < r->y2; y++)
		for (x = r->x1; x < r->x2; x++)
			count += *at(a, x, y) != *at(b, x, y);
	return count;
}

static size_t wrong(uint32_t *a, uint32_t *b)
{
	return wrong_in(a, b, &whole);
}

/* What of @new is not in @old, after a move that was found; all of what differs if there is none */
static size_t left(uint32_t *old, uint32_t *new, struct move *m)
{
	static struct damage d;
	struct shadow_rect bounds;

	damage_begin(&d);
	damage_find(&d, old, new, WIDTH, &whole);
	bounds = damage_bounds(&d);
	memset(m, 0, sizeof(*m));
	if (moves_find(old, new, WIDTH, &bounds, m))
		moves_apply(old, WIDTH, m);
	return wrong(old, new);
}

static void draw_window(uint32_t *picture, const uint32_t *window, int x, int y)
{
	int line;

	for (line = 0; line < 90; line++)
		memcpy(at(picture, (unsigned int)x, (unsigned int)(y + line)), window + line * 120,
		       120 * 4);
}

static void test_window(uint32_t *old, uint32_t *new)
{
	static uint32_t window[120 * 90];
	bool found = true, exact = true;
	struct move m;
	int dx, dy;

	for (dx = 0; dx < 120 * 90; dx++)
		window[dx] = below(3) ? 0xffffff : below(1 << 24);
	for (dx = -40; dx <= 40; dx += 8)
		for (dy = -30; dy <= 20; dy += 5) {
			if (!dx && !dy)
				continue;
			draw_noise(old);
			memcpy(new, old, BYTES);
			draw_window(old, window, 100, 70);
			draw_window(new, window, 100 + dx, 70 + dy);
			/* What it was on comes to light */
			exact &= left(old, new, &m) <=
				 (size_t)(abs(dx) * 90 + abs(dy) * 120 - abs(dx) * abs(dy));
			found &= m.dx == dx && m.dy == dy;
		}
	ok(found, "a window that moves is found wherever it goes");
	ok(exact, "all of it");
}

static void draw_scrolled(uint32_t *old, uint32_t *new)
{
	const struct move up = { { 0, 0, WIDTH, HEIGHT - 16 }, 0, -16, false };
	size_t i;

	for (i = 0; i < (size_t)WIDTH * HEIGHT; i++)
		old[i] = i / WIDTH % 16 < 12 && below(3) ? 0 : 0xaaaaaa;
	memcpy(new, old, BYTES);
	moves_apply(new, WIDTH, &up);
	fill(new, &(struct shadow_rect){ 0, HEIGHT - 16, WIDTH, HEIGHT }, 0x123456);
}

static void test_scroll(uint32_t *old, uint32_t *new)
{
	struct move m;

	draw_scrolled(old, new);
	ok(left(old, new, &m) <= WIDTH * 16 && !m.dx && m.dy == -16, "lines that scroll");
	ok(m.exact && m.to.y2 == HEIGHT - 16 && !wrong_in(old, new, &m.to),
	   "each of them is right");
	draw_scrolled(old, new);
	new[WIDTH] ^= 1;
	ok(left(old, new, &m) <= WIDTH * 16 + 1 && !m.exact, "but not if one pixel is not");
}

/* The vector of before, or nothing */
static void test_again(uint32_t *old, uint32_t *new)
{
	static const int others[][2] = { { 0, 0 },
					 { 0, 16 },
					 { 3, -16 },
					 { 0, -15 },
					 { -(int)WIDTH, 0 },
					 { 0, (int)HEIGHT },
					 { 1 << 30, -(1 << 30) } };
	struct move m, last = { .dy = -16 };
	bool none = true;
	unsigned int i;

	draw_scrolled(old, new);
	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct move other = { .dx = others[i][0], .dy = others[i][1] };

		none &= !moves_again(old, new, WIDTH, &whole, &other, &m);
	}
	ok(none, "not by another vector than that of before");
	ok(moves_again(old, new, WIDTH, &whole, &last, &m), "and by that again");
	moves_apply(old, WIDTH, &m);
	ok(wrong(old, new) <= WIDTH * 16 && !m.dx && m.dy == -16, "all of it");
	ok(!moves_again(old, new, WIDTH, &whole, &last, &m), "not twice");
	draw_noise(old);
	ok(!moves_again(old, new, WIDTH, &whole, &last, &m), "nor has noise moved as lines did");
}

static void test_none(uint32_t *old, uint32_t *new)
{
	struct move m;
	size_t before;

	draw_noise(old);
	draw_noise(new);
	before = wrong(old, new);
	ok(left(old, new, &m) == before, "noise has not moved");
	fill(old, &whole, 1);
	fill(new, &whole, 2);
	ok(left(old, new, &m) == wrong(old, new) && !m.to.x2, "nor has a colour");
}

/* Whatever is found makes more pixels right than wrong, and is in the picture */
static void test_anything(uint32_t *old, uint32_t *new)
{
	bool better = true, inside = true, exact = true;
	struct shadow_rect r;
	unsigned int i, j;
	struct move m;

	for (i = 0; i < ROUNDS; i++) {
		for (j = 0; j < WIDTH * HEIGHT; j++)
			old[j] = j % WIDTH * (1 + i % 7) / 5 % 3 + below(1 + i % 3);
		memcpy(new, old, BYTES);
		for (j = below(8); j; j--) {
			m.to = somewhere();
			m.dx = (int)m.to.x1 - (int)below(WIDTH - (m.to.x2 - m.to.x1) + 1);
			m.dy = (int)m.to.y1 - (int)below(HEIGHT - (m.to.y2 - m.to.y1) + 1);
			moves_apply(new, WIDTH, &m);
			r = somewhere();
			r.x2 = r.x1 + (r.x2 - r.x1) / 4;
			fill(new, &r, below(4));
		}
		j = (unsigned int)wrong(old, new);
		better &= left(old, new, &m) <= j;
		exact &= !m.to.x2 || !m.exact || !wrong_in(old, new, &m.to);
		inside &= m.to.x2 <= WIDTH && m.to.y2 <= HEIGHT && (int)m.to.x1 >= m.dx &&
			  (int)m.to.y1 >= m.dy && (int)m.to.x2 - m.dx <= (int)WIDTH &&
			  (int)m.to.y2 - m.dy <= (int)HEIGHT;
	}
	ok(better, "a move makes no picture worse");
	ok(inside, "and both of its ends are in it");
	ok(exact, "and what is said to be right is");
}

/* ---- pixels ---- */

/* Bytes of one pixel, for formats with 8 or fewer bits of each colour */
static bool is(const uint8_t *wanted, uint32_t colour, size_t count, const char *bytes)
{
	static struct format f;
	uint8_t made[4];

	return format_set(&f, wanted) && format_pixels(&f, made, &colour, 1) == made + count &&
	       !memcmp(made, bytes, count);
}

static bool compact(const uint8_t *wanted, uint32_t colour, const char *bytes)
{
	static struct format f;
	uint8_t made[4];

	return format_set(&f, wanted) && format_cpixels(&f, made, &colour, 1) == made + 3 &&
	       !memcmp(made, bytes, 3);
}

static bool refused(unsigned int bits, unsigned int colours, unsigned int most, unsigned int shift)
{
	static struct format f;
	const uint8_t wanted[FORMAT_BYTES] = { (uint8_t)bits,
					       24,
					       0,
					       (uint8_t)colours,
					       0,
					       (uint8_t)most,
					       0,
					       (uint8_t)most,
					       0,
					       (uint8_t)most,
					       (uint8_t)shift };

	return !format_set(&f, wanted);
}

static void test_formats(void)
{
	static const uint8_t big[] = { 32, 24, 1, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0 };
	static const uint8_t high[] = { 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 24, 16, 8, 0, 0, 0 };
	static const uint8_t rgb565[] = { 16, 16, 0, 1, 0, 31, 0, 63, 0, 31, 11, 5, 0, 0, 0, 0 };
	static const uint8_t big565[] = { 16, 16, 1, 1, 0, 31, 0, 63, 0, 31, 11, 5, 0, 0, 0, 0 };
	static const uint8_t map[] = { 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };

	ok(is(format_own, 0x123456, 4, "\x56\x34\x12"), "pixels as they are");
	ok(is(big, 0x123456, 4, "\0\x12\x34\x56"), "the highest byte first");
	ok(is(high, 0x123456, 4, "\0\x56\x34\x12"), "in the highest bytes");
	ok(is(rgb565, 0xff0080, 2, "\x10\xf8") && is(big565, 0xff0080, 2, "\xf8\x10"),
	   "of 16 bits");
	ok(is(map, 0xffffff, 1, "\xff") && is(map, 0xff0000, 1, "\x07"), "of a map");
	ok(compact(format_own, 0x123456, "\x56\x34\x12") &&
		   compact(big, 0x123456, "\x12\x34\x56") &&
		   compact(high, 0x123456, "\x56\x34\x12"),
	   "without the byte that has nothing");
	ok(refused(24, 1, 255, 0) && refused(0, 1, 255, 0) && refused(32, 1, 0, 0) &&
		   refused(32, 1, 254, 0) && refused(32, 1, 255, 25) && refused(32, 1, 255, 255) &&
		   refused(16, 1, 255, 9) && refused(32, 0, 255, 0),
	   "formats of no sense");
}

int main(void)
{
	uint32_t *old = calloc(WIDTH * HEIGHT, 4), *new = calloc(WIDTH * HEIGHT, 4);

	draw_noise(old);
	test_damage(old, new);
	test_full(old, new);
	test_window(old, new);
	test_scroll(old, new);
	test_again(old, new);
	test_none(old, new);
	test_anything(old, new);
	test_formats();
	free(old);
	free(new);
	return done();
}
