/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures that the GPU reads, on slices that no vGPU has. */
#ifndef VIEW_CAPTURE_H
#define VIEW_CAPTURE_H

#include <stdbool.h>

#include "shadow.h"

/**
 * struct capture_counters - for --stats
 * @jobs: sent to the GPU
 * @tiles: that the GPU compared
 * @changed: those of them that differed, which the CPU read
 * @cycles: of the GPU
 * @failures: how often it could not be used any more
 */
struct capture_counters {
	uint64_t jobs, tiles, changed, cycles, failures;
};

struct capture;
struct source;
struct source_look;

/* NULL: out of memory */
struct capture *capture_create(void);

/**
 * capture_look() - prepare for shadow_take() of what a look told
 * @capture: state
 * @source: head
 * @look: what it shows
 *
 * Return: false if the GPU cannot be used now.
 */
bool capture_look(struct capture *capture, const struct source *source,
		  const struct source_look *look);

/**
 * capture_take() - shadow_take() of a picture that the GPU compares
 * @capture: after capture_look()
 * @look: what it was told
 * @rect: where; cut at the edges of the picture
 * @all: take tiles over that do not differ, too: what is on top of them is another
 * @shadow: copy
 * @found: tiles of it that differed
 *
 * Return: false if the GPU failed; nothing is missing if the CPU takes over all of @rect then.
 */
bool capture_take(struct capture *capture, const struct source_look *look,
		  const struct shadow_rect *rect, bool all, struct shadow *shadow,
		  unsigned int *found);

/* The CPU took over something of the picture: what the GPU has may be older than the shadow */
void capture_missed(struct capture *capture);

const struct capture_counters *capture_totals(const struct capture *capture);

/* In a process that forked: have nothing of the GPU any more */
void capture_forget(struct capture *capture);

void capture_destroy(struct capture *capture);

#endif
