/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that does not come until somebody lets it: a file of a file system that is us. */
#ifndef TESS_SELFTESTS_MDEV_SLOW_H
#define TESS_SELFTESTS_MDEV_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct slow - such a file, shared by the processes of a test
 * @path: file
 * @dir: where the file system is mounted
 * @size: bytes
 * @asked: somebody touched it and waits
 * @released: nobody waits any more
 * @server: process that is the file system
 */
struct slow {
	char path[64];
	char dir[32];
	size_t size;
	bool asked;
	bool released;
	pid_t server;
};

/* NULL with errno: there are no such file systems here */
struct slow *slow_start(size_t size);
/* Memory that is read from it, for this process; MAP_FAILED */
void *slow_map(struct slow *s);
/* Did somebody touch it in so much time? */
bool slow_wait(struct slow *s, long ms);
/*
 * A VM in a process of its own with such memory, where it lets vslice 0 of a vGPU store. It ends
 * when the memory came: with 0 if the work was done, with 1 if it was not
 */
pid_t slow_vm_start(struct slow *s, const char *uuid);
void slow_release(struct slow *s);
void slow_end(struct slow *s);

#endif
