/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One client: what its process does. */
#ifndef VIEW_SERVE_H
#define VIEW_SERVE_H

#include "share.h"

/* Levels of zlib */
#define COMPRESS_LEAST 1
#define COMPRESS_USUAL 6
#define COMPRESS_MOST 9

/**
 * struct serve_access - what a client has to do before it sees anything
 * @certificate: file for TLS; NULL: neither encrypted nor asked for a password
 * @key: file
 * @user: name
 * @password: its
 */
struct serve_access {
	const char *certificate, *key;
	const char *user;
	const char *password;
};

/**
 * struct serve - a client
 * @access: what it has to do
 * @name: of the desktop
 * @connection: its socket
 * @picture: what it sees, with its pixels
 * @client: which tiles of it changed, and what is counted
 * @wake: eventfd: tiles changed
 * @compression: level of zlib
 * @resize: the client may ask for another size
 * @attention: eventfd, to be written when the client is ready, or asks for that
 */
struct serve {
	const struct serve_access *access;
	const char *name;
	int connection;
	const struct share_picture *picture;
	struct share_client *client;
	unsigned int compression;
	bool resize;
	int wake, attention;
};

/* Returns the exit status of the process, when the client is gone. */
int serve_run(const struct serve *serve);

#endif
