// SPDX-License-Identifier: GPL-2.0-or-later
/* The shadow against a comparison pixel by pixel, when to look, and reading what is gone. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "edid.h"
#include "guard.h"
#include "pace.h"
#include "shadow.h"
#include "tap.h"

#define ROUNDS 400
#define SIDE_MAX 300
#define MS 1000000ULL

static uint64_t state = 1;

static unsigned int below(unsigned int n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)((state >> 33) % n);
}

/* ---- the shadow ---- */

/**
 * struct scene - a picture, and its copy
 * @bytes: of the picture, no more than it has
 * @size: how many
 * @picture: the same
 * @shadow: copy
 * @before: of the copy
 */
struct scene {
	uint8_t *bytes;
	size_t size;
	struct shadow_picture picture;
	struct shadow shadow;
	uint32_t *before;
};

static uint32_t pixel(const struct scene *s, unsigned int x, unsigned int y)
{
	const uint8_t *p =
		s->picture.pixels + y * s->picture.pitch + x * (s->picture.rgb565 ? 2U : 4U);
	unsigned int v = p[0] | (unsigned int)p[1] << 8, r, g, b;

	if (!s->picture.rgb565)
		return v | (uint32_t)p[2] << 16;
	r = v >> 11;
	g = v >> 5 & 63;
	b = v & 31;
	return (r * 8 + r / 4) << 16 | (g * 4 + g / 16) << 8 | (b * 8 + b / 4);
}

static void make(struct scene *s)
{
	unsigned int width = 1 + below(SIDE_MAX), height = 1 + below(SIDE_MAX), i;
	bool rgb565 = below(3) == 0;
	size_t line = width * (rgb565 ? 2U : 4U), pitch = line + below(3) * 4;

	s->size = pitch * (height - 1) + line;
	s->bytes = malloc(s->size);
	for (i = 0; i < s->size; i++)
		s->bytes[i] = (uint8_t)below(256);
	s->picture = (struct shadow_picture){ s->bytes, pitch, rgb565 };
	s->shadow = (struct shadow){ .pixels = malloc(width * height * sizeof(uint32_t)) };
	s->before = malloc(width * height * sizeof(uint32_t));
	shadow_resize(&s->shadow, width, height);
	memset(&s->shadow.changed, 0, sizeof(s->shadow.changed));
}

static void drop(struct scene *s)
{
	free(s->bytes);
	free(s->before);
	free(s->shadow.pixels);
}

static bool in_set(const struct shadow_tiles *tiles, unsigned int x, unsigned int y)
{
	unsigned int bit = y / SHADOW_TILE * SHADOW_COLUMNS + x / SHADOW_TILE;

	return tiles->words[bit / 64] >> bit % 64 & 1;
}

/* One colour of it, with the cursor on top */
static uint32_t covered(uint32_t under, uint32_t over, unsigned int shift)
{
	unsigned int alpha = over >> 24, sum;

	sum = (over >> shift & 255) + ((255 - alpha) * (under >> shift & 255) + 127) / 255;
	return (sum > 255 ? 255 : sum) << shift;
}

/* As a viewer sees it */
static uint32_t seen(const struct scene *s, unsigned int x, unsigned int y)
{
	const struct shadow_cursor *c = &s->shadow.cursor;
	int cx = (int)x - c->x, cy = (int)y - c->y;
	uint32_t under = pixel(s, x, y), over;

	if (!c->shown || cx < 0 || cy < 0 || cx > 63 || cy > 63)
		return under;
	over = c->pixels[cy * 64 + cx];
	return covered(under, over, 16) | covered(under, over, 8) | covered(under, over, 0);
}

/* Comes, goes, and is perhaps not within the picture */
static void change_cursor(struct shadow_cursor *c)
{
	unsigned int i;

	c->shown = below(3) != 0;
	c->x = (int)below(SIDE_MAX + 100) - 80;
	c->y = (int)below(SIDE_MAX + 100) - 80;
	for (i = 0; i < 64 * 64; i++)
		c->pixels[i] = below(1U << 31) << 1 | below(2);
}

/*
 * Pixels of the rectangle are those of the picture, others as before, and tiles are told of if a
 * pixel differs
 */
