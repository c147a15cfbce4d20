/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server: a head on one side, clients on the other. */
#ifndef VIEW_VIEWER_H
#define VIEW_VIEWER_H

#include "clients.h"
#include "options.h"
#include "pace.h"
#include "source.h"

/**
 * struct viewer_counters - what --stats tells, beside what struct clients has
 * @looks: how often the head was looked at
 * @whole: of these, at all of the picture
 * @skipped: tiles that were not compared, as no damage was there
 * @damaged: pixels that the guest told of
 * @cursors: how often a cursor came, went, moved or changed
 */
struct viewer_counters {
	uint64_t looks, whole, skipped, damaged, cursors;
};

/**
 * struct viewer - state
 * @options: what was asked for
 * @source: head
 * @shadow: its picture
 * @picture: the same, as clients' processes see it
 * @clients: they
 * @pace: when to look
 * @counters: for --stats
 * @door: where clients connect
 * @attention: eventfd: a client is ready
 * @signals: signalfd
 * @wanted: size that a client asked for, and nobody got yet: width << 32 | height; 0: none
 * @resize_at: ns, when the next one may be asked for
 * @told: the last thing that was said of the head
 * @watched: a client wanted pictures at the last look
 * @ended: leave
 */
struct viewer {
	const struct options *options;
	struct source source;
	struct shadow shadow;
	struct share_picture *picture;
	const struct share_picture *picture_of_clients;
	struct clients clients;
	struct pace pace;
	struct viewer_counters counters;
	int door, attention, signals;
	uint64_t wanted, resize_at;
	const char *told;
	bool watched, ended;
};

/* Returns 0, or an exit status after it said why. */
int viewer_open(struct viewer *viewer, const struct options *options);

/* Until a signal, or the end of the vGPU. Returns an exit status. */
int viewer_run(struct viewer *viewer);

void viewer_close(struct viewer *viewer);

#endif
