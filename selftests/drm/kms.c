// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Modesetting on a vGPU with TESSERA_HEADS (1) display heads, in a guest that shows nothing
 * else on them.
 */
#include <fcntl.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "harness.h"
#include "tess_ctx.h"
#include "tess_kms.h"

#define VIRTUAL 15 /* DRM_MODE_CONNECTOR_VIRTUAL */
#define FLIPS 30
#define VBLANKS 24
#define EVENT_MS 5000

static unsigned int heads_given(void)
{
	const char *heads = getenv("TESSERA_HEADS");

	return heads ? (unsigned int)atoi(heads) : 1;
}

FIXTURE(kms)
{
	int fd;
	struct tess_kms_resources res;
	struct tess_kms_connector conn;
};

FIXTURE_SETUP(kms)
{
	self->fd = tess_kms_open();
	tess_kms_resources(self->fd, &self->res);
	ASSERT_EQ(TESS_KMS_HEADS, self->res.count_connectors);
	tess_kms_connector(self->fd, self->res.connectors[0], &self->conn);
	ASSERT_TRUE(self->conn.connected);
	ASSERT_LT(0u, self->conn.count_modes);
}

FIXTURE_TEARDOWN(kms)
{
	close(self->fd);
}

#define CRTC(n) (self->res.crtcs[n])
#define CONN(n) (self->res.connectors[n])

static void fb_of_mode(struct __test_metadata *_metadata, int fd,
		       const struct drm_mode_modeinfo *mode, struct tess_kms_fb *fb)
{
	ASSERT_EQ(0,
		  __tess_kms_fb_create(fd, mode->hdisplay, mode->vdisplay, TESS_KMS_XRGB8888, fb));
}

static uint64_t interrupts(void)
{
	char line[4096], *at;
	uint64_t sum = 0;
	FILE *f = fopen("/proc/interrupts", "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "tessera-display"))
			continue;
		at = strchr(line, ':') + 1;
		for (char *end; sum += strtoull(at, &end, 10), end != at; at = end)
			;
	}
	if (f)
		fclose(f);
	return sum;
}

TEST_F(kms, resources)
{
	struct tess_kms_connector conn;
	unsigned int i;

	EXPECT_EQ(TESS_KMS_HEADS, self->res.count_crtcs);
	EXPECT_EQ(TESS_KMS_HEADS, self->res.count_encoders);
	EXPECT_EQ(8192u, self->res.max_width);
	EXPECT_EQ(8192u, self->res.max_height);
	for (i = 0; i < TESS_KMS_HEADS; i++) {
		tess_kms_connector(self->fd, CONN(i), &conn);
		EXPECT_EQ(VIRTUAL, conn.type);
		EXPECT_EQ(i < heads_given(), conn.connected);
		EXPECT_EQ(conn.connected, conn.count_modes > 0);
	}
}

TEST_F(kms, render_node)
{
	struct drm_mode_card_res args = { 0 };
	int fd = tess_open();

	EXPECT_EQ(-EACCES, tess_ioctl(fd, DRM_IOCTL_MODE_GETRESOURCES, &args));
	close(fd);
}

/* What the monitor says is passed on as it is, and its preferred mode found in it */
TEST_F(kms, edid)
{
	uint8_t edid[512] = { 0 };
	struct drm_mode_get_blob blob = { 0 };
	const uint8_t *timing = edid + 54;
	unsigned int i, sum = 0;
	uint64_t id = 0;

	ASSERT_EQ(0, tess_kms_property(self->fd, CONN(0), DRM_MODE_OBJECT_CONNECTOR, "EDID", &id));
	ASSERT_NE(0u, id);
	/* Its length first: only who has room for just that is given it */
	blob.blob_id = (uint32_t)id;
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_MODE_GETPROPBLOB, &blob));
	ASSERT_EQ(0u, blob.length % 128);
	ASSERT_LT(0u, blob.length);
	ASSERT_GE(sizeof(edid), blob.length);
	blob.data = (uintptr_t)edid;
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_MODE_GETPROPBLOB, &blob));
	EXPECT_EQ(0, memcmp(edid, "\0\377\377\377\377\377\377\0", 8));
	for (i = 0; i < 128; i++)
		sum += edid[i];
	EXPECT_EQ(0u, sum % 256);
	EXPECT_EQ(timing[2] | (timing[4] >> 4) << 8, self->conn.mode.hdisplay);
	EXPECT_EQ(timing[5] | (timing[7] >> 4) << 8, self->conn.mode.vdisplay);
}

