// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: serving a client
 *
 * neatvnc speaks RFB. Each client has a process with a server of its own: the library was not
 * written for hostile clients, and ends by an assertion, or worse, on some of what they can say. So
 * that is the end of this client alone. The process has given up root, its memory is limited, and
 * it has no more than the picture and a connection.
 *
 * The library encodes in threads while the picture goes on, so it gets frames of a pool, each of
 * which knows the tiles that are older than the picture.
 */
#include <aml.h>
#include <grp.h>
#include <neatvnc.h>
#include <pixman.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <drm/drm_fourcc.h>

#include "relay.h"
#include "say.h"
#include "serve.h"

/* Until a client's handshake has to be over */
#define PATIENCE_US 30000000ULL
/* To a client that said it wrong, before it is told so */
#define WRONG_PASSWORD_S 1

/* What a process needs, and for each byte of a picture: frames and what they are encoded into */
#define MEMORY_BASE (192ULL << 20)
#define MEMORY_PICTURES 8

/* The user that a process is from then on */
#define NOBODY "nobody"

/**
 * struct frame - what the library may be reading
 * @next: of the session
 * @stale: tiles that changed in the picture since
 */
struct frame {
	struct frame *next;
	struct shadow_tiles stale;
};

/**
 * struct session - state of the process
 * @serve: what it was started with
 * @loop: of the library
 * @vnc: the server
 * @display: its
 * @pool: of frames
 * @frames: all of them
 * @width: of the frames
 * @height: of them
 */
struct session {
	const struct serve *serve;
	struct aml *loop;
	struct nvnc *vnc;
	struct nvnc_display *display;
	struct nvnc_fb_pool *pool;
	struct frame *frames;
	uint16_t width, height;
};

/* The library's hooks have no other way to it */
static struct session session;

/* ---- pictures ---- */

/* The library frees those of another size */
static void forget_frame(void *data)
{
	struct frame **at = &session.frames;

	while (*at && *at != data)
		at = &(*at)->next;
	if (*at)
		*at = (*at)->next;
	free(data);
}

static struct frame *frame_of(struct session *s, struct nvnc_fb *fb)
{
	struct frame *frame = nvnc_get_userdata(fb);

	if (frame)
		return frame;
	frame = calloc(1, sizeof(*frame));
	if (!frame)
		return NULL;
	shadow_tiles_all(&frame->stale, s->width, s->height);
	frame->next = s->frames;
	s->frames = frame;
	nvnc_set_userdata(fb, frame, forget_frame);
	return frame;
}

static void copy_rect(const struct session *s, struct nvnc_fb *fb, const struct shadow_rect *rect)
{
	const uint32_t *from = (const uint32_t *)((const char *)s->serve->picture + SHARE_PIXELS);
	uint32_t *to = nvnc_fb_get_addr(fb);
	unsigned int y;

	for (y = rect->y1; y < rect->y2; y++) {
		size_t at = (size_t)y * s->width + rect->x1;

		memcpy(to + at, from + at, (rect->x2 - rect->x1) * sizeof(*to));
	}
}

/* Bring a frame up to date */
static void copy_stale(const struct session *s, struct nvnc_fb *fb, struct frame *frame)
{
	struct shadow_rect rect;
	unsigned int at = 0;

	while (shadow_tiles_run(&frame->stale, s->width, s->height, &at, &rect))
		copy_rect(s, fb, &rect);
	memset(&frame->stale, 0, sizeof(frame->stale));
}

static void damage_of(const struct session *s, const struct shadow_tiles *tiles,
		      pixman_region16_t *damage)
{
	static pixman_box16_t boxes[SHADOW_COLUMNS * SHADOW_COLUMNS / 2];
	struct shadow_rect r;
	unsigned int at = 0;
	int count = 0;

	while (shadow_tiles_run(tiles, s->width, s->height, &at, &r))
		boxes[count++] = (pixman_box16_t){ (int16_t)r.x1, (int16_t)r.y1, (int16_t)r.x2,
						   (int16_t)r.y2 };
	pixman_region_init_rects(damage, boxes, count);
}

/* Give the library a frame in which @fresh differs from the one before. False: no memory. */
static bool feed(struct session *s, const struct shadow_tiles *fresh)
{
	struct nvnc_fb *fb = nvnc_fb_pool_acquire(s->pool);
	struct frame *frame = fb ? frame_of(s, fb) : NULL, *f;
	pixman_region16_t damage;
	unsigned int i;

	if (!frame)
		return false;
	for (f = s->frames; f; f = f->next)
		for (i = 0; i < SHADOW_WORDS; i++)
			f->stale.words[i] |= fresh->words[i];
	copy_stale(s, fb, frame);
	damage_of(s, fresh, &damage);
	nvnc_display_feed_buffer(s->display, fb, &damage);
	pixman_region_fini(&damage);
	nvnc_fb_unref(fb);
	atomic_fetch_add(&s->serve->client->frames, 1);
	return true;
}

static void limit_memory(const struct session *s)
{
	rlim_t most = MEMORY_BASE + MEMORY_PICTURES * 4ULL * s->width * s->height;
	struct rlimit limit = { most, RLIM_INFINITY };

	setrlimit(RLIMIT_DATA, &limit);
}

