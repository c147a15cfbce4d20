// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: handshake
 *
 * RFC 6143, 7.1, and VeNCrypt (rfbproto) with X509Plain, which is all that is offered where a
 * password is asked for: TLS, and in it a name and a password.
 */
#include <string.h>
#include <unistd.h>

#include "handshake.h"

#define VERSION "RFB 003.008\n"
#define VERSION_BYTES (sizeof(VERSION) - 1)
#define SECURITY_INVALID 0
#define SECURITY_NONE 1
#define SECURITY_VENCRYPT 19
#define VENCRYPT_MAJOR 0
#define VENCRYPT_MINOR 2
#define X509_PLAIN 262
/* A longer name or password is refused: both are looked at as a whole */
#define SECRET_MOST 1024
/* To a client that said it wrong, before it is told so */
#define WRONG_PASSWORD_S 1

/* What a step returns beside 1 and -1: the next one can go on, or has to wait for bytes */
#define AGAIN 2
#define WAIT 0

static uint32_t get32(const uint8_t *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static int refuse(const struct handshake *h, struct connection *c, const char *why)
{
	/* Versions before that close the connection without a word */
	if (h->minor >= 8) {
		connection_put32(c, (uint32_t)strlen(why));
		connection_put(c, why, strlen(why));
	}
	return -1;
}

/* ---- name and password ---- */

static bool same(const uint8_t *given, size_t length, const char *wanted)
{
	size_t most = strlen(wanted), i;
	unsigned int differs = length != most;

	/* In a time that does not depend on where they differ */
	for (i = 0; i < most; i++)
		differs |= (unsigned int)(i < length ? given[i] : 0) ^ (uint8_t)wanted[i];
	return !differs;
}

static int take_secrets(struct handshake *h, struct connection *c)
{
	const uint8_t *given = connection_look(c);
	bool good;

	if (connection_has(c) < h->user_length + h->password_length)
		return WAIT;
	good = same(given, h->user_length, h->user) &
	       same(given + h->user_length, h->password_length, h->password);
	connection_take(c, h->user_length + h->password_length);
	if (!good)
		sleep(WRONG_PASSWORD_S);
	connection_put32(c, !good);
	return good ? 1 : refuse(h, c, "the name or the password is wrong");
}

static int take_lengths(struct handshake *h, struct connection *c)
{
	const uint8_t *given;

	if (connection_has(c) < 8)
		return WAIT;
	given = connection_take(c, 8);
	h->user_length = get32(given);
	h->password_length = get32(given + 4);
	h->step = take_secrets;
	return h->user_length > SECRET_MOST || h->password_length > SECRET_MOST ? -1 : AGAIN;
}

/* ---- TLS ---- */

static int go_on_tls(struct handshake *h, struct connection *c)
{
	int done = connection_handshake(c);

	h->step = done > 0 ? take_lengths : go_on_tls;
	return done > 0 ? AGAIN : done < 0 ? -1 : WAIT;
}

/* After the last byte that is not encrypted, and before the client's first one that is */
static int begin_tls(struct handshake *h, struct connection *c)
{
	if (connection_has(c))
		return -1;
	if (connection_waits(c))
		return WAIT;
	h->step = go_on_tls;
	return connection_tls(c, h->credentials) ? AGAIN : -1;
}

static int take_vencrypt_kind(struct handshake *h, struct connection *c)
{
	bool good;

	if (connection_has(c) < 4)
		return WAIT;
	good = get32(connection_take(c, 4)) == X509_PLAIN;
	connection_put8(c, good);
	h->step = begin_tls;
	return good && connection_write(c) ? AGAIN : -1;
}

static int take_vencrypt_version(struct handshake *h, struct connection *c)
{
	const uint8_t *given;
	bool good;

	if (connection_has(c) < 2)
		return WAIT;
	given = connection_take(c, 2);
	good = given[0] == VENCRYPT_MAJOR && given[1] == VENCRYPT_MINOR;
	connection_put8(c, !good);
	if (!good)
		return -1;
	connection_put8(c, 1);
	connection_put32(c, X509_PLAIN);
	h->step = take_vencrypt_kind;
	return AGAIN;
}

/* ---- versions, and what is offered ---- */

static int take_security(struct handshake *h, struct connection *c)
{
	unsigned int offered = h->credentials ? SECURITY_VENCRYPT : SECURITY_NONE;

	if (!connection_has(c))
		return WAIT;
	if (*connection_take(c, 1) != offered)
		return -1;
	if (!h->credentials) {
		if (h->minor >= 8)
			connection_put32(c, 0);
		return 1;
	}
	connection_put8(c, VENCRYPT_MAJOR);
	connection_put8(c, VENCRYPT_MINOR);
	h->step = take_vencrypt_version;
	return AGAIN;
}

/* The server chooses, and VeNCrypt is none of what it can choose */
static int offer_old(struct handshake *h, struct connection *c)
{
	static const char why[] = "this server needs VeNCrypt";

	if (!h->credentials) {
		connection_put32(c, SECURITY_NONE);
		return 1;
	}
	connection_put32(c, SECURITY_INVALID);
	connection_put32(c, sizeof(why) - 1);
	connection_put(c, why, sizeof(why) - 1);
	return -1;
}

static int take_version(struct handshake *h, struct connection *c)
{
	const uint8_t *given = connection_look(c);
	unsigned int minor;

	if (connection_has(c) < VERSION_BYTES)
		return WAIT;
	if (memcmp(given, VERSION, 8) || given[VERSION_BYTES - 1] != '\n')
		return -1;
	minor = (given[8] - '0') * 100U + (given[9] - '0') * 10U + (given[10] - '0');
	connection_take(c, VERSION_BYTES);
	h->minor = minor >= 8 ? 8 : minor == 7 ? 7 : 3;
	if (h->minor == 3)
		return offer_old(h, c);
	connection_put8(c, 1);
	connection_put8(c, h->credentials ? SECURITY_VENCRYPT : SECURITY_NONE);
	h->step = take_security;
	return AGAIN;
}

void handshake_begin(struct handshake *h, struct connection *c)
{
	connection_put(c, VERSION, VERSION_BYTES);
	h->step = take_version;
}

int handshake_go_on(struct handshake *h, struct connection *c)
{
	int done;

	do
		done = h->step(h, c);
	while (done == AGAIN);
	return done;
}
