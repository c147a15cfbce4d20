// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: bytes from and to a client
 *
 * Sockets and TLS alike. Bytes are counted where they leave and enter the process, so with what TLS
 * adds. What is to be written has no limit here: those who write wait until it is gone.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "say.h"

/* A record of TLS */
#define RECORD (16U << 10)
#define OUT_LEAST (64U << 10)

static ssize_t push(void *to, const void *data, size_t count)
{
	struct connection *c = to;
	ssize_t done = send(c->fd, data, count, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (done > 0)
		atomic_fetch_add(c->sent, (uint64_t)done);
	return done;
}

static ssize_t pull(void *from, void *data, size_t count)
{
	struct connection *c = from;
	ssize_t done = recv(c->fd, data, count, MSG_DONTWAIT);

	if (done > 0)
		atomic_fetch_add(c->received, (uint64_t)done);
	return done;
}

bool connection_tls(struct connection *c, gnutls_certificate_credentials_t credentials)
{
	if (gnutls_init(&c->tls, GNUTLS_SERVER | GNUTLS_NONBLOCK) ||
	    gnutls_set_default_priority(c->tls) ||
	    gnutls_credentials_set(c->tls, GNUTLS_CRD_CERTIFICATE, credentials))
		return false;
	gnutls_transport_set_ptr(c->tls, c);
	gnutls_transport_set_push_function(c->tls, push);
	gnutls_transport_set_pull_function(c->tls, pull);
	return true;
}

static bool again(ssize_t done)
{
	return done == GNUTLS_E_AGAIN || done == GNUTLS_E_INTERRUPTED;
}

int connection_handshake(struct connection *c)
{
	int error = gnutls_handshake(c->tls);

	c->secure = error >= 0;
	if (c->secure)
		return 1;
	return gnutls_error_is_fatal(error) ? -1 : 0;
}

/* Bytes; 0: none now; -1: gone */
static ssize_t read_some(struct connection *c, void *to, size_t room)
{
	ssize_t got;

	if (c->tls) {
		got = gnutls_record_recv(c->tls, to, room);
		if (got < 0 && !gnutls_error_is_fatal((int)got))
			return 0;
	} else {
		got = pull(c, to, room);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
	}
	return got > 0 ? got : -1;
}

bool connection_read(struct connection *c)
{
	ssize_t got;

	/* Until then, all that comes is of the handshake */
	if (c->tls && !c->secure)
		return true;
	if (c->begin) {
		memmove(c->in, c->in + c->begin, connection_has(c));
		c->end -= c->begin;
		c->begin = 0;
	}
	if (c->end == sizeof(c->in))
		return true;
	got = read_some(c, c->in + c->end, sizeof(c->in) - c->end);
	if (got < 0)
		return false;
	c->end += (size_t)got;
	return true;
}

uint8_t *connection_room(struct connection *c, size_t count)
{
	size_t size = c->out_size ? c->out_size : OUT_LEAST;
	uint8_t *larger;

	if (c->out_begin && size - c->out_end < count) {
		memmove(c->out, c->out + c->out_begin, connection_waits(c));
		c->out_end -= c->out_begin;
		c->out_begin = 0;
	}
	while (size - c->out_end < count)
		size *= 2;
	if (size > c->out_size) {
		larger = realloc(c->out, size);
		if (!larger) {
			say("no memory for what a client is to be told; it is disconnected");
			_exit(1);
		}
		c->out = larger;
		c->out_size = size;
	}
	return c->out + c->out_end;
}

void connection_put(struct connection *c, const void *data, size_t count)
{
	memcpy(connection_room(c, count), data, count);
	connection_used(c, count);
}

void connection_put8(struct connection *c, unsigned int value)
{
	connection_put(c, &(uint8_t){ (uint8_t)value }, 1);
}

void connection_put16(struct connection *c, unsigned int value)
{
	connection_put(c, (uint8_t[]){ (uint8_t)(value >> 8), (uint8_t)value }, 2);
}

void connection_put32(struct connection *c, uint32_t value)
{
	connection_put16(c, value >> 16);
	connection_put16(c, value & 0xffff);
}

/* Bytes; 0: none now; -1: gone */
static ssize_t write_some(struct connection *c)
{
	const uint8_t *from = c->out + c->out_begin;
	size_t count = connection_waits(c);
	ssize_t done;

	if (!c->tls) {
		done = push(c, from, count);
		return done < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : done;
	}
	/* What was taken before has to be said again, and no more than that */
	if (!c->retry)
		c->retry = count < RECORD ? count : RECORD;
	done = gnutls_record_send(c->tls, from, c->retry);
	if (again(done))
		return 0;
	c->retry = 0;
	return done;
}

bool connection_write(struct connection *c)
{
	while (connection_waits(c)) {
		ssize_t done = write_some(c);

		if (done <= 0)
			return !done;
		c->out_begin += (size_t)done;
	}
	c->out_begin = c->out_end = 0;
	return true;
}

short connection_events(const struct connection *c, bool listen)
{
	short events = 0;

	if (listen)
		events |= POLLIN;
	if (connection_waits(c) || (c->tls && !c->secure && gnutls_record_get_direction(c->tls)))
		events |= POLLOUT;
	return events;
}
