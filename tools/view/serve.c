// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: serving a client
 *
 * Each client has a process, which has given up root before it reads a byte. Its memory is limited,
 * and it has no more than the picture and a connection. So what a client can do to it, if it can, is
 * the end of this client alone.
 *
 * rfb/ has what is said to clients. Here is the loop: it waits for the client, and for the server,
 * which tells of tiles that changed.
 */
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "rfb/handshake.h"
#include "rfb/update.h"
#include "say.h"
#include "serve.h"

/* Until a client's handshake has to be over */
#define PATIENCE_MS 30000

/* What a process needs, and so many pictures: what the client has, and what it is told of it */
#define MEMORY_BASE (64ULL << 20)
#define MEMORY_PICTURES 2

/* Bytes that may wait for the client while more of an update is made */
#define AHEAD (256U << 10)

/* The user that a process is from then on */
#define NOBODY "nobody"

/**
 * struct session - state of the process
 * @serve: what it was started with
 * @handshake: with the client
 * @client: what it said
 * @update: what it has
 * @begun: its handshake is over
 * @ready: and it said ClientInit
 * @busy: an update is being encoded
 */
struct session {
	const struct serve *serve;
	struct handshake handshake;
	struct peer client;
	struct update update;
	bool begun, ready, busy;
};

/* ---- pictures ---- */

static void limit_memory(unsigned int width, unsigned int height)
{
	rlim_t most = MEMORY_BASE + MEMORY_PICTURES * 4ULL * width * height;
	struct rlimit limit = { most, RLIM_INFINITY };

	setrlimit(RLIMIT_DATA, &limit);
}

/* The size that the picture has now */
static void follow_size(struct session *s)
{
	uint64_t size = atomic_load(&s->serve->picture->size);
	unsigned int width = (unsigned int)(size >> 32), height = (uint32_t)size;

	if (!width || width > SHADOW_SIZE_MAX || !height || height > SHADOW_SIZE_MAX ||
	    (width == s->client.width && height == s->client.height))
		return;
	limit_memory(width, height);
	s->client.tell_size = s->ready;
	if (update_resize(&s->update, &s->client, width, height))
		return;
	say("no memory for a picture of %ux%u; a client is disconnected", width, height);
	_exit(1);
}

static void on_wake(struct session *s)
{
	struct shadow_tiles fresh;
	eventfd_t count;
	unsigned int i;

	eventfd_read(s->serve->wake, &count);
	share_take(s->serve->client, &fresh);
	for (i = 0; i < SHADOW_WORDS; i++)
		s->update.stale.words[i] |= fresh.words[i];
	follow_size(s);
}

/* Returns false if the client cannot go on. */
static bool answer(struct session *s)
{
	const uint32_t *picture =
		(const uint32_t *)((const char *)s->serve->picture + SHARE_PIXELS);
	struct peer *c = &s->client;

	if (!c->asked || c->encodings)
		return true;
	if (c->tell_size || (c->answer && c->extended)) {
		if (!c->sizes)
			return false;
		update_tell_size(c);
		return true;
	}
	s->busy = update_begin(&s->update, c, picture);
	if (s->busy)
		atomic_fetch_add(&s->serve->client->frames, 1);
	return true;
}

/* ---- the client ---- */

static void greet(struct session *s)
{
	struct peer *c = &s->client;

	connection_put16(&c->connection, c->width);
	connection_put16(&c->connection, c->height);
	connection_put(&c->connection, format_own, sizeof(format_own));
	connection_put32(&c->connection, (uint32_t)strlen(s->serve->name));
	connection_put(&c->connection, s->serve->name, strlen(s->serve->name));
	s->ready = true;
	atomic_store(&s->serve->client->ready, true);
	eventfd_write(s->serve->attention, 1);
}

/* What was read. Returns false if the client cannot go on. */
static bool listen_to(struct session *s)
{
	struct peer *c = &s->client;
	int done = 1;

	if (!s->begun) {
		done = handshake_go_on(&s->handshake, &c->connection);
		s->begun = done > 0;
	}
	if (s->begun && !s->ready && connection_has(&c->connection)) {
		connection_take(&c->connection, 1);
		greet(s);
	}
	if (!s->ready)
		return done >= 0;
	if (!peer_listen(c))
		return false;
	if (c->wanted) {
		atomic_store(&s->serve->client->wanted, c->wanted);
		eventfd_write(s->serve->attention, 1);
		c->wanted = 0;
	}
	return answer(s);
}

/* What can be done now. Returns false if the client is gone, or has to go. */
static bool act(struct session *s)
{
	struct connection *c = &s->client.connection;
	bool good = true;

	do {
		if (!s->busy)
			good = listen_to(s);
		while (s->busy && connection_waits(c) < AHEAD)
			s->busy = update_go_on(&s->update, &s->client);
		if (!connection_write(c))
			return false;
	} while (good && s->busy && connection_waits(c) < AHEAD);
	return good;
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* While it does not take what it was told, a client is not listened to, and gets nothing newer. */
static void run(struct session *s)
{
	struct connection *c = &s->client.connection;
	int64_t late = now_ms() + PATIENCE_MS;

	while (act(s)) {
		bool free = !s->busy && !connection_waits(c), more = connection_more(c);
		struct pollfd fds[] = {
			{ .fd = c->fd, .events = connection_events(c, free || !s->ready) },
			{ .fd = free ? s->serve->wake : -1, .events = POLLIN },
		};
		int64_t left = s->ready ? -1 : late - now_ms();

		if (!s->ready && left <= 0)
			return;
		if (poll(fds, 2, more ? 0 : (int)left) < 0)
			return;
		if (fds[1].revents)
			on_wake(s);
		if ((more || fds[0].revents & (POLLIN | POLLHUP | POLLERR)) &&
		    (free || !s->ready) && !connection_read(c))
			return;
	}
}

/* ---- the process ---- */

static bool take_credentials(struct session *s)
{
	const struct serve_access *access = s->serve->access;
	gnutls_certificate_credentials_t *credentials = &s->handshake.credentials;
	int error;

	if (!access->certificate)
		return true;
	s->handshake.user = access->user;
	s->handshake.password = access->password;
	error = gnutls_certificate_allocate_credentials(credentials);
	if (!error)
		error = gnutls_certificate_set_x509_key_file(*credentials, access->certificate,
							     access->key, GNUTLS_X509_FMT_PEM);
	if (error >= 0)
		return true;
	say("cannot use %s and %s for TLS: %s", access->certificate, access->key,
	    gnutls_strerror(error));
	return false;
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

int serve_run(const struct serve *serve)
{
	static struct session s;
	struct peer *c = &s.client;

	s.serve = serve;
	c->connection.fd = serve->connection;
	c->connection.sent = &serve->client->sent;
	c->connection.received = &serve->client->received;
	c->encoder.to = &c->connection;
	c->encoder.level = serve->compression;
	c->may_resize = serve->resize;
	if (!take_credentials(&s) || !give_up_root() || !format_set(&c->encoder.format, format_own))
		return 1;
	follow_size(&s);
	handshake_begin(&s.handshake, &c->connection);
	run(&s);
	return 0;
}
