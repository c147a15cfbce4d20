// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * content window|video FRAMES RATE: in a guest, on its first head, so many frames of
 *
 *	window	a window that moves over a picture
 *	video	a window that stays, and whose contents are noise that drifts
 *
 * RATE times a second. Two buffers are flipped, without a word about what changed, as most programs
 * do. A block in the first corner has the number of the frame as its colour, from 1 on. Then
 * the last picture stays until a line is read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tess_drm.h"
#include "tess_kms.h"

#define EVENT_MS 10000
#define WIDTH 320u
#define HEIGHT 240u
#define TITLE 20u
#define STEP 8u
#define BLOCK 16u

/**
 * struct place - where a window is
 * @x: pixels
 * @y: pixels
 */
struct place {
	unsigned int x, y;
};

/**
 * struct content - what is shown
 * @fb: shown by turns
 * @at: where the window is in each
 * @under: picture without window
 * @window: its pixels
 * @noise: state of the generator
 */
struct content {
	struct tess_kms_fb fb[2];
	struct place at[2];
	uint32_t *under;
	uint32_t window[WIDTH * HEIGHT];
	uint32_t noise;
};

/* Marsaglia, Xorshift RNGs, 2003 */
static uint32_t next(struct content *c)
{
	c->noise ^= c->noise << 13;
	c->noise ^= c->noise >> 17;
	return c->noise ^= c->noise << 5;
}

/* A title, and lines of something like text */
static void draw_window(struct content *c)
{
	unsigned int x, y;

	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++) {
			bool ink = y % 16 > 3 && y % 16 < 13 && x % 8 < 6 && next(c) % 3 == 0;

			c->window[y * WIDTH + x] = y < TITLE ? 0x3465a4 : ink ? 0x202020 : 0xf0f0f0;
		}
}

/* Colours that go by, with noise in their low bits, as a camera has it */
static void draw_video(struct content *c, unsigned int frame)
{
	unsigned int x, y;

	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++) {
			uint32_t base = (x + 3 * frame) % 256 << 16 | (y + frame) % 256 << 8 |
					(x + y + 2 * frame) % 256;

			c->window[y * WIDTH + x] = base ^ (next(c) & 0x070707);
		}
}

static uint32_t *line(const struct tess_kms_fb *fb, unsigned int y)
{
	return (uint32_t *)((uint8_t *)fb->map + (size_t)y * fb->pitch);
}

static void restore(struct content *c, unsigned int which)
{
	const struct tess_kms_fb *fb = &c->fb[which];
	struct place at = c->at[which];
	unsigned int y;

	for (y = at.y; y < at.y + HEIGHT; y++)
		memcpy(line(fb, y) + at.x, c->under + (size_t)y * fb->width + at.x, WIDTH * 4);
}

/* From edge to edge and back */
static unsigned int bounce(unsigned int distance, unsigned int room)
{
	distance %= 2 * room;
	return distance < room ? distance : 2 * room - distance;
}

static void put(struct content *c, unsigned int which, struct place at, unsigned int frame)
{
	const struct tess_kms_fb *fb = &c->fb[which];
	unsigned int x, y;

	for (y = 0; y < HEIGHT; y++)
		memcpy(line(fb, at.y + y) + at.x, c->window + (size_t)y * WIDTH, WIDTH * 4);
	for (y = 0; y < BLOCK; y++)
		for (x = 0; x < BLOCK; x++)
			line(fb, y)[x] = frame;
	c->at[which] = at;
}

static void begin(struct content *c, int fd, uint32_t *crtc)
{
	struct tess_kms_connector conn;
	struct tess_kms_resources res;
	unsigned int i;
	int rc;

	tess_kms_resources(fd, &res);
	tess_kms_connector(fd, res.connectors[0], &conn);
	if (!conn.connected || conn.mode.hdisplay < WIDTH + BLOCK ||
	    conn.mode.vdisplay < HEIGHT + BLOCK)
		tess_die("no monitor that is large enough");
	for (i = 0; i < 2; i++) {
		tess_kms_fb_create(fd, conn.mode.hdisplay, conn.mode.vdisplay, TESS_KMS_XRGB8888,
				   &c->fb[i]);
		tess_kms_draw(&c->fb[i]);
		c->at[i] = (struct place){ BLOCK, BLOCK };
	}
	c->under = malloc((size_t)c->fb[0].width * c->fb[0].height * 4);
	if (!c->under)
		tess_die("no memory");
	for (i = 0; i < c->fb[0].height; i++)
		memcpy(c->under + (size_t)i * c->fb[0].width, line(&c->fb[0], i),
		       c->fb[0].width * 4);
	*crtc = res.crtcs[0];
	rc = __tess_kms_set(fd, *crtc, res.connectors[0], c->fb[0].id, &conn.mode);
	if (rc)
		tess_die("no mode: %s", strerror(-rc));
}

static void play(struct content *c, int fd, uint32_t crtc, bool video, unsigned int frames,
		 unsigned int rate)
{
	unsigned int right = c->fb[0].width - WIDTH - BLOCK,
		     down = c->fb[0].height - HEIGHT - BLOCK;
	struct drm_event_vblank event;
	struct timespec at;
	unsigned int i;

	clock_gettime(CLOCK_MONOTONIC, &at);
	for (i = 1; i <= frames; i++) {
		struct place to = { BLOCK, BLOCK };

		if (video) {
			draw_video(c, i);
		} else {
			to.x += bounce(i * STEP, right);
			to.y += bounce(i * STEP / 2, down);
			restore(c, i & 1);
		}
		put(c, i & 1, to, i);
		if (__tess_kms_flip(fd, crtc, c->fb[i & 1].id, DRM_MODE_PAGE_FLIP_EVENT, 0) ||
		    tess_kms_event(fd, EVENT_MS, &event))
			tess_die("frame %u is not shown", i);
		at.tv_nsec += 1000000000 / rate;
		if (at.tv_nsec >= 1000000000) {
			at.tv_nsec -= 1000000000;
			at.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	}
}

int main(int argc, char **argv)
{
	static struct content content = { .noise = 1 };
	unsigned int frames, rate;
	bool video;
	uint32_t crtc;
	char end;
	int fd;

	if (argc != 4 || (strcmp(argv[1], "window") && strcmp(argv[1], "video")))
		tess_die("usage: content window|video FRAMES RATE");
	video = !strcmp(argv[1], "video");
	frames = (unsigned int)atoi(argv[2]);
	rate = (unsigned int)atoi(argv[3]);
	if (!frames || !rate)
		tess_die("FRAMES and RATE are 1 or more");
	fd = tess_kms_open();
	begin(&content, fd, &crtc);
	if (!video)
		draw_window(&content);
	play(&content, fd, crtc, video, frames, rate);
	printf("played %s\n", argv[1]);
	fflush(stdout);
	/* What comes behind that line is for somebody else */
	while (read(STDIN_FILENO, &end, 1) == 1 && end != '\n')
		;
	free(content.under);
	return 0;
}
