/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that always have jobs for a slice, and what they get of it. */
#ifndef _TESS_FEED_H_
#define _TESS_FEED_H_

#include <sys/types.h>

#include "tess_drm.h"

/* Jobs that a process has queued */
#define TESS_FEED_DEPTH 8

/**
 * struct tess_feed - a process at work
 * @pid: the process
 * @fd: its open file, for what fdinfo says
 * @slice: where it works
 */
struct tess_feed {
	pid_t pid;
	int fd;
	uint32_t slice;
};

/* Do jobs of processes take turns on this GPU? */
bool tess_takes_turns(int fd);
/* Each job takes about 2 * @count cycles; 0: it never ends, and is one of two */
void tess_feed_start(struct tess_feed *feed, uint32_t slice, uint32_t priority, uint64_t count);
/* The process is killed in mid-work, and its file closed */
void tess_feed_stop(struct tess_feed *feed);
/* GPU cycles that jobs of an open file took so far, those of all kinds of slices */
uint64_t tess_file_cycles(int fd);
/* GPU time */
uint64_t tess_file_time(int fd);

#endif
