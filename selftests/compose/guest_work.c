// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Works in a guest while its host composes the vGPU anew: dispatches that depend on each
 * other, several under way at any time, from one process that keeps what it has. Each work-
 * item of each dispatch must have run once, and in order.
 *
 *	guest_work KERNELS STOP
 *
 * Works until the file STOP is there. Prints "seen N" when the driver follows generation N of the
 * composition, and at the end "work" and what it did, as JSON; exit status 0: all was right.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/netlink.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <tessera.h>
#include <unistd.h>

#include "guest_work.h"

#define ITEMS 1024
#define GROUP 16
#define UNDER_WAY 6
#define ROUND 12
#define GENERATION "/sys/bus/pci/drivers/tessera_pci/*/generation"

/**
 * struct watch - what this process is told of compositions
 * @stop: no more
 * @last: generation of the driver
 * @generations: different ones that were seen
 * @backwards: times that it became smaller
 * @uevents: of the DRM node
 */
struct watch {
	bool stop;
	uint64_t last;
	unsigned int generations;
	unsigned int backwards;
	unsigned int uevents;
};

/**
 * struct work - what is done
 * @dev: vGPU
 * @kernel: mark()
 * @cells: for each work-item
 * @args: of the next dispatch
 * @fence: those that are under way
 * @expected: what @cells should hold
 * @mismatches: cells that held something else
 * @generation: of the library
 * @changes: times that it was another
 * @masks: bit n: dispatches on n slices
 */
struct work {
	struct tess_device *dev;
	const struct tess_kernel *kernel;
	struct cell *cells;
	struct work_args args;
	struct tess_fence *fence[UNDER_WAY];
	uint64_t expected[ITEMS];
	unsigned long mismatches;
	uint64_t generation;
	unsigned int changes;
	uint64_t masks;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "guest_work: %s: %s\n", what, why);
	exit(1);
}

/* ---- what changes ---- */

static int open_generation(void)
{
	glob_t found;
	int fd;

	if (glob(GENERATION, 0, NULL, &found))
		die(GENERATION, "no such file");
	fd = open(found.gl_pathv[0], O_RDONLY);
	if (fd < 0)
		die(found.gl_pathv[0], strerror(errno));
	globfree(&found);
	return fd;
}

static int open_uevents(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("uevents", strerror(errno));
	return fd;
}

static void read_generation(struct watch *w, int fd)
{
	char text[32] = "";
	uint64_t now;

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		die(GENERATION, strerror(errno));
	now = strtoull(text, NULL, 10);
	if (now == w->last)
		return;
	w->backwards += now < w->last;
	w->last = now;
	w->generations++;
	printf("seen %llu\n", (unsigned long long)w->last);
	fflush(stdout);
}

static void read_uevents(struct watch *w, int fd)
{
	char text[4096];
	ssize_t size;

	while ((size = recv(fd, text, sizeof(text) - 1, 0)) > 0) {
		bool ours;

		text[size] = 0;
		ours = !strncmp(text, "change@", 7) && strstr(text, "/drm/renderD");
		for (char *p = text; ours && p < text + size; p += strlen(p) + 1)
			w->uevents += !strcmp(p, "TESSERA_EVENT=composition");
	}
}

static void *watch(void *arg)
{
	struct watch *w = arg;
	struct pollfd fds[] = {
		{ .fd = open_generation(), .events = POLLPRI },
		{ .fd = open_uevents(), .events = POLLIN },
	};

	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED)) {
		read_generation(w, fds[0].fd);
		read_uevents(w, fds[1].fd);
		if (poll(fds, 2, 500) < 0)
			die("poll", strerror(errno));
	}
	read_generation(w, fds[0].fd);
	read_uevents(w, fds[1].fd);
	close(fds[0].fd);
	close(fds[1].fd);
	return NULL;
}

/* ---- work ---- */

static void start(struct work *w, const char *kernels)
{
	struct tess_program *prog;
	struct tess_buffer *buf;

	if (tess_open(NULL, &w->dev))
		die("open", tess_strerror(NULL));
	if (tess_program_load_file(w->dev, kernels, &prog) ||
	    tess_buffer_create(w->dev, ITEMS * sizeof(*w->cells), TESS_BUFFER_VRAM, TESS_NEAR_ANY,
			       &buf))
		die("prepare", tess_strerror(w->dev));
	w->kernel = tess_program_kernel(prog, NULL);
	w->cells = tess_buffer_map(buf);
	if (!w->kernel || !w->cells)
		die("prepare", tess_strerror(w->dev));
	w->args.cells = tess_buffer_va(buf);
	w->args.spin = 20;
}

static void collect(struct work *w, unsigned int slot)
{
	struct tess_counters c;

	if (!w->fence[slot])
		return;
	if (tess_fence_wait(w->fence[slot], -1, &c))
		die("wait", tess_strerror(w->dev));
	tess_fence_destroy(w->fence[slot]);
	w->fence[slot] = NULL;
	w->masks |= 1ull << c.slices;
}

static void dispatch(struct work *w)
{
	unsigned int slot = w->args.number % UNDER_WAY;
	struct tess_dispatch d = {
		.kernel = w->kernel,
		.grid = { ITEMS },
		.group = { GROUP },
		.args = &w->args,
		.args_size = sizeof(w->args),
	};

	collect(w, slot);
	w->args.number++;
	if (tess_dispatch(w->dev, &d, &w->fence[slot]))
		die("dispatch", tess_strerror(w->dev));
	for (unsigned int i = 0; i < ITEMS; i++)
		w->expected[i] = chain_step(w->expected[i], w->args.number, i);
}

static void verify(struct work *w)
{
	unsigned int i;
	int changed;

	for (i = 0; i < UNDER_WAY; i++)
		collect(w, i);
	for (i = 0; i < ITEMS; i++)
		w->mismatches += w->cells[i].count != w->args.number ||
				 w->cells[i].chain != w->expected[i];
	changed = tess_changed(w->dev, &w->generation);
	if (changed < 0)
		die("generation", tess_strerror(w->dev));
	w->changes += changed;
}

int main(int argc, char **argv)
{
	static struct work work;
	struct watch w = { 0 };
	pthread_t thread;
	bool good;

	if (argc != 3)
		die("usage", "guest_work KERNELS STOP");
	start(&work, argv[1]);
	if (pthread_create(&thread, NULL, watch, &w))
		die("thread", "cannot start");
	while (access(argv[2], F_OK) && !work.mismatches) {
		for (unsigned int i = 0; i < ROUND; i++)
			dispatch(&work);
		verify(&work);
	}
	__atomic_store_n(&w.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	tess_close(work.dev);

	good = !work.mismatches && !w.backwards && work.args.number;
	printf("work {\"dispatches\": %llu, \"mismatches\": %lu, \"generations\": %u, \"last\": %llu, "
	       "\"backwards\": %u, \"changes\": %u, \"uevents\": %u, \"slice_counts\": %llu}\n",
	       (unsigned long long)work.args.number, work.mismatches, w.generations,
	       (unsigned long long)w.last, w.backwards, work.changes, w.uevents,
	       (unsigned long long)work.masks);
	return good ? 0 : 1;
}