TEST_F(kms, modeset)
{
	struct drm_mode_crtc crtc = { .crtc_id = CRTC(0) };
	struct tess_kms_fb fb;

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	tess_kms_draw(&fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_MODE_GETCRTC, &crtc));
	EXPECT_EQ(1u, crtc.mode_valid);
	EXPECT_EQ(fb.id, crtc.fb_id);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), 0, 0, NULL));
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_MODE_GETCRTC, &crtc));
	EXPECT_EQ(0u, crtc.mode_valid);
	/* What was drawn is still there, and can be shown again */
	EXPECT_EQ(0xffff8000u, *(uint32_t *)fb.map);
	EXPECT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	tess_kms_fb_destroy(self->fd, &fb);
}

TEST_F(kms, every_head)
{
	struct tess_kms_fb fb[TESS_KMS_HEADS];
	struct drm_event_vblank event;
	struct tess_kms_connector conn;
	unsigned int i, seen = 0;

	for (i = 0; i < heads_given(); i++) {
		tess_kms_connector(self->fd, CONN(i), &conn);
		fb_of_mode(_metadata, self->fd, &conn.mode, &fb[i]);
		ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(i), CONN(i), fb[i].id, &conn.mode));
	}
	for (i = 0; i < heads_given(); i++)
		ASSERT_EQ(0, __tess_kms_flip(self->fd, CRTC(i), fb[i].id, DRM_MODE_PAGE_FLIP_EVENT,
					     i));
	for (i = 0; i < heads_given(); i++) {
		ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
		EXPECT_EQ(CRTC(event.user_data), event.crtc_id);
		seen |= 1u << event.user_data;
	}
	EXPECT_EQ((1u << heads_given()) - 1, seen);
}

/* Two pictures in turns: an event for each, in order, and at most one flip for a frame */
TEST_F(kms, flip)
{
	uint64_t irqs, then, now = 0;
	struct drm_event_vblank event;
	struct tess_kms_fb fb[2];
	uint32_t sequence = 0;
	unsigned int i;

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb[0]);
	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb[1]);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb[0].id, &self->conn.mode));
	irqs = interrupts();
	for (i = 0; i < FLIPS; i++) {
		ASSERT_EQ(0, __tess_kms_flip(self->fd, CRTC(0), fb[!(i & 1)].id,
					     DRM_MODE_PAGE_FLIP_EVENT, i));
		ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
		ASSERT_EQ((uint32_t)DRM_EVENT_FLIP_COMPLETE, event.base.type);
		ASSERT_EQ(i, event.user_data);
		ASSERT_EQ(CRTC(0), event.crtc_id);
		then = now;
		now = event.tv_sec * 1000000ull + event.tv_usec;
		ASSERT_LT(then, now);
		if (i)
			ASSERT_LT(sequence, event.sequence);
		sequence = event.sequence;
	}
	/* The GPU said so, no timer of the driver's */
	EXPECT_LE(irqs + FLIPS, interrupts());
	EXPECT_EQ(-ETIME, tess_kms_event(self->fd, 100, &event));
}

TEST_F(kms, flip_ebusy)
{
	struct drm_event_vblank event;
	struct tess_kms_fb fb;
	int i, rc = 0;

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	/* Nobody reads events in between: of two at once, one is too early */
	for (i = 0; i < 100 && !rc; i++)
		rc = __tess_kms_flip(self->fd, CRTC(0), fb.id, DRM_MODE_PAGE_FLIP_EVENT, 0);
	EXPECT_EQ(-EBUSY, rc);
	while (--i)
		EXPECT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
	EXPECT_EQ(0, __tess_kms_flip(self->fd, CRTC(0), fb.id, DRM_MODE_PAGE_FLIP_EVENT, 0));
	EXPECT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
}

TEST_F(kms, vblank)
{
	union drm_wait_vblank wait;
	struct tess_kms_fb fb;
	uint32_t last = 0;
	int i;

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	for (i = 0; i < 10; i++) {
		wait = (union drm_wait_vblank){
			.request = { .type = _DRM_VBLANK_RELATIVE, .sequence = 1 },
		};
		ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_WAIT_VBLANK, &wait));
		if (i)
			EXPECT_LT(last, wait.reply.sequence);
		last = wait.reply.sequence;
	}
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), 0, 0, NULL));
	wait = (union drm_wait_vblank){
		.request = { .type = _DRM_VBLANK_RELATIVE, .sequence = 1 },
	};
	EXPECT_EQ(-EINVAL, tess_ioctl(self->fd, DRM_IOCTL_WAIT_VBLANK, &wait));
}