static bool right(const struct scene *s, const struct shadow_rect *rect)
{
	const struct shadow *shadow = &s->shadow;
	struct shadow_tiles want = { 0 };
	unsigned int x, y;

	for (y = 0; y < shadow->height; y++) {
		for (x = 0; x < shadow->width; x++) {
			size_t at = (size_t)y * shadow->width + x;
			bool in = x >= rect->x1 && x < rect->x2 && y >= rect->y1 && y < rect->y2;
			unsigned int bit = y / SHADOW_TILE * SHADOW_COLUMNS + x / SHADOW_TILE;

			if (shadow->pixels[at] != (in ? seen(s, x, y) : s->before[at]))
				return false;
			if (shadow->pixels[at] != s->before[at])
				want.words[bit / 64] |= 1ULL << bit % 64;
		}
	}
	return !memcmp(&want, &shadow->changed, sizeof(want));
}

static unsigned int count(const struct shadow_tiles *tiles)
{
	unsigned int i, n = 0;

	for (i = 0; i < SHADOW_WORDS; i++)
		n += (unsigned int)__builtin_popcountll(tiles->words[i]);
	return n;
}

static bool take_once(struct scene *s)
{
	struct shadow_rect rect = { below(SIDE_MAX), below(SIDE_MAX), below(SIDE_MAX + 20),
				    below(SIDE_MAX + 20) };
	unsigned int i, found;

	if (below(3) == 0)
		rect = (struct shadow_rect){ 0, 0, s->shadow.width, s->shadow.height };
	if (below(2))
		change_cursor(&s->shadow.cursor);
	for (i = below(20); i; i--)
		s->bytes[below((unsigned int)s->size)] = (uint8_t)below(256);
	memcpy(s->before, s->shadow.pixels,
	       (size_t)s->shadow.width * s->shadow.height * sizeof(uint32_t));
	memset(&s->shadow.changed, 0, sizeof(s->shadow.changed));
	found = shadow_take(&s->shadow, &s->picture, &rect);
	return right(s, &rect) && found == count(&s->shadow.changed);
}

static void test_random(void)
{
	unsigned int i, j, good = 0;

	for (i = 0; i < ROUNDS; i++) {
		struct scene s;

		make(&s);
		for (j = 0; j < 5; j++)
			good += take_once(&s);
		drop(&s);
	}
	ok(good == ROUNDS * 5, "random pictures are taken over as pixel by pixel: %u of %u", good,
	   ROUNDS * 5);
}

static void test_colours(void)
{
	uint16_t line[] = { 0xffff, 0, 0xf800, 0x07e0, 0x001f, 0x8410 };
	uint32_t want[] = { 0xffffff, 0, 0xff0000, 0x00ff00, 0x0000ff, 0x848284 };
	struct shadow_picture picture = { (const uint8_t *)line, sizeof(line), true };
	struct shadow_rect all = { 0, 0, 6, 1 };
	uint32_t pixels[6];
	struct shadow shadow = { .pixels = pixels };

	shadow_resize(&shadow, 6, 1);
	ok(shadow_take(&shadow, &picture, &all) == 1 && !memcmp(pixels, want, sizeof(want)),
	   "16 bits: white is white");
	ok(shadow_take(&shadow, &picture, &all) == 0, "and the same the next time");
}

static void test_counts(void)
{
	static uint32_t source[100 * 130], pixels[100 * 130];
	struct shadow_picture picture = { (const uint8_t *)source, 400, false };
	struct shadow_rect part = { 60, 60, 70, 65 };
	struct shadow shadow = { .pixels = pixels };

	shadow_resize(&shadow, 100, 130);
	ok(count(&shadow.changed) == 6 && shadow_count(100, 130) == 6, "another size: all changed");
	source[64 * 100 + 64] = 0xff000000;
	ok(shadow_take(&shadow, &picture, &part) == 0, "the highest byte does not count");
	source[64 * 100 + 64] = 1;
	ok(shadow_take(&shadow, &picture, &part) == 1 && shadow.different == 6 &&
		   shadow.compared == 8,
	   "only damage is compared");
}

