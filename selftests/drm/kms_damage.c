// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of a head's picture changed, as the host of this guest sees it. Nothing else is shown on the
 * head.
 */
#include <fcntl.h>
#include <unistd.h>

#include "harness.h"
#include "tess_drm.h"
#include "tess_kms.h"
#include "tess_kms_host.h"

#define EVENT_MS 10000
#define ANSWER_MS 60000
#define MARGIN 64

/* @b shows the same as @a; @wide are larger than the mode */
FIXTURE(damage)
{
	int fd;
	uint32_t crtc, connector, planes[TESS_KMS_HEADS];
	struct drm_mode_modeinfo mode;
	struct tess_kms_fb a, b, c, wide[2];
	struct tess_host_totals totals;
};

/* One more picture was shown, and this changed */
static void expect(struct __test_metadata *_metadata, struct __fixture_damage *self,
		   const char *what, struct tess_host_rect r)
{
	struct tess_host_totals now;

	ASSERT_TRUE(tess_host_totals(&now));
	TH_LOG("%s: %u,%u-%u,%u of %llu", what, now.last.x1, now.last.y1, now.last.x2, now.last.y2,
	       now.shown);
	EXPECT_EQ(self->totals.shown + 1, now.shown);
	EXPECT_EQ(self->totals.damaged + (r.x2 - r.x1) * (r.y2 - r.y1), now.damaged);
	EXPECT_EQ(r.x1, now.last.x1);
	EXPECT_EQ(r.y1, now.last.y1);
	EXPECT_EQ(r.x2, now.last.x2);
	EXPECT_EQ(r.y2, now.last.y2);
	self->totals = now;
}

static struct tess_host_rect all(const struct __fixture_damage *self)
{
	return (struct tess_host_rect){ 0, 0, self->mode.hdisplay, self->mode.vdisplay };
}

static const struct tess_host_rect nothing;

static void flip(struct __test_metadata *_metadata, struct __fixture_damage *self,
		 const struct tess_kms_fb *fb)
{
	struct drm_event_vblank event;

	ASSERT_EQ(0, __tess_kms_flip(self->fd, self->crtc, fb->id, DRM_MODE_PAGE_FLIP_EVENT, 0));
	ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
}

static void flip_clips(struct __test_metadata *_metadata, struct __fixture_damage *self,
		       const struct tess_kms_fb *fb, const struct drm_mode_rect *clips,
		       unsigned int count)
{
	struct drm_event_vblank event;

	ASSERT_EQ(0, __tess_kms_flip_clips(self->fd, self->planes[0], fb->id, clips, count, 0));
	ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
}

static int tell_on(int fd, uint32_t handle, uint32_t previous, struct tess_host_rect r)
{
	struct drm_tessera_bo_damage args = {
		.handle = handle,
		.previous = previous,
		.x1 = r.x1,
		.y1 = r.y1,
		.x2 = r.x2,
		.y2 = r.y2,
	};

	return tess_ioctl(fd, DRM_IOCTL_TESSERA_BO_DAMAGE, &args);
}

/* @previous: NULL: none */
static void tell(struct __test_metadata *_metadata, struct __fixture_damage *self,
		 const struct tess_kms_fb *fb, const struct tess_kms_fb *previous,
		 struct tess_host_rect r)
{
	ASSERT_EQ(0, tell_on(self->fd, fb->handle, previous ? previous->handle : 0, r));
}

/* A part of a framebuffer from line @y on; its mode is set */
static int pan(struct __fixture_damage *self, const struct tess_kms_fb *fb, uint32_t y)
{
	struct drm_mode_crtc crtc = {
		.set_connectors_ptr = (uintptr_t)&self->connector,
		.count_connectors = 1,
		.crtc_id = self->crtc,
		.fb_id = fb->id,
		.y = y,
		.mode_valid = 1,
		.mode = self->mode,
	};

	return tess_ioctl(self->fd, DRM_IOCTL_MODE_SETCRTC, &crtc);
}

