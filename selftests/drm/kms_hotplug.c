// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Heads that the host gives and takes while a guest shows something on them. Asks for a
 * number N of heads by a line "# heads N", and is told of them by uevents.
 */
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include "harness.h"
#include "tess_drm.h"
#include "tess_kms.h"

#define PATIENCE_MS 60000
#define EVENT_MS 5000

FIXTURE(hotplug)
{
	int fd, uevents;
	struct tess_kms_resources res;
	struct tess_kms_connector conn[2];
	struct tess_kms_fb fb[2];
};

FIXTURE_SETUP(hotplug)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };

	self->uevents = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT);
	ASSERT_EQ(0, bind(self->uevents, (struct sockaddr *)&addr, sizeof(addr)));
	self->fd = tess_kms_open();
	tess_kms_resources(self->fd, &self->res);
}

FIXTURE_TEARDOWN(hotplug)
{
	close(self->fd);
	close(self->uevents);
}

/* Of who runs this guest */
static void ask_for(unsigned int heads)
{
	printf("# heads %u\n", heads);
	fflush(stdout);
}

/* Does it say that the connectors are to be looked at? Lines end with NUL */
static bool is_hotplug(const char *text, ssize_t n)
{
	const char *at;

	for (at = text; at < text + n; at += strlen(at) + 1)
		if (!strcmp(at, "HOTPLUG=1"))
			return true;
	return false;
}

/* A uevent, and then as many connectors are connected */
static bool told_of(struct __test_metadata *_metadata, int uevents, int fd,
		    const struct tess_kms_resources *res, unsigned int heads)
{
	struct pollfd pfd = { .fd = uevents, .events = POLLIN };
	struct tess_kms_connector conn;
	unsigned int i, connected = 0;
	char text[4097] = "";
	ssize_t n;

	while (connected != heads) {
		if (poll(&pfd, 1, PATIENCE_MS) <= 0) {
			TH_LOG("%u of %u heads, and no uevent", connected, heads);
			return false;
		}
		n = recv(uevents, text, sizeof(text) - 1, 0);
		if (!is_hotplug(text, n))
			continue;
		for (connected = 0, i = 0; i < res->count_connectors; i++) {
			tess_kms_connector(fd, res->connectors[i], &conn);
			connected += conn.connected;
		}
	}
	return true;
}

static void flips(struct __test_metadata *_metadata, int fd, uint32_t crtc, uint32_t fb)
{
	struct drm_event_vblank event;
	int i;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, __tess_kms_flip(fd, crtc, fb, DRM_MODE_PAGE_FLIP_EVENT, i));
		ASSERT_EQ(0, tess_kms_event(fd, EVENT_MS, &event));
		ASSERT_EQ(crtc, event.crtc_id);
		ASSERT_EQ(i, (int)event.user_data);
	}
}

static void light(struct __test_metadata *_metadata, int fd, const struct tess_kms_resources *res,
		  unsigned int head, struct tess_kms_fb *fb)
{
	struct tess_kms_connector conn;

	tess_kms_connector(fd, res->connectors[head], &conn);
	ASSERT_TRUE(conn.connected);
	ASSERT_EQ(0, __tess_kms_fb_create(fd, conn.mode.hdisplay, conn.mode.vdisplay,
					  TESS_KMS_XRGB8888, fb));
	tess_kms_draw(fb);
	ASSERT_EQ(0,
		  __tess_kms_set(fd, res->crtcs[head], res->connectors[head], fb->id, &conn.mode));
	flips(_metadata, fd, res->crtcs[head], fb->id);
}

TEST_F(hotplug, heads_come_and_go)
{
	const uint32_t *crtcs = self->res.crtcs;

	light(_metadata, self->fd, &self->res, 0, &self->fb[0]);
	ask_for(2);
	ASSERT_TRUE(told_of(_metadata, self->uevents, self->fd, &self->res, 2));
	light(_metadata, self->fd, &self->res, 1, &self->fb[1]);
	flips(_metadata, self->fd, crtcs[0], self->fb[0].id);

	/* Who goes on to show something there waits for nothing */
	ask_for(1);
	ASSERT_TRUE(told_of(_metadata, self->uevents, self->fd, &self->res, 1));
	flips(_metadata, self->fd, crtcs[1], self->fb[1].id);
	flips(_metadata, self->fd, crtcs[0], self->fb[0].id);

	ask_for(2);
	ASSERT_TRUE(told_of(_metadata, self->uevents, self->fd, &self->res, 2));
	flips(_metadata, self->fd, crtcs[1], self->fb[1].id);
	flips(_metadata, self->fd, crtcs[0], self->fb[0].id);
}

TEST_HARNESS_MAIN
