// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The system of a guest sleeps while a head shows a picture and a job is in a ring. What was shared
 * with the guest does not survive that: this program has to be run from a file system of the guest's own,
 * as the last one.
 *
 * pm_test of the kernel wakes the system up when all devices are suspended.
 */
#include <errno.h>
#include <unistd.h>

#include "harness.h"
#include "tess_ctx.h"
#include "tess_kms.h"

#define POWER "/sys/power/"
#define ASLEEP_S "2"
#define EVENT_MS 60000
#define LOOPS 200000

FIXTURE(sleep)
{
	struct tess_kms_fb fb[2];
	struct tess_kms_connector conn;
	uint32_t crtc, connector;
	int fd;
};

/* @how: "s2idle" or "deep" */
static int sleep_system(const char *how)
{
	int ret = tess_put("/sys/module/suspend/parameters/pm_test_delay", ASLEEP_S);

	ret = ret ?: tess_put(POWER "mem_sleep", how);
	ret = ret ?: tess_put(POWER "pm_test", "platform");
	return ret ?: tess_put(POWER "state", "mem");
}

/* A mode, and a picture; once more after a head was lost */
static void show(struct __test_metadata *_metadata, struct __fixture_sleep *self)
{
	struct tess_kms_resources res;
	unsigned int i;

	self->fd = tess_kms_open();
	tess_kms_resources(self->fd, &res);
	self->crtc = res.crtcs[0];
	self->connector = res.connectors[0];
	tess_kms_connector(self->fd, self->connector, &self->conn);
	ASSERT_TRUE(self->conn.connected);
	for (i = 0; i < 2; i++) {
		tess_kms_fb_create(self->fd, self->conn.mode.hdisplay, self->conn.mode.vdisplay,
				   TESS_KMS_XRGB8888, &self->fb[i]);
		tess_kms_draw(&self->fb[i]);
	}
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->crtc, self->connector, self->fb[0].id,
				    &self->conn.mode));
}

static uint32_t flip(struct __test_metadata *_metadata, struct __fixture_sleep *self,
		     unsigned int to)
{
	struct drm_event_vblank event = {};

	EXPECT_EQ(0, __tess_kms_flip(self->fd, self->crtc, self->fb[to].id,
				     DRM_MODE_PAGE_FLIP_EVENT, to));
	EXPECT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
	EXPECT_EQ(to, event.user_data);
	return event.sequence;
}

/* Pixels of it that are not as they were drawn */
static unsigned int wrong_pixels(const struct tess_kms_fb *fb)
{
	unsigned int wrong = 0, x, y;

	for (y = 0; y < fb->height; y += 7)
		for (x = 0; x < fb->width; x++) {
			const uint32_t *line =
				(const uint32_t *)((const char *)fb->map + (size_t)y * fb->pitch);

			wrong += (line[x] ^ tess_kms_pixel(fb->width, fb->height, x, y)) << 8 != 0;
		}
	return wrong;
}

static void start_job(struct tess_ctx *ctx)
{
	*(uint64_t *)ctx->data = 0;
	tess_begin(ctx);
	tess_dispatch(ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, LOOPS);
	tess_ctx_submit(ctx);
}

FIXTURE_SETUP(sleep)
{
	ASSERT_EQ(0, access(POWER "pm_test", W_OK));
	show(_metadata, self);
}

FIXTURE_TEARDOWN(sleep)
{
	tess_put(POWER "pm_test", "none");
	close(self->fd);
}

/* Nothing is lost */
TEST_F_TIMEOUT(sleep, to_idle, 200)
{
	uint32_t before = flip(_metadata, self, 1), after;
	unsigned int round;
	struct tess_ctx ctx;

	tess_ctx_open(&ctx);
	for (round = 0; round < 2; round++) {
		start_job(&ctx);
		ASSERT_EQ(0, sleep_system("s2idle"));
		EXPECT_EQ(0, tess_ctx_wait(&ctx));
		EXPECT_EQ(1u, *(uint64_t *)ctx.data);
		EXPECT_EQ(0u, wrong_pixels(&self->fb[0]) + wrong_pixels(&self->fb[1]));
		after = flip(_metadata, self, round & 1);
		EXPECT_LT(before, after);
		before = after;
	}
	tess_ctx_close(&ctx);
}

/*
 * A vGPU may lose its power then, and its driver begins anew: files that were open are dead, and
 * those that are opened find a GPU, and a head that shows something
 */
TEST_F_TIMEOUT(sleep, to_memory, 200)
{
	struct drm_tessera_query_gpu gpu;
	struct tess_ctx ctx;

	ASSERT_EQ(0, sleep_system("deep"));
	EXPECT_EQ(-ENODEV, __tess_query(self->fd, DRM_TESSERA_QUERY_GPU, &gpu, sizeof(gpu)));
	close(self->fd);
	show(_metadata, self);
	flip(_metadata, self, 1);
	tess_ctx_open(&ctx);
	start_job(&ctx);
	EXPECT_EQ(0, tess_ctx_wait(&ctx));
	EXPECT_EQ(1u, *(uint64_t *)ctx.data);
	tess_ctx_close(&ctx);
}

TEST_HARNESS_MAIN