FIXTURE_SETUP(damage)
{
	struct tess_kms_connector conn;
	struct tess_kms_resources res;
	unsigned int i;

	ASSERT_TRUE(getenv("TESSERA_ANSWERS"));
	self->fd = tess_kms_open();
	tess_kms_resources(self->fd, &res);
	tess_kms_planes(self->fd, self->planes);
	tess_kms_connector(self->fd, res.connectors[0], &conn);
	ASSERT_TRUE(conn.connected);
	self->mode = conn.mode;
	self->crtc = res.crtcs[0];
	self->connector = res.connectors[0];
	tess_kms_fb_create(self->fd, conn.mode.hdisplay, conn.mode.vdisplay, TESS_KMS_XRGB8888,
			   &self->a);
	tess_kms_fb_create(self->fd, conn.mode.hdisplay, conn.mode.vdisplay, TESS_KMS_XRGB8888,
			   &self->b);
	tess_kms_fb_create(self->fd, conn.mode.hdisplay, conn.mode.vdisplay, TESS_KMS_XRGB8888,
			   &self->c);
	for (i = 0; i < 2; i++)
		tess_kms_fb_create(self->fd, conn.mode.hdisplay + MARGIN,
				   conn.mode.vdisplay + MARGIN, TESS_KMS_XRGB8888, &self->wide[i]);
	ASSERT_TRUE(tess_host_totals(&self->totals));
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, self->connector, self->a.id, &conn.mode));
	expect(_metadata, self, "a mode is set", all(self));
	EXPECT_EQ(conn.mode.hdisplay, self->totals.width);
	EXPECT_EQ(conn.mode.vdisplay, self->totals.height);
}

FIXTURE_TEARDOWN(damage)
{
	close(self->fd);
}

TEST_F_TIMEOUT(damage, clips, 200)
{
	const struct drm_mode_rect two[] = { { 16, 32, 80, 96 }, { 70, 10, 90, 20 } };
	const struct drm_mode_rect edge = { 0, self->mode.vdisplay - 1, self->mode.hdisplay,
					    self->mode.vdisplay };
	const struct drm_mode_rect beyond = { 0, 0, self->mode.hdisplay + 1, 1 };

	flip(_metadata, self, &self->b);
	expect(_metadata, self, "a flip without clips", all(self));
	flip_clips(_metadata, self, &self->a, two, 2);
	expect(_metadata, self, "two clips", (struct tess_host_rect){ 16, 10, 90, 96 });
	/* Of the same buffer, too; and they do not stay */
	flip_clips(_metadata, self, &self->a, &edge, 1);
	expect(_metadata, self, "the last line",
	       (struct tess_host_rect){ 0, self->mode.vdisplay - 1, self->mode.hdisplay,
					self->mode.vdisplay });
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "none again", all(self));
	flip_clips(_metadata, self, &self->a, &beyond, 1);
	expect(_metadata, self, "more than there is",
	       (struct tess_host_rect){ 0, 0, self->mode.hdisplay, 1 });
	/* With another mode, or another sort of picture, nothing can be kept */
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, 0, 0, NULL));
	ASSERT_EQ(0,
		  __tess_kms_set(self->fd, self->crtc, self->connector, self->a.id, &self->mode));
	expect(_metadata, self, "off and on", all(self));
	flip_clips(_metadata, self, &self->wide[0], two, 1);
	expect(_metadata, self, "another pitch", all(self));
	flip_clips(_metadata, self, &self->wide[1], two, 1);
	expect(_metadata, self, "the same", (struct tess_host_rect){ 16, 32, 80, 96 });
}

