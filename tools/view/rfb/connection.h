/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes from and to a client, with TLS or without. */
#ifndef RFB_CONNECTION_H
#define RFB_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnutls/gnutls.h>

/* As much is read at a time; no part of a message that is looked at as a whole is longer */
#define CONNECTION_IN (16U << 10)

/**
 * struct connection - with one client; nothing of it blocks
 * @fd: socket
 * @tls: session; NULL: none
 * @secure: its handshake is over
 * @in: read, not yet taken
 * @begin: of what is in @in
 * @end: of that
 * @out: not yet written
 * @out_begin: of what is in @out
 * @out_end: of that
 * @out_size: of @out
 * @retry: bytes that TLS took, and could not write
 * @sent: bytes so far, on the network
 * @received: the same
 */
struct connection {
	int fd;
	gnutls_session_t tls;
	bool secure;
	uint8_t in[CONNECTION_IN];
	size_t begin, end;
	uint8_t *out;
	size_t out_begin, out_end, out_size, retry;
	_Atomic uint64_t *sent, *received;
};

/**
 * connection_tls() - from now on, all is said by TLS
 * @c: connection
 * @credentials: of the server
 *
 * Return: false if there is no memory.
 */
bool connection_tls(struct connection *c, gnutls_certificate_credentials_t credentials);

/* Go on with the handshake of TLS. Returns 1 when it is over, 0 if it goes on, -1 if it failed. */
int connection_handshake(struct connection *c);

/* Read what is there, as far as there is room. Returns false if the client is gone. */
bool connection_read(struct connection *c);

/* How many bytes are read; connection_take() takes out no more. */
static inline size_t connection_has(const struct connection *c)
{
	return c->end - c->begin;
}

static inline const uint8_t *connection_look(const struct connection *c)
{
	return c->in + c->begin;
}

static inline const uint8_t *connection_take(struct connection *c, size_t count)
{
	c->begin += count;
	return c->in + c->begin - count;
}

/* Room for so many bytes behind what is to be written; without memory, the process ends. */
uint8_t *connection_room(struct connection *c, size_t count);

/* So many bytes of that room are used. */
static inline void connection_used(struct connection *c, size_t count)
{
	c->out_end += count;
}

void connection_put(struct connection *c, const void *data, size_t count);
void connection_put8(struct connection *c, unsigned int value);
void connection_put16(struct connection *c, unsigned int value);
void connection_put32(struct connection *c, uint32_t value);

/* How many bytes are to be written */
static inline size_t connection_waits(const struct connection *c)
{
	return c->out_end - c->out_begin;
}

/* Write what the client takes. Returns false if it is gone. */
bool connection_write(struct connection *c);

/* Something was received that is not read yet, and that poll() knows nothing of */
static inline bool connection_more(const struct connection *c)
{
	return c->secure && gnutls_record_check_pending(c->tls);
}

/* What poll() is to wait for, if the client is listened to */
short connection_events(const struct connection *c, bool listen);

#endif
