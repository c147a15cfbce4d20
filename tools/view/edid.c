// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "edid.h"

/* What a detailed timing has bits for */
#define LENGTH_MAX 4095U
#define CLOCK_MAX 65535U /* of 10 kHz */

/* CVT with reduced blanking, version 1: pixels */
#define H_BLANK 160U
#define H_FRONT 48U
#define H_SYNC 32U
/* Lines, and us */
#define V_FRONT 3U
#define V_BACK_MIN 6U
#define V_BLANK_MIN_US 460U
#define REFRESH 60U
/* The clock is a multiple of a quarter of a MHz; where that would be too coarse, of 10 kHz */
#define CLOCK_STEP 25U
#define CLOCK_COARSE 5000U

/**
 * struct timing - of a mode
 * @width: pixels
 * @height: lines
 * @v_sync: lines
 * @v_blank: lines
 * @clock: in units of 10 kHz
 */
struct timing {
	unsigned int width, height, v_sync, v_blank, clock;
};

/* By the shape of the picture, so that a monitor could tell by it */
static unsigned int sync_lines(unsigned int width, unsigned int height)
{
	static const struct {
		unsigned int x, y, lines;
	} shapes[] = { { 4, 3, 4 }, { 16, 9, 5 }, { 16, 10, 6 }, { 5, 4, 7 }, { 15, 9, 7 } };
	unsigned int i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (width * shapes[i].y == height * shapes[i].x)
			return shapes[i].lines;
	return 10;
}

static bool make_timing(struct timing *t, unsigned int width, unsigned int height)
{
	uint64_t line_ns, total, clock;

	if (!width || width > LENGTH_MAX || !height || height > LENGTH_MAX)
		return false;
	*t = (struct timing){ width, height, sync_lines(width, height), 0, 0 };
	line_ns = (1000000000ULL / REFRESH - V_BLANK_MIN_US * 1000) / height;
	t->v_blank = (unsigned int)(V_BLANK_MIN_US * 1000 / line_ns) + 1;
	if (t->v_blank < V_FRONT + t->v_sync + V_BACK_MIN)
		t->v_blank = V_FRONT + t->v_sync + V_BACK_MIN;
	total = (uint64_t)(width + H_BLANK) * (height + t->v_blank);
	clock = total * REFRESH / 10000;
	if (clock >= CLOCK_COARSE)
		clock -= clock % CLOCK_STEP;
	t->clock = (unsigned int)clock;
	return clock && clock <= CLOCK_MAX && t->v_blank <= LENGTH_MAX;
}

static void put_timing(uint8_t *at, const struct timing *t)
{
	at[0] = (uint8_t)t->clock;
	at[1] = (uint8_t)(t->clock >> 8);
	at[2] = (uint8_t)t->width;
	at[3] = (uint8_t)H_BLANK;
	at[4] = (uint8_t)(t->width >> 8 << 4);
	at[5] = (uint8_t)t->height;
	at[6] = (uint8_t)t->v_blank;
	at[7] = (uint8_t)(t->height >> 8 << 4 | t->v_blank >> 8);
	at[8] = (uint8_t)H_FRONT;
	at[9] = (uint8_t)H_SYNC;
	at[10] = (uint8_t)(V_FRONT << 4 | t->v_sync);
	/* No size in millimeters, no border; digital, positive horizontal sync */
	at[17] = 0x1a;
}

static void put_descriptor(uint8_t *at, uint8_t kind, const char *text)
{
	at[3] = kind;
	memset(at + 5, ' ', 13);
	memcpy(at + 5, text, strlen(text));
	at[5 + strlen(text)] = '\n';
}

bool edid_make(uint8_t edid[EDID_SIZE], unsigned int width, unsigned int height)
{
	static const uint8_t start[] = {
		0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, /* what it begins with */
		0x52, 0x72, 0x55, 0x7e, 0x00, 0x00, 0x00, 0x00, /* "TSR" */
		0x00, 0x24, 0x01, 0x04, /* 2026, version 1.4 */
		0xa0, 0x00, 0x00, 0x78, 0x06, /* digital, no size, sRGB, the first timing is best */
		0xee, 0x91, 0xa3, 0x54, 0x4c, 0x99, 0x26, 0x0f, 0x50, 0x54, /* of sRGB */
		0x21, 0x08, 0x00, /* also 640x480, 800x600 and 1024x768, at 60 Hz */
	};
	unsigned int i, sum = 0;
	struct timing timing;

	if (!make_timing(&timing, width, height))
		return false;
	memset(edid, 0, EDID_SIZE);
	memcpy(edid, start, sizeof(start));
	/* No standard timing */
	memset(edid + 38, 0x01, 16);
	put_timing(edid + 54, &timing);
	put_descriptor(edid + 72, 0xfc, "Tessera view");
	/* Unused */
	edid[90 + 3] = 0x10;
	edid[108 + 3] = 0x10;
	for (i = 0; i < EDID_SIZE - 1; i++)
		sum += edid[i];
	edid[EDID_SIZE - 1] = (uint8_t)(256 - sum % 256);
	return true;
}