/* Clips are pixels of the framebuffer, damage those of the head */
TEST_F_TIMEOUT(damage, panning, 200)
{
	const struct drm_mode_rect clip = { 16, MARGIN + 32, 80, MARGIN + 96 };
	const struct drm_mode_rect above = { 0, 0, self->mode.hdisplay, MARGIN };
	const struct drm_mode_rect across = { 8, MARGIN - 8, 16, MARGIN + 8 };
	const struct drm_mode_rect right = { self->mode.hdisplay - 8, MARGIN,
					     self->mode.hdisplay + 8, MARGIN + 1 };

	ASSERT_EQ(0, pan(self, &self->wide[0], 0));
	expect(_metadata, self, "a wide picture", all(self));
	ASSERT_EQ(0, pan(self, &self->wide[0], MARGIN));
	expect(_metadata, self, "another part of it", all(self));
	flip_clips(_metadata, self, &self->wide[1], &clip, 1);
	expect(_metadata, self, "a clip", (struct tess_host_rect){ 16, 32, 80, 96 });
	flip_clips(_metadata, self, &self->wide[0], &above, 1);
	expect(_metadata, self, "nothing that is shown", nothing);
	flip_clips(_metadata, self, &self->wide[1], &across, 1);
	expect(_metadata, self, "the shown part of one", (struct tess_host_rect){ 8, 0, 16, 8 });
	flip_clips(_metadata, self, &self->wide[0], &right, 1);
	expect(_metadata, self, "the same, on the right",
	       (struct tess_host_rect){ self->mode.hdisplay - 8, 0, self->mode.hdisplay, 1 });
	tell(_metadata, self, &self->wide[0], NULL, nothing);
	flip(_metadata, self, &self->wide[0]);
	expect(_metadata, self, "a picture that was told of", all(self));
	tell(_metadata, self, &self->wide[1], &self->wide[0],
	     (struct tess_host_rect){ 0, MARGIN + 1, 2, MARGIN + 3 });
	flip(_metadata, self, &self->wide[1]);
	expect(_metadata, self, "one compared with it", (struct tess_host_rect){ 0, 1, 2, 3 });
	tell(_metadata, self, &self->wide[0], &self->wide[1],
	     (struct tess_host_rect){ 0, MARGIN + 1, 2, MARGIN + 3 });
	ASSERT_EQ(0, pan(self, &self->wide[0], 0));
	expect(_metadata, self, "another part of such a one", all(self));
}

TEST_F_TIMEOUT(damage, dirtyfb, 200)
{
	const struct drm_clip_rect clips[] = { { 1, 2, 3, 4 }, { 30, 40, 50, 60 } };

	/* It returns when that is shown */
	EXPECT_EQ(0, __tess_kms_dirty(self->fd, self->a.id, clips, 1));
	expect(_metadata, self, "a part of what is shown", (struct tess_host_rect){ 1, 2, 3, 4 });
	EXPECT_EQ(0, __tess_kms_dirty(self->fd, self->a.id, clips, 2));
	expect(_metadata, self, "two", (struct tess_host_rect){ 1, 2, 50, 60 });
	EXPECT_EQ(0, __tess_kms_dirty(self->fd, self->a.id, NULL, 0));
	expect(_metadata, self, "all of it", all(self));
	/* What is not shown is nobody's business */
	EXPECT_EQ(0, __tess_kms_dirty(self->fd, self->b.id, clips, 1));
	EXPECT_EQ(0, __tess_kms_dirty(self->fd, self->a.id, clips, 1));
	expect(_metadata, self, "once", (struct tess_host_rect){ 1, 2, 3, 4 });
}

/* Flips that say nothing, of pictures that somebody told of */
TEST_F_TIMEOUT(damage, told, 400)
{
	const struct tess_host_rect r = { 16, 32, 80, 96 }, s = { 100, 200, 300, 250 };
	const struct drm_mode_rect clip = { 1, 2, 3, 4 };

	tell(_metadata, self, &self->a, NULL, r);
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "compared with nothing", all(self));
	tell(_metadata, self, &self->b, &self->a, r);
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "compared with what is shown", r);
	tell(_metadata, self, &self->a, &self->b, s);
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "and back", s);
	/* Three in turns */
	tell(_metadata, self, &self->c, &self->a, r);
	flip(_metadata, self, &self->c);
	expect(_metadata, self, "a third one", r);
	tell(_metadata, self, &self->b, &self->a, s);
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "compared with what is not shown", all(self));
	/* Another picture where it was */
	tell(_metadata, self, &self->b, NULL, r);
	tell(_metadata, self, &self->a, &self->b, r);
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "compared with what was not shown yet", all(self));
	/* One that was not told of */
	flip(_metadata, self, &self->c);
	tell(_metadata, self, &self->b, &self->a, r);
	self->totals.shown++;
	self->totals.damaged += self->mode.hdisplay * self->mode.vdisplay;
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "compared with the one before", all(self));
	/* The same buffer, by either way */
	tell(_metadata, self, &self->b, &self->b, r);
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "compared with itself", all(self));
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "the same picture", all(self));
	/* Nothing, and more than there is */
	tell(_metadata, self, &self->a, &self->b, (struct tess_host_rect){ 5, 6, 5, 6 });
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "nothing changed", nothing);
	tell(_metadata, self, &self->b, &self->a, (struct tess_host_rect){ 9000, 0, ~0u, 1 });
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "nothing that there is", nothing);
	tell(_metadata, self, &self->a, &self->b, (struct tess_host_rect){ 1000, 700, ~0u, ~0u });
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "a corner",
	       (struct tess_host_rect){ 1000, 700, self->mode.hdisplay, self->mode.vdisplay });
	/* Clips of the flip are what counts */
	tell(_metadata, self, &self->b, &self->a, r);
	flip_clips(_metadata, self, &self->b, &clip, 1);
	expect(_metadata, self, "with clips", (struct tess_host_rect){ 1, 2, 3, 4 });
	tell(_metadata, self, &self->a, &self->b, s);
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "and then without", s);
	/* Pixels are not where they were */
	tell(_metadata, self, &self->wide[0], &self->a, r);
	flip(_metadata, self, &self->wide[0]);
	expect(_metadata, self, "another pitch", all(self));
}

