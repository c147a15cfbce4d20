/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that serve clients */
#ifndef VIEW_CLIENTS_H
#define VIEW_CLIENTS_H

#include <sys/types.h>

#include "serve.h"

/* As many at a time */
#define CLIENTS_MAX 16

/**
 * struct client - one process
 * @pid: 0: none
 * @share: what it shares with us
 * @wake: eventfd
 * @name: where it connected from
 */
struct client {
	pid_t pid;
	struct share_client *share;
	int wake;
	char name[80];
};

/**
 * struct clients - all of them
 * @each: of them
 * @accepted: connections so far
 * @refused: connections so far for which there was no room
 * @frames: pictures that were sent, by those that are gone
 * @sent: bytes
 * @received: bytes
 */
struct clients {
	struct client each[CLIENTS_MAX];
	uint64_t accepted, refused;
	uint64_t frames, sent, received;
};

/**
 * clients_accept() - start a process for a connection
 * @clients: of which there may be CLIENTS_MAX
 * @door: where one waits
 * @serve: what is the same for all clients
 * @forget: called in the process: it closes and unmaps what is not for clients
 * @data: of it
 */
void clients_accept(struct clients *clients, int door, const struct serve *serve,
		    void (*forget)(void *data), void *data);

/* Take notice of processes that ended. */
void clients_reap(struct clients *clients);

/* How many there are; @ready: of those that want pictures */
unsigned int clients_count(const struct clients *clients, bool ready);

/* Take out a size that a client asked for: width << 32 | height; 0: none did. */
uint64_t clients_wanted(struct clients *clients);

/* Tell all that tiles changed. */
void clients_tell(struct clients *clients, const struct shadow_tiles *tiles);

/* Totals with those that are there now */
struct clients clients_totals(const struct clients *clients);

/* End all of them. */
void clients_end(struct clients *clients);

#endif