/* The host tells no frames that nothing waits for, and they count all the same */
TEST_F(kms, frames_rest)
{
	struct drm_event_vblank before, after;
	struct tess_kms_fb fb;
	uint64_t told;

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	ASSERT_EQ(0, __tess_kms_flip(self->fd, CRTC(0), fb.id, DRM_MODE_PAGE_FLIP_EVENT, 0));
	ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &before));
	sleep(1);
	told = interrupts();
	sleep(2);
	EXPECT_GT(10, interrupts() - told);
	ASSERT_EQ(0, __tess_kms_flip(self->fd, CRTC(0), fb.id, DRM_MODE_PAGE_FLIP_EVENT, 0));
	ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &after));
	EXPECT_LT(100, (int32_t)(after.sequence - before.sequence));
}

/* A head that was off has no more frames than there was time for */
TEST_F(kms, frames_off)
{
	const struct drm_mode_modeinfo *mode = &self->conn.mode;
	double seconds, rate = mode->clock * 1e3 / mode->htotal / mode->vtotal;
	union drm_wait_vblank wait[2];
	struct tess_kms_fb fb;
	uint32_t frames;
	unsigned int i;

	fb_of_mode(_metadata, self->fd, mode, &fb);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, mode));
		wait[i] = (union drm_wait_vblank){
			.request = { .type = _DRM_VBLANK_RELATIVE, .sequence = 1 },
		};
		ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_WAIT_VBLANK, &wait[i]));
		ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), 0, 0, NULL));
		/* Until the last frame is too old to be told */
		sleep(2);
	}
	frames = wait[1].reply.sequence - wait[0].reply.sequence;
	seconds = wait[1].reply.tval_sec - wait[0].reply.tval_sec +
		  (wait[1].reply.tval_usec - wait[0].reply.tval_usec) * 1e-6;
	TH_LOG("%u frames in %.3f s", frames, seconds);
	EXPECT_LT(0u, frames);
	EXPECT_GT(seconds * rate + 4, (double)frames);
}

/* A mode of the monitor's size with so many frames a second */
static struct drm_mode_modeinfo paced(const struct drm_mode_modeinfo *mode, unsigned int hz)
{
	struct drm_mode_modeinfo m = *mode;

	m.clock = (uint32_t)m.htotal * m.vtotal * hz / 1000;
	m.vrefresh = hz;
	m.type = DRM_MODE_TYPE_USERDEF;
	snprintf(m.name, sizeof(m.name), "%u Hz", hz);
	return m;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Time stamps are a multiple of the mode's period apart, and sequence numbers tell of which */
TEST_F(kms, rates)
{
	static const unsigned int rates[] = { 30, 120 };
	double error[VBLANKS];
	struct tess_kms_fb fb;
	unsigned int i, k;

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
		struct drm_mode_modeinfo mode = paced(&self->conn.mode, rates[i]);
		double period = (double)mode.htotal * mode.vtotal / mode.clock * 1e-3;
		double then = 0, now;
		uint32_t last = 0;

		ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &mode));
		for (k = 0; k < VBLANKS + 1; k++) {
			union drm_wait_vblank wait = {
				.request = { .type = _DRM_VBLANK_RELATIVE, .sequence = 1 },
			};

			ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_WAIT_VBLANK, &wait));
			now = wait.reply.tval_sec + wait.reply.tval_usec * 1e-6;
			if (k) {
				ASSERT_LT(last, wait.reply.sequence);
				error[k - 1] = (now - then) / period - (wait.reply.sequence - last);
				if (error[k - 1] < 0)
					error[k - 1] = -error[k - 1];
			}
			then = now;
			last = wait.reply.sequence;
		}
		qsort(error, VBLANKS, sizeof(*error), compare_doubles);
		TH_LOG("%u Hz: off by %.4f of a period at most, %.4f median", rates[i],
		       error[VBLANKS - 1], error[VBLANKS / 2]);
		EXPECT_TRUE(error[VBLANKS / 2] < 0.2);
	}
	for (i = 10; i <= 300; i += 290) {
		struct drm_mode_modeinfo mode = paced(&self->conn.mode, i);

		EXPECT_EQ(-EINVAL, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &mode));
	}
}