/* The host takes the head, or gives it */
static void ask_for(struct __test_metadata *_metadata, struct __fixture_damage *self, bool head)
{
	struct tess_kms_connector conn = { .connected = !head };
	unsigned int i;

	tess_host_heads(head);
	for (i = 0; i < ANSWER_MS / 100 && conn.connected != head; i++) {
		usleep(100000);
		tess_kms_connector(self->fd, self->connector, &conn);
	}
	ASSERT_EQ(head, conn.connected);
}

/* It is shown again after the connector was looked at */
static void await_picture(struct __test_metadata *_metadata)
{
	struct tess_host_totals now;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		ASSERT_TRUE(tess_host_totals(&now));
		if (now.width)
			return;
		usleep(100000);
	}
	ASSERT_LT(0u, now.width);
}

/* A picture that nobody sees, as the head was taken; all of it is seen when the head is back */
TEST_F_TIMEOUT(damage, taken, 300)
{
	const struct drm_mode_rect clip = { 1, 2, 3, 4 };

	ask_for(_metadata, self, false);
	flip_clips(_metadata, self, &self->b, &clip, 1);
	ask_for(_metadata, self, true);
	await_picture(_metadata);
	expect(_metadata, self, "the head is back", all(self));
	flip_clips(_metadata, self, &self->a, &clip, 1);
	expect(_metadata, self, "and a clip", (struct tess_host_rect){ 1, 2, 3, 4 });
}

static int share(int from, uint32_t handle, int to, uint32_t *shared)
{
	struct drm_prime_handle args = { .handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR };
	struct drm_prime_handle back = { 0 };
	int rc = tess_ioctl(from, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	if (rc)
		return rc;
	back.fd = args.fd;
	rc = tess_ioctl(to, DRM_IOCTL_PRIME_FD_TO_HANDLE, &back);
	close(args.fd);
	*shared = back.handle;
	return rc;
}

/* Who draws is not who flips */
TEST_F_TIMEOUT(damage, told_by_another, 200)
{
	const struct tess_host_rect r = { 16, 32, 80, 96 };
	int render = tess_open();
	uint32_t a, b, wrong;

	ASSERT_EQ(0, share(self->fd, self->a.handle, render, &a));
	ASSERT_EQ(0, share(self->fd, self->b.handle, render, &b));
	ASSERT_EQ(0, tell_on(render, a, 0, r));
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "compared with nothing", all(self));
	ASSERT_EQ(0, tell_on(render, b, a, r));
	/* It told of it for good: what it had may go */
	EXPECT_EQ(0, __tess_bo_close(render, a));
	close(render);
	flip(_metadata, self, &self->b);
	expect(_metadata, self, "compared with what is shown", r);
	/* Bad calls change nothing of what was told */
	tell(_metadata, self, &self->a, &self->b, r);
	wrong = self->a.handle + 100;
	EXPECT_EQ(-ENOENT, tell_on(self->fd, self->a.handle, wrong, r));
	EXPECT_EQ(-ENOENT, tell_on(self->fd, wrong, self->a.handle, r));
	EXPECT_EQ(-EINVAL, tell_on(self->fd, self->a.handle, self->b.handle,
				   (struct tess_host_rect){ 2, 2, 1, 3 }));
	flip(_metadata, self, &self->a);
	expect(_metadata, self, "in spite of bad calls", r);
}

TEST_HARNESS_MAIN