static void test_under(void)
{
	static const struct {
		int x, y;
		struct shadow_rect want;
	} cases[] = {
		{ 10, 20, { 10, 20, 74, 84 } },	    { -10, -63, { 0, 0, 54, 1 } },
		{ 90, 120, { 90, 120, 100, 130 } }, { 200, 5, { 100, 5, 100, 69 } },
		{ -64, 0, { 0, 0, 0, 64 } },
	};
	static struct shadow shadow = { .width = 100, .height = 130, .cursor.shown = true };
	unsigned int i, good = 0;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shadow_rect got;

		shadow.cursor.x = cases[i].x;
		shadow.cursor.y = cases[i].y;
		got = shadow_under(&shadow);
		good += !memcmp(&got, &cases[i].want, sizeof(got));
	}
	ok(good == i, "what a cursor covers: %u of %u", good, i);
}

static void test_runs(void)
{
	struct shadow_tiles tiles;
	struct shadow_rect r;
	unsigned int at = 0, round, good = 0;

	shadow_tiles_all(&tiles, SHADOW_SIZE_MAX, SHADOW_SIZE_MAX);
	ok(shadow_tiles_run(&tiles, SHADOW_SIZE_MAX, SHADOW_SIZE_MAX, &at, &r) && r.x1 == 0 &&
		   r.x2 == SHADOW_SIZE_MAX && r.y2 == SHADOW_TILE,
	   "a run ends at the end of the line");
	at = 0;
	ok(shadow_tiles_run(&tiles, 65, 1, &at, &r) && r.x2 == 65 && r.y2 == 1 &&
		   !shadow_tiles_run(&tiles, 65, 1, &at, &r),
	   "tiles outside of the picture are none");
	for (round = 0; round < ROUNDS / 20; round++) {
		unsigned int width = 1 + below(2000), height = 1 + below(2000), i;
		unsigned long long pixels = 0, want = 0;

		for (i = 0; i < SHADOW_WORDS; i++)
			tiles.words[i] = (uint64_t)below(1U << 31) << 32 | below(1U << 31);
		for (i = 0; i < width * height; i += 97)
			want += in_set(&tiles, i % width, i / width);
		for (at = 0; shadow_tiles_run(&tiles, width, height, &at, &r);)
			for (i = 0; i < width * height; i += 97)
				pixels += i % width >= r.x1 && i % width < r.x2 &&
					  i / width >= r.y1 && i / width < r.y2;
		good += pixels == want;
	}
	ok(good == ROUNDS / 20, "runs cover the set, and nothing else: %u of %u", good,
	   ROUNDS / 20);
}

/* Each tile by itself: is it in the set, of which those within a rectangle were taken out? */
static bool tiles_are_without(const struct shadow_tiles *tiles, const struct shadow_rect *r,
			      unsigned int width, unsigned int height)
{
	unsigned int x, y;

	for (y = 0; y < height; y += SHADOW_TILE)
		for (x = 0; x < width; x += SHADOW_TILE) {
			unsigned int right = x + SHADOW_TILE < width ? x + SHADOW_TILE : width;
			unsigned int bottom = y + SHADOW_TILE < height ? y + SHADOW_TILE : height;
			bool within = x >= r->x1 && y >= r->y1 && right <= r->x2 && bottom <= r->y2;

			if (in_set(tiles, x, y) == within)
				return false;
		}
	return true;
}

static void test_remove(void)
{
	static struct shadow_tiles tiles;
	unsigned int round, good = 0;

	for (round = 0; round < ROUNDS; round++) {
		unsigned int width = 1 + below(900), height = 1 + below(900);
		struct shadow_rect r = { below(width), below(height), 0, 0 };

		r.x2 = round % 3 ? r.x1 + 1 + below(width - r.x1) : width;
		r.y2 = round % 5 ? r.y1 + 1 + below(height - r.y1) : height;
		shadow_tiles_all(&tiles, width, height);
		shadow_tiles_remove(&tiles, &r, width, height);
		good += tiles_are_without(&tiles, &r, width, height);
	}
	ok(good == ROUNDS, "only tiles within a rectangle are taken out: %u of %u", good, ROUNDS);
}

/* ---- monitors ---- */

