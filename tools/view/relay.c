// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: between client and library
 *
 * The library reads all that a client says, and queues without limit what it answers. So a client
 * that asks without reading would have it fill memory. Therefore bytes pass through here: what a
 * client says is not read while it does not take what it was told. Bytes are counted here, too.
 */
#include <aml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "relay.h"

/**
 * struct way - one direction
 * @from: socket
 * @to: socket
 * @buffer: read, not yet written
 * @size: of @buffer
 * @begin: of what is in it
 * @end: of that
 * @ended: nothing more comes
 * @count: bytes so far
 */
struct way {
	int from, to;
	char *buffer;
	size_t size, begin, end;
	bool ended;
	_Atomic uint64_t *count;
};

struct relay {
	struct aml *loop;
	struct aml_handler *client, *near;
	struct way up, down;
	char up_buffer[16 << 10], down_buffer[256 << 10];
};

/* In a directory that nobody else can look into, and gone before anybody could */
static int bind_private(int fd, int near)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char dir[] = P_tmpdir "/tessera-view-XXXXXX";
	int status;

	if (!mkdtemp(dir))
		return -1;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", dir);
	status = bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1) ||
		 connect(near, (struct sockaddr *)&address, sizeof(address));
	unlink(address.sun_path);
	rmdir(dir);
	return status ? -1 : 0;
}

int relay_listen(int *near)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*near = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && *near >= 0 && !bind_private(fd, *near))
		return fd;
	close(fd);
	close(*near);
	return -1;
}

static bool again(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* Returns false if the other end is gone. */
static bool flush(struct way *way)
{
	while (way->begin < way->end) {
		ssize_t sent = send(way->to, way->buffer + way->begin, way->end - way->begin,
				    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (sent < 0)
			return again();
		way->begin += (size_t)sent;
	}
	way->begin = way->end = 0;
	return true;
}

/* Returns false if an end is gone. */
static bool pass(struct way *way)
{
	ssize_t got;

	if (!flush(way))
		return false;
	while (!way->ended && way->end < way->size) {
		got = recv(way->from, way->buffer + way->end, way->size - way->end, MSG_DONTWAIT);
		if (got < 0)
			return again();
		if (!got)
			way->ended = true;
		way->end += (size_t)got;
		atomic_fetch_add(way->count, (uint64_t)got);
		if (!flush(way))
			return false;
	}
	return true;
}

static bool full(const struct way *way)
{
	return way->end == way->size;
}

/* Something to read, if there is room for it */
static enum aml_event to_read(const struct way *way)
{
	return way->ended || full(way) ? 0 : AML_EVENT_READ;
}

/* Room for what is to be written */
static enum aml_event to_write(const struct way *way)
{
	return way->begin < way->end ? AML_EVENT_WRITE : 0;
}

static void wait_for_more(struct relay *r)
{
	bool hold = full(&r->down);

	aml_set_event_mask(r->client, (hold ? 0 : to_read(&r->up)) | to_write(&r->down));
	aml_set_event_mask(r->near, (hold ? 0 : to_write(&r->up)) | to_read(&r->down));
}

static void on_event(void *handler)
{
	struct relay *r = aml_get_userdata(handler);
	bool alive = pass(&r->down);

	if (alive && !full(&r->down))
		alive = pass(&r->up);
	/* The library closes its end when it knows that the client has */
	if (alive && r->up.ended && r->up.begin == r->up.end)
		shutdown(r->up.to, SHUT_WR);
	if (!alive || (r->down.ended && r->down.begin == r->down.end)) {
		aml_stop(r->loop, r->client);
		aml_stop(r->loop, r->near);
		aml_exit(r->loop);
		return;
	}
	wait_for_more(r);
}

static struct aml_handler *watch(struct relay *r, int fd)
{
	struct aml_handler *handler = aml_handler_new(fd, on_event, r, NULL);

	if (handler && !aml_start(r->loop, handler))
		return handler;
	if (handler)
		aml_unref(handler);
	return NULL;
}

struct relay *relay_start(struct aml *loop, int client, int near, struct share_client *counts)
{
	struct relay *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->loop = loop;
	r->up = (struct way){ client, near, r->up_buffer, sizeof(r->up_buffer),
			      0,      0,    false,	  &counts->received };
	r->down = (struct way){ near, client, r->down_buffer, sizeof(r->down_buffer),
				0,    0,      false,	      &counts->sent };
	r->client = watch(r, client);
	r->near = watch(r, near);
	if (r->client && r->near) {
		wait_for_more(r);
		return r;
	}
	free(r);
	return NULL;
}