/* Of the size that the picture has now. Returns true if that is another one. */
static bool follow_size(struct session *s)
{
	uint64_t size = atomic_load(&s->serve->picture->size);
	uint16_t width = (uint16_t)(size >> 32), height = (uint16_t)size;

	if (!width || width > SHADOW_SIZE_MAX || !height || height > SHADOW_SIZE_MAX ||
	    (width == s->width && height == s->height))
		return false;
	s->width = width;
	s->height = height;
	limit_memory(s);
	nvnc_fb_pool_resize(s->pool, width, height, DRM_FORMAT_XRGB8888, width);
	return true;
}

static void on_wake(void *handler)
{
	struct session *s = aml_get_userdata(handler);
	struct shadow_tiles fresh;
	eventfd_t count;
	bool any;

	eventfd_read(s->serve->wake, &count);
	any = share_take(s->serve->client, &fresh);
	if (follow_size(s)) {
		shadow_tiles_all(&fresh, s->width, s->height);
		any = true;
	}
	if (any && !feed(s, &fresh)) {
		say("no memory for a picture of %ux%u; a client is disconnected", s->width,
		    s->height);
		_exit(1);
	}
}

/* ---- access ---- */

static bool same(const char *given, const char *wanted)
{
	size_t length = strlen(wanted), i;
	unsigned int differs = strlen(given) != length;

	/* In a time that does not depend on where they differ */
	for (i = 0; i < length; i++)
		differs |= (unsigned int)(given[i < strlen(given) ? i : 0] ^ wanted[i]);
	return !differs;
}

static bool may_enter(const char *user, const char *password, void *data)
{
	const struct serve_access *access = data;
	bool good = same(user, access->user) & same(password, access->password);

	if (!good)
		sleep(WRONG_PASSWORD_S);
	return good;
}

static void on_ready(struct nvnc_client *client)
{
	(void)client;
	atomic_store(&session.serve->client->ready, true);
	eventfd_write(session.serve->attention, 1);
}

/* False: no. It is told of another size if the guest takes it, as of any */
static bool on_layout(struct nvnc_client *client, const struct nvnc_desktop_layout *layout)
{
	uint64_t width = nvnc_desktop_layout_get_width(layout);
	uint64_t height = nvnc_desktop_layout_get_height(layout);

	(void)client;
	if (!session.serve->resize || !width || !height)
		return false;
	atomic_store(&session.serve->client->wanted, width << 32 | height);
	eventfd_write(session.serve->attention, 1);
	return true;
}

static void on_late(void *timer)
{
	struct session *s = aml_get_userdata(timer);

	if (!atomic_load(&s->serve->client->ready))
		aml_exit(s->loop);
}

/* ---- the process ---- */

/* What it has to say of clients is of no use to administrators */
static void no_log(const struct nvnc_log_data *meta, const char *message)
{
	(void)meta;
	(void)message;
}

static bool start_server(struct session *s, int *near)
{
	const struct serve_access *access = s->serve->access;
	int listener = relay_listen(near);

	if (listener < 0) {
		say("cannot make a socket in " P_tmpdir ": %m");
		return false;
	}
	s->vnc = nvnc_open_from_fd(listener);
	s->display = nvnc_display_new(0, 0);
	s->pool = nvnc_fb_pool_new(0, 0, DRM_FORMAT_XRGB8888, 0);
	if (!s->vnc || !s->display || !s->pool)
		return false;
	if (access->certificate &&
	    (nvnc_set_tls_creds(s->vnc, access->key, access->certificate) ||
	     nvnc_enable_auth(s->vnc, NVNC_AUTH_REQUIRE_AUTH | NVNC_AUTH_REQUIRE_ENCRYPTION,
			      may_enter, (void *)access))) {
		say("cannot use %s and %s for TLS", access->certificate, access->key);
		return false;
	}
	nvnc_set_name(s->vnc, s->serve->name);
	nvnc_set_new_client_fn(s->vnc, on_ready);
	nvnc_set_desktop_layout_fn(s->vnc, on_layout);
	nvnc_add_display(s->vnc, s->display);
	return true;
}

static bool give_up_root(void)
{
	struct passwd *nobody = geteuid() ? NULL : getpwnam(NOBODY);
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	if (!geteuid() &&
	    (!nobody || setgroups(0, NULL) || setgid(nobody->pw_gid) || setuid(nobody->pw_uid))) {
		say("cannot become the user " NOBODY ": %m");
		return false;
	}
	/* The kernel forgets the first one when a process becomes another user */
	return !prctl(PR_SET_PDEATHSIG, SIGKILL) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static bool start_events(struct session *s, int near)
{
	struct aml_handler *wake = aml_handler_new(s->serve->wake, on_wake, s, NULL);
	struct aml_timer *late = aml_timer_new(PATIENCE_US, on_late, s, NULL);

	return wake && late && !aml_start(s->loop, wake) && !aml_start(s->loop, late) &&
	       relay_start(s->loop, s->serve->connection, near, s->serve->client);
}

int serve_run(const struct serve *serve)
{
	struct shadow_tiles all;
	int near;

	session = (struct session){ .serve = serve, .loop = aml_new() };
	nvnc_set_log_fn(no_log);
	if (!session.loop)
		return 1;
	aml_set_default(session.loop);
	if (!start_server(&session, &near) || !give_up_root())
		return 1;
	follow_size(&session);
	shadow_tiles_all(&all, session.width, session.height);
	if (!feed(&session, &all) || !start_events(&session, near))
		return 1;
	aml_run(session.loop);
	return 0;
}