/* What timings it says, by the places that E-EDID 1.4 has for them */
static bool edid_says(const uint8_t *e, unsigned int width, unsigned int height)
{
	const uint8_t *d = e + 54;
	unsigned int w = d[2] | (d[4] >> 4) << 8, h = d[5] | (d[7] >> 4) << 8, i, sum = 0;
	unsigned int total = (w + (d[3] | (d[4] & 15U) << 8)) * (h + (d[6] | (d[7] & 15U) << 8));
	double hz = (d[0] | d[1] << 8) * 10000.0 / total;

	for (i = 0; i < EDID_SIZE; i++)
		sum += e[i];
	return w == width && h == height && sum % 256 == 0 && hz > 59.5 && hz < 60.01 &&
	       !memcmp(e, "\0\xff\xff\xff\xff\xff\xff", 8) && e[35] == 0x21 && e[36] == 0x08;
}

static void test_edid(void)
{
	/* With reduced blanking, by the VESA DMT: 1920x1080 has a clock of 138.5 MHz */
	static const unsigned int refused[][2] = {
		{ 0, 10 }, { 10, 0 }, { 4096, 10 }, { 10, 4096 }, { 4095, 4095 }
	};
	uint8_t edid[EDID_SIZE];
	unsigned int i, good = 0, width, height;

	for (i = 0; i < ROUNDS; i++) {
		width = 64 + below(3000);
		height = 64 + below(2000);
		good += edid_make(edid, width, height) && edid_says(edid, width, height);
	}
	ok(good == ROUNDS, "monitors of random sizes: %u of %u", good, ROUNDS);
	ok(edid_make(edid, 1920, 1080) && (edid[54] | edid[55] << 8) == 13850,
	   "a clock as in the tables of VESA: %u", edid[54] | edid[55] << 8);
	for (i = 0, good = 0; i < 5; i++)
		good += !edid_make(edid, refused[i][0], refused[i][1]);
	ok(good == i, "what no EDID can say is refused: %u of %u", good, i);
}

/* ---- when to look ---- */

static void test_pace(void)
{
	struct pace p;

	pace_begin(&p, 50);
	pace_wake(&p, 1000 * MS);
	ok(pace_next(&p) == 1000 * MS, "at once when somebody comes");
	pace_looked(&p, 1000 * MS);
	pace_whole(&p, 1000 * MS, MS, false);
	ok(pace_next(&p) == 1500 * MS, "twice a second");
	pace_whole(&p, 2000 * MS, MS, true);
	ok(pace_next(&p) == 2050 * MS, "soon when something was not told of");
	pace_whole(&p, 2050 * MS, MS, false);
	ok(pace_next(&p) == 2150 * MS, "less soon when it was the last time");
	pace_whole(&p, 2150 * MS, MS, false);
	pace_whole(&p, 2350 * MS, MS, false);
	pace_whole(&p, 2750 * MS, MS, false);
	ok(pace_next(&p) == 3250 * MS, "and then twice a second");
	pace_whole(&p, 4000 * MS, 100 * MS, true);
	ok(pace_next(&p) == 6000 * MS, "seldom if it is slow");
	pace_looked(&p, 7000 * MS);
	ok(p.next_look == 7020 * MS && pace_next(&p) == 7020 * MS, "not more than the rate");
}

/* ---- reading what is gone ---- */

static void read_byte(void *data)
{
	*(volatile uint8_t *)data;
}

static void test_guard(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("test", MFD_CLOEXEC);
	uint8_t *p;
	bool good = !ftruncate(fd, (off_t)page * 2);

	p = mmap(NULL, page * 2, PROT_READ, MAP_SHARED, fd, 0);
	guard_begin();
	ok(good && p != MAP_FAILED && guard_run(p, page * 2, read_byte, p + page),
	   "a page is there");
	good = !ftruncate(fd, (off_t)page);
	ok(good && !guard_run(p, page * 2, read_byte, p + page), "a page is gone");
	ok(!guard_run(p, page * 2, read_byte, p + page), "and once more");
	ok(guard_run(p, page * 2, read_byte, p), "the others are there");
	munmap(p, page * 2);
	close(fd);
}

int main(void)
{
	test_random();
	test_colours();
	test_counts();
	test_under();
	test_runs();
	test_remove();
	test_edid();
	test_pace();
	test_guard();
	return done();
}