/* Pictures that are shown at once: a slow frame has more than one */
TEST_F(kms, async_flips)
{
	struct drm_mode_modeinfo mode = paced(&self->conn.mode, 24);
	unsigned int i, again[2] = { 0 };
	struct drm_event_vblank event;
	struct tess_kms_fb fb[2];
	uint32_t sequence = 0;
	struct drm_get_cap cap = { .capability = DRM_CAP_ASYNC_PAGE_FLIP };

	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_GET_CAP, &cap));
	EXPECT_EQ(1u, cap.value);
	fb_of_mode(_metadata, self->fd, &mode, &fb[0]);
	fb_of_mode(_metadata, self->fd, &mode, &fb[1]);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb[0].id, &mode));
	for (i = 0; i < 2 * FLIPS; i++) {
		uint32_t flags = i < FLIPS ? 0 : DRM_MODE_PAGE_FLIP_ASYNC;

		ASSERT_EQ(0, __tess_kms_flip(self->fd, CRTC(0), fb[!(i & 1)].id,
					     DRM_MODE_PAGE_FLIP_EVENT | flags, i));
		ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
		ASSERT_EQ(i, event.user_data);
		again[i / FLIPS] += i && event.sequence == sequence;
		sequence = event.sequence;
	}
	TH_LOG("%u of %u flips came with no frame of their own, %u without the flag", again[1],
	       FLIPS, again[0]);
	EXPECT_EQ(0u, again[0]);
	EXPECT_LT(0u, again[1]);
}

TEST_F(kms, formats)
{
	static const uint32_t good[] = { TESS_KMS_XRGB8888, TESS_KMS_ARGB8888, TESS_KMS_RGB565 };
	struct tess_kms_fb fb;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ASSERT_EQ(0, __tess_kms_fb_create(self->fd, self->conn.mode.hdisplay,
						  self->conn.mode.vdisplay, good[i], &fb));
		EXPECT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
		tess_kms_fb_destroy(self->fd, &fb);
	}
}

static int addfb(int fd, uint32_t handle, uint32_t width, uint32_t height, uint32_t pitch,
		 uint32_t format)
{
	struct drm_mode_fb_cmd2 cmd = {
		.width = width,
		.height = height,
		.pixel_format = format,
		.handles = { handle },
		.pitches = { pitch },
	};

	return __tess_kms_addfb(fd, &cmd);
}

TEST_F(kms, framebuffers_refused)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct drm_mode_fb_cmd2 tiled = {
		.width = 64,
		.height = 64,
		.pixel_format = TESS_KMS_XRGB8888,
		.flags = DRM_MODE_FB_MODIFIERS,
		.pitches = { 256 },
		.modifier = { 1 },
	};
	uint32_t system = tess_bo_create(self->fd, 64 * 256, 0), h;
	uint32_t vram = tess_bo_create(self->fd, 64 * 256, DRM_TESSERA_BO_VRAM);

	ASSERT_EQ(0, __tess_kms_dumb(self->fd, &dumb));
	h = dumb.handle;
	EXPECT_EQ(256u, dumb.pitch);
	EXPECT_EQ(0, addfb(self->fd, h, 64, 64, 256, TESS_KMS_XRGB8888));
	/* Not memory that a head can show */
	EXPECT_EQ(-EINVAL, addfb(self->fd, system, 64, 64, 256, TESS_KMS_XRGB8888));
	EXPECT_EQ(-EINVAL, addfb(self->fd, vram, 64, 64, 256, TESS_KMS_XRGB8888));
	EXPECT_EQ(-ENOENT, addfb(self->fd, h + 100, 64, 64, 256, TESS_KMS_XRGB8888));
	/* Not such a picture in it */
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 64, 64, 252, TESS_KMS_XRGB8888));
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 63, 64, 254, TESS_KMS_XRGB8888));
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 64, 65, 256, TESS_KMS_XRGB8888));
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 64, 64, 260, TESS_KMS_XRGB8888));
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 8193, 1, 8193 * 4, TESS_KMS_XRGB8888));
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 0, 64, 256, TESS_KMS_XRGB8888));
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 64, 64, 256, 0x34324742)); /* BG24 */
	EXPECT_EQ(-EINVAL, addfb(self->fd, h, 64, 64, 256, 0x3231564e)); /* NV12 */
	tiled.handles[0] = h;
	EXPECT_EQ(-EINVAL, __tess_kms_addfb(self->fd, &tiled));
	tiled.modifier[0] = 0;
	EXPECT_EQ(0, __tess_kms_addfb(self->fd, &tiled));
}

