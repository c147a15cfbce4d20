// SPDX-License-Identifier: GPL-2.0-or-later
#include "tess_feed.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tess_ctx.h"

#define CAPS_SWITCH (1u << 6)

bool tess_takes_turns(int fd)
{
	struct drm_tessera_query_gpu gpu;

	tess_query_gpu(fd, &gpu);
	return gpu.caps & CAPS_SWITCH;
}

static void feed_submit(struct tess_ctx *ctx, uint32_t out)
{
	const struct drm_tessera_sync sync = { .handle = out };
	int rc = __tess_submit(ctx, NULL, 0, &sync, 1);

	if (rc)
		tess_die("feed: submit: %s", strerror(-rc));
}

static void feed_endless(struct tess_ctx *ctx)
{
	tess_dispatch(ctx, TESS_K_LOOP, 4, 32, 0, 0);
	feed_submit(ctx, ctx->done);
	feed_submit(ctx, ctx->done);
	for (;;)
		pause();
}

static void feed(struct tess_ctx *ctx, uint64_t count)
{
	uint32_t out[TESS_FEED_DEPTH];
	unsigned int i;
	int rc;

	if (!count)
		feed_endless(ctx);
	for (i = 0; i < TESS_FEED_DEPTH; i++)
		out[i] = tess_syncobj_create(ctx->fd);
	tess_dispatch(ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, count);
	for (i = 0; i < TESS_FEED_DEPTH; i++)
		feed_submit(ctx, out[i]);
	for (i = 0;; i = (i + 1) % TESS_FEED_DEPTH) {
		do
			rc = __tess_syncobj_wait(ctx->fd, out[i], 0, TESS_WAIT_MS);
		while (rc == -ETIME);
		if (rc || tess_syncobj_status(ctx->fd, out[i]))
			tess_die("feed: a job failed");
		feed_submit(ctx, out[i]);
	}
}

void tess_feed_start(struct tess_feed *f, uint32_t slice, uint32_t priority, uint64_t count)
{
	struct tess_ctx ctx;

	f->fd = tess_open();
	f->slice = slice;
	fflush(stdout);
	f->pid = fork();
	if (f->pid < 0)
		tess_die("fork: %s", strerror(errno));
	if (f->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	tess_ctx_open_on(&ctx, f->fd, slice);
	if (priority) {
		__tess_queue_destroy(f->fd, ctx.queue);
		if (__tess_queue_create(f->fd, ctx.vm, slice, priority, &ctx.queue))
			tess_die("feed: no queue of priority %u", priority);
	}
	feed(&ctx, count);
	_exit(0);
}

void tess_feed_stop(struct tess_feed *f)
{
	kill(f->pid, SIGKILL);
	waitpid(f->pid, NULL, 0);
	close(f->fd);
}

/* The sum of the values of all keys that begin so, or the last of them */
static uint64_t fdinfo_sum(int fd, const char *key, bool sum)
{
	uint64_t value, total = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	if (!f)
		tess_die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) ||
		    sscanf(line, "%*[^:]: %" SCNu64, &value) != 1)
			continue;
		total = sum ? total + value : value;
	}
	fclose(f);
	return total;
}

uint64_t tess_file_cycles(int fd)
{
	return fdinfo_sum(fd, "drm-cycles-", true);
}

uint64_t tess_file_time(int fd)
{
	return fdinfo_sum(fd, "drm-total-cycles-", false);
}
