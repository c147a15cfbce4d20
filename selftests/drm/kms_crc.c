// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The checksums of what a head shows that debugfs has, compared with those of what was drawn. In a
 * guest that shows nothing else on the head.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "harness.h"
#include "tess_drm.h"
#include "tess_kms.h"

#define EVENT_MS 10000
/* The CPU reads a picture, and is slow to in a guest of an emulated host */
#define CRC_MS 120000
#define CURSOR 64
/* As long as a line can be */
#define LINE_SIZE 64

FIXTURE(crc)
{
	int fd, data;
	char control[PATH_MAX];
	uint32_t crtc, connector;
	struct drm_mode_modeinfo mode;
	struct tess_kms_fb a, image;
	/* The image is on top, from here on */
	bool cursor;
	int x, y;
};

struct entry {
	uint32_t frame, value;
};

static uint32_t of_byte[256];

static void make_table(void)
{
	uint32_t i, bit, crc;

	for (i = 0; i < 256; i++) {
		for (crc = i, bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
		of_byte[i] = crc;
	}
}

static uint32_t crc32_of_pixel(uint32_t crc, uint32_t pixel)
{
	unsigned int i;

	for (i = 0; i < 4; i++, pixel >>= 8)
		crc = crc >> 8 ^ of_byte[(crc ^ pixel) & 255];
	return crc;
}

static uint32_t from_rgb565(uint16_t c)
{
	uint32_t r = c >> 11, g = c >> 5 & 63, b = c & 31;

	return (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | b << 3 | b >> 2;
}

static uint32_t pixel_of(const struct tess_kms_fb *fb, const void *line, uint32_t x)
{
	return fb->format == TESS_KMS_RGB565 ? from_rgb565(((const uint16_t *)line)[x]) :
					       ((const uint32_t *)line)[x] & 0xffffff;
}

/* A colour with the cursor on top */
static uint32_t covered(uint32_t under, uint32_t over, unsigned int shift)
{
	unsigned int sum =
		(over >> shift & 255) + ((255 - (over >> 24)) * (under >> shift & 255) + 127) / 255;

	return (sum > 255 ? 255 : sum) << shift;
}

static uint32_t with_cursor(const struct __fixture_crc *self, uint32_t pixel, int x, int y)
{
	uint32_t over;

	x -= self->x;
	y -= self->y;
	if (!self->cursor || x < 0 || y < 0 || x >= CURSOR || y >= CURSOR)
		return pixel;
	over = ((const uint32_t *)self->image.map)[y * CURSOR + x];
	return covered(pixel, over, 16) | covered(pixel, over, 8) | covered(pixel, over, 0);
}

/* What is to be seen of a framebuffer in this mode */
static uint32_t expected(const struct __fixture_crc *self, const struct tess_kms_fb *fb)
{
	uint32_t crc = ~0u, x, y;

	for (y = 0; y < self->mode.vdisplay; y++) {
		const void *line = (const char *)fb->map + (size_t)y * fb->pitch;

		for (x = 0; x < self->mode.hdisplay; x++)
			crc = crc32_of_pixel(crc, with_cursor(self, pixel_of(fb, line, x), x, y));
	}
	return ~crc;
}

static void open_files(struct __test_metadata *_metadata, struct __fixture_crc *self)
{
	char path[PATH_MAX - 16], data[PATH_MAX];
	struct stat st;

	ASSERT_EQ(0, fstat(self->fd, &st));
	snprintf(path, sizeof(path), "/sys/kernel/debug/dri/%u/crtc-0/crc", minor(st.st_rdev));
	snprintf(self->control, sizeof(self->control), "%s/control", path);
	snprintf(data, sizeof(data), "%s/data", path);
	self->data = open(data, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, self->data);
}

FIXTURE_SETUP(crc)
{
	struct tess_kms_connector conn;
	struct tess_kms_resources res;

	make_table();
	self->fd = tess_kms_open();
	tess_kms_resources(self->fd, &res);
	tess_kms_connector(self->fd, res.connectors[0], &conn);
	ASSERT_TRUE(conn.connected);
	self->mode = conn.mode;
	self->crtc = res.crtcs[0];
	self->connector = res.connectors[0];
	tess_kms_fb_create(self->fd, conn.mode.hdisplay, conn.mode.vdisplay, TESS_KMS_XRGB8888,
			   &self->a);
	tess_kms_draw(&self->a);
	ASSERT_EQ(0,
		  __tess_kms_set(self->fd, self->crtc, self->connector, self->a.id, &self->mode));
	open_files(_metadata, self);
}

FIXTURE_TEARDOWN(crc)
{
	close(self->data);
	close(self->fd);
}

/* False: there was none for so long */
static bool next_entry(const struct __fixture_crc *self, int ms, struct entry *entry)
{
	struct pollfd p = { .fd = self->data, .events = POLLIN };
	char line[LINE_SIZE];
	ssize_t len;

	if (poll(&p, 1, ms) != 1)
		return false;
	len = read(self->data, line, sizeof(line) - 1);
	if (len <= 0)
		return false;
	line[len] = '\0';
	return sscanf(line, "%x %x", &entry->frame, &entry->value) == 2;
}

/* The first one that is about frame @first or a later one */
static void entry_from(struct __test_metadata *_metadata, const struct __fixture_crc *self,
		       uint32_t first, struct entry *entry)
{
	do
		ASSERT_TRUE(next_entry(self, CRC_MS, entry));
	while ((int32_t)(entry->frame - first) < 0);
}

/* Return: frame from which on it is shown */
static uint32_t flip(struct __test_metadata *_metadata, const struct __fixture_crc *self,
		     const struct tess_kms_fb *fb)
{
	struct drm_event_vblank event;

	ASSERT_EQ(0, __tess_kms_flip(self->fd, self->crtc, fb->id, DRM_MODE_PAGE_FLIP_EVENT, 0));
	ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
	return event.sequence;
}

static void shows(struct __test_metadata *_metadata, const struct __fixture_crc *self,
		  const struct tess_kms_fb *fb)
{
	uint32_t first = flip(_metadata, self, fb);
	struct entry entry;

	entry_from(_metadata, self, first, &entry);
	EXPECT_EQ(expected(self, fb), entry.value);
}

TEST_F(crc, two_pictures)
{
	struct tess_kms_fb b;

	tess_kms_fb_create(self->fd, self->mode.hdisplay, self->mode.vdisplay, TESS_KMS_XRGB8888,
			   &b);
	tess_kms_draw(&b);
	/* One bit of one pixel, the last one */
	((uint32_t *)b.map)[(b.height - 1) * b.pitch / 4 + b.width - 1] ^= 1;
	ASSERT_NE(expected(self, &self->a), expected(self, &b));
	shows(_metadata, self, &self->a);
	shows(_metadata, self, &b);
	shows(_metadata, self, &self->a);
}

/* Lines are longer than what is shown, and each pixel has bits that are not shown */
TEST_F(crc, what_is_not_seen)
{
	struct tess_kms_fb wide;
	uint32_t x, y;

	tess_kms_fb_create(self->fd, self->mode.hdisplay + 64, self->mode.vdisplay,
			   TESS_KMS_XRGB8888, &wide);
	for (y = 0; y < wide.height; y++)
		for (x = 0; x < wide.pitch / 4; x++)
			((uint32_t *)wide.map)[y * wide.pitch / 4 + x] =
				tess_kms_pixel(self->mode.hdisplay, self->mode.vdisplay, x, y) |
				(x & 255) << 24;
	shows(_metadata, self, &wide);
	EXPECT_EQ(expected(self, &self->a), expected(self, &wide));
}

TEST_F(crc, rgb565)
{
	struct tess_kms_fb fb;

	tess_kms_fb_create(self->fd, self->mode.hdisplay, self->mode.vdisplay, TESS_KMS_RGB565,
			   &fb);
	tess_kms_draw(&fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, self->connector, fb.id, &self->mode));
	shows(_metadata, self, &fb);
}

/* What is drawn into the picture that is shown counts from then on */
TEST_F(crc, drawn_where_it_is_shown)
{
	struct entry entry;
	unsigned int i;

	shows(_metadata, self, &self->a);
	((uint32_t *)self->a.map)[1000] ^= 0xffff00;
	/* Those of many frames may have been made already, and as many may be about to be */
	for (i = 0; i < 300; i++) {
		ASSERT_TRUE(next_entry(self, CRC_MS, &entry));
		if (entry.value == expected(self, &self->a))
			break;
	}
	EXPECT_EQ(expected(self, &self->a), entry.value);
}

/* One that has all colours and all of alpha, some of it brighter than alpha allows */
static void draw_image(uint32_t *pixels)
{
	uint32_t i, noise = 1;

	for (i = 0; i < CURSOR * CURSOR; i++) {
		noise = noise * 1103515245 + 12345;
		pixels[i] = noise ^ noise >> 16;
	}
}

static void shows_cursor(struct __test_metadata *_metadata, struct __fixture_crc *self, int x,
			 int y)
{
	self->x = x;
	self->y = y;
	self->cursor = true;
	shows(_metadata, self, &self->a);
}

/* Where it is not all on the picture, too. The vGPU has path=remote, or there is none */
TEST_F(crc, cursor)
{
	tess_kms_fb_create(self->fd, CURSOR, CURSOR, TESS_KMS_ARGB8888, &self->image);
	ASSERT_EQ(CURSOR * 4u, self->image.pitch);
	draw_image(self->image.map);
	ASSERT_EQ(0, __tess_kms_cursor(self->fd, self->crtc, &self->image, 100, 200));
	shows_cursor(_metadata, self, 100, 200);
	ASSERT_EQ(0, __tess_kms_cursor_move(self->fd, self->crtc, -10, -20));
	shows_cursor(_metadata, self, -10, -20);
	ASSERT_EQ(0, __tess_kms_cursor_move(self->fd, self->crtc, self->mode.hdisplay - 5,
					    self->mode.vdisplay - 1));
	shows_cursor(_metadata, self, self->mode.hdisplay - 5, self->mode.vdisplay - 1);
	ASSERT_EQ(0, __tess_kms_cursor(self->fd, self->crtc, NULL, 0, 0));
	self->cursor = false;
	shows(_metadata, self, &self->a);
}

/* Each frame from that of a flip on has one, although the CPU reads pictures more slowly */
TEST_F(crc, each_frame)
{
	uint32_t first = flip(_metadata, self, &self->a);
	struct entry one, next;
	unsigned int i;

	entry_from(_metadata, self, first, &one);
	EXPECT_EQ(first, one.frame);
	for (i = 0; i < 20; i++) {
		ASSERT_TRUE(next_entry(self, CRC_MS, &next));
		EXPECT_EQ(one.frame + 1, next.frame);
		EXPECT_EQ(one.value, next.value);
		one = next;
	}
}

TEST_F(crc, frames)
{
	union drm_wait_vblank vblank = { .request.type = _DRM_VBLANK_RELATIVE };
	struct entry one, two;

	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_WAIT_VBLANK, &vblank));
	ASSERT_TRUE(next_entry(self, CRC_MS, &one));
	ASSERT_TRUE(next_entry(self, CRC_MS, &two));
	EXPECT_LT(0, (int32_t)(two.frame - one.frame));
	vblank.request.type = _DRM_VBLANK_RELATIVE;
	vblank.request.sequence = 0;
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_WAIT_VBLANK, &vblank));
	EXPECT_LE(0, (int32_t)(vblank.reply.sequence - two.frame));
	EXPECT_GT(10000, (int32_t)(vblank.reply.sequence - two.frame));
}

/* A head that is off has none, and goes on when it is on */
TEST_F(crc, off)
{
	struct entry entry;

	ASSERT_TRUE(next_entry(self, CRC_MS, &entry));
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, 0, 0, NULL));
	while (next_entry(self, 0, &entry))
		;
	EXPECT_FALSE(next_entry(self, 1000, &entry));
	ASSERT_EQ(0,
		  __tess_kms_set(self->fd, self->crtc, self->connector, self->a.id, &self->mode));
	ASSERT_TRUE(next_entry(self, CRC_MS, &entry));
	EXPECT_EQ(expected(self, &self->a), entry.value);
}

TEST_F(crc, sources)
{
	char text[64] = "";
	int fd = open(self->control, O_RDWR | O_CLOEXEC);

	ASSERT_LE(0, fd);
	ASSERT_LT(0, read(fd, text, sizeof(text) - 1));
	EXPECT_STREQ("auto*\n", text);
	EXPECT_EQ(-1, write(fd, "plane0", 6));
	EXPECT_EQ(EINVAL, errno);
	close(fd);
}

TEST_HARNESS_MAIN
