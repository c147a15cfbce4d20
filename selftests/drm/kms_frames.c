// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A host that shows pictures and sends frames, but never says that a picture was shown (parameter
 * no_flip of modules that are built for tests): commits end all the same, with their events. In a
 * guest that shows nothing else.
 */
#include <fcntl.h>

#include "harness.h"
#include "tess_kms.h"

#define FLIPS 4
/* An event that was lost never comes */
#define EVENT_MS 60000

FIXTURE(frames)
{
	int fd, log;
	struct tess_kms_resources res;
	struct tess_kms_connector conn;
	struct tess_kms_fb fb[2];
};

FIXTURE_SETUP(frames)
{
	unsigned int i;

	self->log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->log);
	ASSERT_EQ(0, lseek(self->log, 0, SEEK_END));
	self->fd = tess_kms_open();
	tess_kms_resources(self->fd, &self->res);
	tess_kms_connector(self->fd, self->res.connectors[0], &self->conn);
	ASSERT_TRUE(self->conn.connected);
	for (i = 0; i < 2; i++)
		tess_kms_fb_create(self->fd, self->conn.mode.hdisplay, self->conn.mode.vdisplay,
				   TESS_KMS_XRGB8888, &self->fb[i]);
}

/* What DRM says when it gives up waiting for a flip */
static bool gave_up(int log)
{
	char line[1025];
	bool found = false;
	ssize_t n;

	/* EPIPE: lines were lost, and it goes on with the next one that is there */
	while ((n = read(log, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		line[n > 0 ? n : 0] = 0;
		found |= strstr(line, "timed out") != NULL;
	}
	return found;
}

FIXTURE_TEARDOWN(frames)
{
	EXPECT_FALSE(gave_up(self->log));
	close(self->log);
	close(self->fd);
}

static void set_mode(struct __test_metadata *_metadata, struct __fixture_frames *self)
{
	ASSERT_EQ(0, __tess_kms_set(self->fd, self->res.crtcs[0], self->res.connectors[0],
				    self->fb[0].id, &self->conn.mode));
}

/* Commits that wait: the second one waits for the first */
TEST_F_TIMEOUT(frames, commits_end, 150)
{
	unsigned int i;

	for (i = 0; i < FLIPS; i++) {
		set_mode(_metadata, self);
		ASSERT_EQ(0, __tess_kms_set(self->fd, self->res.crtcs[0], 0, 0, NULL));
	}
}

/* An event for each, in order, with a frame of its own */
TEST_F_TIMEOUT(frames, flips_end, 280)
{
	struct drm_event_vblank event;
	uint32_t sequence = 0;
	unsigned int i;

	set_mode(_metadata, self);
	for (i = 0; i < FLIPS; i++) {
		ASSERT_EQ(0, __tess_kms_flip(self->fd, self->res.crtcs[0], self->fb[!(i & 1)].id,
					     DRM_MODE_PAGE_FLIP_EVENT, i));
		ASSERT_EQ(0, tess_kms_event(self->fd, EVENT_MS, &event));
		EXPECT_EQ((uint32_t)DRM_EVENT_FLIP_COMPLETE, event.base.type);
		EXPECT_EQ(i, event.user_data);
		if (i)
			EXPECT_LT(sequence, event.sequence);
		sequence = event.sequence;
	}
	EXPECT_EQ(-ETIME, tess_kms_event(self->fd, 100, &event));
}

TEST_HARNESS_MAIN
