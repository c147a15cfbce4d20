/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace of our own. */
#ifndef CLI_TRACEFS_H
#define CLI_TRACEFS_H

#include "cli.h"

/**
 * struct tracefs - an instance in tracefs: own buffers, own events that are on
 * @instances: directory of all instances
 * @dir: the instance
 * @pipe: its trace_pipe, does not block
 * @name: of the instance
 */
struct tracefs {
	int instances;
	int dir;
	int pipe;
	char name[32];
};

/* Make an instance and turn the events of tessera on. Returns an exit status, after a
 * message; tracefs_close() it only after CLI_OK. Signals that end the program must be
 * blocked, so that the instance does not outlive it. */
int tracefs_open(const struct cli *cli, struct tracefs *trace);

/* Turn the events off and remove the instance. */
void tracefs_close(struct tracefs *trace);

#endif
