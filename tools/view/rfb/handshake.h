/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the connection of a client until it may see something */
#ifndef RFB_HANDSHAKE_H
#define RFB_HANDSHAKE_H

#include "connection.h"

/**
 * struct handshake - state
 * @step: what is waited for
 * @minor: version of RFB: 3, 7 or 8
 * @credentials: of the server; NULL: no TLS, and nothing is asked
 * @user: the name that is to be said
 * @password: its password
 * @user_length: of the name that the client says
 * @password_length: the same
 */
struct handshake {
	int (*step)(struct handshake *h, struct connection *c);
	unsigned int minor;
	gnutls_certificate_credentials_t credentials;
	const char *user, *password;
	uint32_t user_length, password_length;
};

/* Say the first word; the fields from @credentials to @password are set. */
void handshake_begin(struct handshake *h, struct connection *c);

/**
 * handshake_go_on() - answer what the client said
 * @h: state
 * @c: connection
 *
 * Return: 1 when the client said all but ClientInit; 0: more is to come; -1: it may not go on, and
 * what was written tells why.
 */
int handshake_go_on(struct handshake *h, struct connection *c);

#endif
