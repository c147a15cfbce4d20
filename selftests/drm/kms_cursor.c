// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cursors on a head, in a guest whose host composes its vGPU anew as it asks: with path=remote
 * somebody shows them, with path=local nobody does.
 */
#include <errno.h>
#include <unistd.h>

#include "harness.h"
#include "tess_drm.h"
#include "tess_kms.h"
#include "tess_kms_host.h"

#define EVENT_MS 10000
#define PATH_MS 60000
#define SIZE 64
#define MOVES 200

FIXTURE(cursor)
{
	int fd;
	uint32_t crtc, connector, planes[TESS_KMS_HEADS];
	struct drm_mode_modeinfo mode;
	struct tess_kms_fb picture, image;
};

/* Until the guest was told */
static void go(struct __test_metadata *_metadata, struct __fixture_cursor *self, const char *path,
	       int want)
{
	unsigned int i;
	int got = 1;

	tess_host_path(path);
	for (i = 0; i < PATH_MS / 100 && got != want; i++) {
		got = __tess_kms_cursor(self->fd, self->crtc, &self->image, 0, 0);
		usleep(100000);
	}
	ASSERT_EQ(want, got);
}

FIXTURE_SETUP(cursor)
{
	struct tess_kms_connector conn;
	struct tess_kms_resources res;

	self->fd = tess_kms_open();
	tess_kms_resources(self->fd, &res);
	tess_kms_cursors(self->fd, self->planes);
	tess_kms_connector(self->fd, res.connectors[0], &conn);
	ASSERT_TRUE(conn.connected);
	self->mode = conn.mode;
	self->crtc = res.crtcs[0];
	self->connector = res.connectors[0];
	tess_kms_fb_create(self->fd, conn.mode.hdisplay, conn.mode.vdisplay, TESS_KMS_XRGB8888,
			   &self->picture);
	tess_kms_fb_create(self->fd, SIZE, SIZE, TESS_KMS_ARGB8888, &self->image);
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, self->connector, self->picture.id,
				    &self->mode));
	go(_metadata, self, "remote", 0);
}

FIXTURE_TEARDOWN(cursor)
{
	close(self->fd);
}

/* As often as the host likes; what is refused is what a CRTC without cursors refuses */
TEST_F_TIMEOUT(cursor, while_somebody_shows_it, 300)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		go(_metadata, self, "local", -ENXIO);
		/* Away with what is there */
		EXPECT_EQ(0, __tess_kms_cursor(self->fd, self->crtc, NULL, 0, 0));
		go(_metadata, self, "remote", 0);
	}
}

static int set_plane(const struct __fixture_cursor *self, const struct tess_kms_fb *fb, int32_t x,
		     uint32_t src_x, uint32_t size, uint32_t scale)
{
	struct drm_mode_set_plane args = {
		.plane_id = self->planes[0],
		.crtc_id = self->crtc,
		.fb_id = fb->id,
		.crtc_x = x,
		.crtc_y = 10,
		.crtc_w = size * scale,
		.crtc_h = size * scale,
		.src_x = src_x << 16,
		.src_w = size << 16,
		.src_h = size << 16,
	};

	return tess_ioctl(self->fd, DRM_IOCTL_MODE_SETPLANE, &args);
}

TEST_F_TIMEOUT(cursor, images, 300)
{
	struct tess_kms_fb small, wide, tall, opaque;

	tess_kms_fb_create(self->fd, 32, 32, TESS_KMS_ARGB8888, &small);
	tess_kms_fb_create(self->fd, 2 * SIZE, SIZE, TESS_KMS_ARGB8888, &wide);
	tess_kms_fb_create(self->fd, SIZE, SIZE + 1, TESS_KMS_ARGB8888, &tall);
	tess_kms_fb_create(self->fd, SIZE, SIZE, TESS_KMS_XRGB8888, &opaque);
	EXPECT_EQ(0, set_plane(self, &self->image, 10, 0, SIZE, 1));
	EXPECT_EQ(0, set_plane(self, &self->image, -60, 0, SIZE, 1));
	/* Nothing of it is to be seen */
	EXPECT_EQ(0, set_plane(self, &self->image, -64, 0, SIZE, 1));
	EXPECT_EQ(0, set_plane(self, &self->image, 8000, 0, SIZE, 1));
	EXPECT_EQ(0, set_plane(self, &self->image, 0, 0, SIZE, 1));
	/* As tests of others have it, to see that the last line is not shown */
	EXPECT_EQ(0, set_plane(self, &tall, 10, 0, SIZE, 1));
	EXPECT_EQ(-EINVAL, set_plane(self, &small, 10, 0, 32, 1));
	EXPECT_EQ(-EINVAL, set_plane(self, &wide, 10, SIZE, SIZE, 1));
	EXPECT_EQ(-EINVAL, set_plane(self, &opaque, 10, 0, SIZE, 1));
	EXPECT_EQ(-EINVAL, set_plane(self, &self->image, 10, 1, SIZE - 1, 1));
	EXPECT_EQ(-ERANGE, set_plane(self, &self->image, 10, 0, SIZE, 2));
	EXPECT_EQ(-EINVAL, __tess_kms_cursor(self->fd, self->crtc, &small, 0, 0));
	EXPECT_EQ(-EINVAL, __tess_kms_cursor(self->fd, self->crtc, &wide, 0, 0));
}

/* A pointer that moves is no new picture, and takes no frame from one that waits */
TEST_F_TIMEOUT(cursor, moves_cost_no_pictures, 300)
{
	struct tess_host_totals before, after;
	struct drm_event_vblank event;
	struct tess_kms_fb other;
	int i;

	tess_kms_fb_create(self->fd, self->mode.hdisplay, self->mode.vdisplay, TESS_KMS_XRGB8888,
			   &other);
	ASSERT_TRUE(tess_host_totals(&before));
	for (i = 0; i < MOVES; i++)
		ASSERT_EQ(0, __tess_kms_cursor_move(self->fd, self->crtc, i, i));
	ASSERT_TRUE(tess_host_totals(&after));
	EXPECT_EQ(before.shown, after.shown);
	ASSERT_EQ(0, __tess_kms_flip(self->fd, self->crtc, other.id, DRM_MODE_PAGE_FLIP_EVENT, 0));
	for (i = 0; i < MOVES; i++)
		ASSERT_EQ(0, __tess_kms_cursor_move(self->fd, self->crtc, i, i));
	EXPECT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
	ASSERT_TRUE(tess_host_totals(&after));
	EXPECT_EQ(before.shown + 1, after.shown);
	/* One that comes or goes changes nothing of the picture */
	ASSERT_EQ(0, __tess_kms_cursor(self->fd, self->crtc, NULL, 0, 0));
	ASSERT_TRUE(tess_host_totals(&before));
	EXPECT_EQ(after.damaged, before.damaged);
}

/* With the head it goes, and is back with it */
TEST_F_TIMEOUT(cursor, off_and_on, 300)
{
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, 0, 0, NULL));
	EXPECT_EQ(0, __tess_kms_cursor_move(self->fd, self->crtc, 5, 5));
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, self->connector, self->picture.id,
				    &self->mode));
	EXPECT_EQ(0, __tess_kms_cursor_move(self->fd, self->crtc, 50, 50));
	EXPECT_EQ(0, __tess_kms_cursor(self->fd, self->crtc, &self->image, 1, 1));
}

TEST_HARNESS_MAIN
