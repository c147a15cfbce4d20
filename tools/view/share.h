/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that the server shares with the processes of its clients */
#ifndef VIEW_SHARE_H
#define VIEW_SHARE_H

#include <stdatomic.h>

#include "shadow.h"

/* Where the pixels are in the picture's memory */
#define SHARE_PIXELS 4096
#define SHARE_SIZE (SHARE_PIXELS + SHADOW_PIXELS_MAX * sizeof(uint32_t))

/**
 * struct share_picture - what clients see; they cannot write it
 * @size: pixels << 32 | lines, of the shadow at SHARE_PIXELS
 *
 * It may change while a client's process reads it. Then tiles are told of after that, and those are
 * read again: in the end it is right.
 */
struct share_picture {
	_Atomic uint64_t size;
};

/**
 * struct share_client - one client's process
 * @ready: its handshake is over, and it wants pictures
 * @frames: updates of the picture so far
 * @sent: bytes so far, on the network
 * @received: the same
 * @wanted: size that the client asked for since the server took it out: width << 32 | height; 0: none
 * @tiles: those that changed since the process took them out, as struct shadow_tiles
 *
 * A client that is slow finds more tiles when it looks again; nothing queues.
 */
struct share_client {
	_Atomic bool ready;
	_Atomic uint64_t frames, sent, received, wanted;
	_Atomic uint64_t tiles[SHADOW_WORDS];
};

/* Add tiles to those that changed. */
static inline void share_add(struct share_client *client, const struct shadow_tiles *tiles)
{
	unsigned int i;

	for (i = 0; i < SHADOW_WORDS; i++)
		if (tiles->words[i])
			atomic_fetch_or(&client->tiles[i], tiles->words[i]);
}

/* Take out those that changed. Returns false if there were none. */
static inline bool share_take(struct share_client *client, struct shadow_tiles *tiles)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < SHADOW_WORDS; i++) {
		tiles->words[i] = 0;
		if (atomic_load(&client->tiles[i]))
			tiles->words[i] = atomic_exchange(&client->tiles[i], 0);
		any |= tiles->words[i] != 0;
	}
	return any;
}

#endif