TEST_F(kms, dumb_refused)
{
	struct drm_mode_create_dumb dumb = { .width = 8192, .height = 8192, .bpp = 32 };
	uint64_t before = tess_vram_free(self->fd);

	EXPECT_EQ(-ENOSPC, __tess_kms_dumb(self->fd, &dumb));
	dumb = (struct drm_mode_create_dumb){ .width = 0, .height = 64, .bpp = 32 };
	EXPECT_EQ(-EINVAL, __tess_kms_dumb(self->fd, &dumb));
	dumb = (struct drm_mode_create_dumb){ .width = ~0u, .height = ~0u, .bpp = 32 };
	EXPECT_EQ(-EINVAL, __tess_kms_dumb(self->fd, &dumb));
	EXPECT_EQ(before, tess_vram_free(self->fd));
}

/* A larger picture of which a part is shown: it must begin with a page */
TEST_F(kms, panning)
{
	struct drm_mode_modeinfo *mode = &self->conn.mode;
	struct drm_mode_crtc crtc = {
		.set_connectors_ptr = (uintptr_t)&CONN(0),
		.count_connectors = 1,
		.crtc_id = CRTC(0),
		.mode_valid = 1,
		.mode = *mode,
	};
	struct tess_kms_fb fb;

	ASSERT_EQ(0, __tess_kms_fb_create(self->fd, mode->hdisplay + 64, mode->vdisplay + 64,
					  TESS_KMS_XRGB8888, &fb));
	crtc.fb_id = fb.id;
	/* 64 lines of a multiple of 64 bytes */
	crtc.y = 64;
	EXPECT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_MODE_SETCRTC, &crtc));
	crtc.y = 0;
	crtc.x = 1;
	EXPECT_EQ(-EINVAL, tess_ioctl(self->fd, DRM_IOCTL_MODE_SETCRTC, &crtc));
	crtc.x = 65;
	EXPECT_EQ(-ENOSPC, tess_ioctl(self->fd, DRM_IOCTL_MODE_SETCRTC, &crtc));
}

static int set_plane(int fd, uint32_t plane, uint32_t crtc, uint32_t fb, int32_t x, int32_t y,
		     const struct drm_mode_modeinfo *mode, unsigned int scale)
{
	struct drm_mode_set_plane args = {
		.plane_id = plane,
		.crtc_id = crtc,
		.fb_id = fb,
		.crtc_x = x,
		.crtc_y = y,
		.crtc_w = mode->hdisplay,
		.crtc_h = mode->vdisplay,
		.src_w = ((uint32_t)mode->hdisplay << 16) / scale,
		.src_h = ((uint32_t)mode->vdisplay << 16) / scale,
	};

	return tess_ioctl(fd, DRM_IOCTL_MODE_SETPLANE, &args);
}

/* The picture covers the head, as it is */
TEST_F(kms, plane_refused)
{
	struct drm_mode_modeinfo *mode = &self->conn.mode;
	uint32_t planes[TESS_KMS_HEADS];
	struct tess_kms_fb fb;

	tess_kms_planes(self->fd, planes);
	fb_of_mode(_metadata, self->fd, mode, &fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, mode));
	EXPECT_EQ(0, set_plane(self->fd, planes[0], CRTC(0), fb.id, 0, 0, mode, 1));
	EXPECT_EQ(-EINVAL, set_plane(self->fd, planes[0], CRTC(0), fb.id, 5, 0, mode, 1));
	EXPECT_EQ(-EINVAL, set_plane(self->fd, planes[0], CRTC(0), fb.id, 9000, 0, mode, 1));
	EXPECT_EQ(-ERANGE, set_plane(self->fd, planes[0], CRTC(0), fb.id, 0, 0, mode, 2));
	EXPECT_EQ(-EINVAL, set_plane(self->fd, planes[1], CRTC(0), fb.id, 0, 0, mode, 1));
}

/* Not given, so the GPU refuses the picture: nobody waits for it */
TEST_F(kms, absent_head)
{
	unsigned int n = TESS_KMS_HEADS - 1;
	struct drm_event_vblank event;
	struct tess_kms_fb fb;
	union drm_wait_vblank wait = {
		.request = { .type = _DRM_VBLANK_RELATIVE, .sequence = 1 },
	};

	if (heads_given() == TESS_KMS_HEADS)
		SKIP(return, "all heads were given");
	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(n), CONN(n), fb.id, &self->conn.mode));
	ASSERT_EQ(0, __tess_kms_flip(self->fd, CRTC(n), fb.id, DRM_MODE_PAGE_FLIP_EVENT, 7));
	ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
	EXPECT_EQ(7u, event.user_data);
	wait.request.type |= n << _DRM_VBLANK_HIGH_CRTC_SHIFT;
	EXPECT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_WAIT_VBLANK, &wait));
}

/* Only who is master sets modes, and what it showed goes with it */
TEST_F(kms, master)
{
	struct drm_mode_crtc crtc = { .crtc_id = CRTC(0) };
	uint64_t before = tess_vram_free(self->fd);
	struct tess_kms_fb fb, other;
	int second = tess_kms_open();

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	fb_of_mode(_metadata, second, &self->conn.mode, &other);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	EXPECT_EQ(-EACCES, __tess_kms_set(second, CRTC(0), CONN(0), other.id, &self->conn.mode));
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_DROP_MASTER, NULL));
	EXPECT_EQ(-EACCES, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	ASSERT_EQ(0, tess_ioctl(second, DRM_IOCTL_SET_MASTER, NULL));
	EXPECT_EQ(0, __tess_kms_set(second, CRTC(0), CONN(0), other.id, &self->conn.mode));

	/* A mapping keeps the file open */
	munmap(other.map, other.size);
	close(second);
	ASSERT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_MODE_GETCRTC, &crtc));
	EXPECT_EQ(0u, crtc.mode_valid);
	tess_kms_fb_destroy(self->fd, &fb);
	EXPECT_EQ(before, tess_vram_free(self->fd));
}

/* The GPU draws into the memory that is shown */
TEST_F(kms, the_gpu_draws)
{
	struct tess_kms_fb fb;
	struct tess_ctx ctx;
	uint32_t size;

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	size = (uint32_t)fb.size;
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	tess_ctx_open_on(&ctx, self->fd, (uint32_t)tess_find_slice(self->fd, 0));
	tess_vm_map(self->fd, ctx.vm, fb.handle, 0, TESS_FREE_VA, size);
	tess_begin(&ctx);
	tess_fill(&ctx, TESS_FREE_VA, size, 0x00123456);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(0x00123456u, ((uint32_t *)fb.map)[0]);
	EXPECT_EQ(0x00123456u, ((uint32_t *)fb.map)[size / 4 - 1]);
	tess_ctx_close(&ctx);
}

static void write_file(struct __test_metadata *_metadata, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	ASSERT_LE(0, fd);
	ASSERT_EQ((ssize_t)strlen(text), write(fd, text, strlen(text)));
	close(fd);
}

/* The GPU goes while it shows something and a flip is on its way */
TEST_F(kms, unbind)
{
	struct tess_kms_connector conn;
	struct drm_event_vblank event;
	char path[PATH_MAX], target[PATH_MAX], bdf[64];
	struct tess_kms_fb fb;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/device", tess_sysfs_dir());
	n = readlink(path, target, sizeof(target) - 1);
	ASSERT_LT(0, n);
	target[n] = '\0';
	snprintf(bdf, sizeof(bdf), "%.63s", strrchr(target, '/') + 1);

	fb_of_mode(_metadata, self->fd, &self->conn.mode, &fb);
	ASSERT_EQ(0, __tess_kms_set(self->fd, CRTC(0), CONN(0), fb.id, &self->conn.mode));
	ASSERT_EQ(0, __tess_kms_flip(self->fd, CRTC(0), fb.id, DRM_MODE_PAGE_FLIP_EVENT, 1));
	write_file(_metadata, gpu_driver_file("unbind"), bdf);
	EXPECT_EQ(-ENODEV, __tess_kms_flip(self->fd, CRTC(0), fb.id, 0, 0));
	/* Shown before, or given up */
	EXPECT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
	write_file(_metadata, gpu_driver_file("bind"), bdf);

	fd = tess_kms_open();
	tess_kms_resources(fd, &self->res);
	tess_kms_connector(fd, CONN(0), &conn);
	EXPECT_TRUE(conn.connected);
	fb_of_mode(_metadata, fd, &conn.mode, &fb);
	EXPECT_EQ(0, __tess_kms_set(fd, CRTC(0), CONN(0), fb.id, &conn.mode));
	EXPECT_EQ(0, __tess_kms_flip(fd, CRTC(0), fb.id, DRM_MODE_PAGE_FLIP_EVENT, 2));
	EXPECT_EQ(0, tess_kms_event(fd, EVENT_MS, &event));
	EXPECT_EQ(2u, event.user_data);
	close(fd);
}

TEST_HARNESS_MAIN
