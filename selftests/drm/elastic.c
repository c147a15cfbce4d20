// SPDX-License-Identifier: GPL-2.0-or-later
/* Slices that are taken away for a VM and come back */
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#include "driver.h"
#include "harness.h"
#include "tess_ctx.h"

#define UUID "5e1ec7ed-0000-4000-8000-000000000001"

/* The mdev parent is the GPU's PCI device */
static void mdev_path(char path[PATH_MAX], const char *rest)
{
	snprintf(path, PATH_MAX, "%s/device/%s", tess_sysfs_dir(), rest);
}

#define RECLAIM_MS "/sys/module/tessera_drm/parameters/reclaim_ms"

static int get(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n > 0 ? 0 : -EIO;
}

static int mdev_create(const char *type)
{
	char path[PATH_MAX], rest[128];

	snprintf(rest, sizeof(rest), "mdev_supported_types/%s-%s/create", gpu_driver(), type);
	mdev_path(path, rest);
	return tess_put(path, UUID);
}

static int mdev_remove(void)
{
	return tess_put("/sys/bus/mdev/devices/" UUID "/remove", "1");
}

FIXTURE(elastic)
{
	struct drm_tessera_query_gpu before;
	char reclaim_ms[16];
	int fd;
};

FIXTURE_SETUP(elastic)
{
	char path[PATH_MAX];

	mdev_path(path, "mdev_supported_types");
	if (access(path, F_OK))
		SKIP(return, "no mdev front-end is loaded");
	ASSERT_EQ(0, get(RECLAIM_MS, self->reclaim_ms, sizeof(self->reclaim_ms)));
	self->fd = tess_open();
	tess_query_gpu(self->fd, &self->before);
}

FIXTURE_TEARDOWN(elastic)
{
	tess_put(RECLAIM_MS, self->reclaim_ms);
	mdev_remove();
	close(self->fd);
}

/* Number of the one slice that is gone, -1: none */
static int lost_slice(uint64_t before, uint64_t now)
{
	return before == now ? -1 : __builtin_ctzll(before & ~now);
}

TEST_F(elastic, slices_go_and_come)
{
	struct drm_tessera_query_slice slices[64];
	struct drm_tessera_query_gpu now;
	struct tess_ctx ctx;
	int slice;
	uint32_t id;

	ASSERT_EQ(0, mdev_create("C1"));
	tess_query_gpu(self->fd, &now);
	EXPECT_EQ(__builtin_popcountll(self->before.slice_mask) - 1,
		  __builtin_popcountll(now.slice_mask));
	EXPECT_LT(self->before.generation, now.generation);
	slice = lost_slice(self->before.slice_mask, now.slice_mask);
	ASSERT_LE(0, slice);
	__tess_query(self->fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));
	EXPECT_EQ(0u, slices[slice].flags & DRM_TESSERA_SLICE_AVAILABLE);
	EXPECT_EQ(1u, slices[slice].kind);

	/* Others work on; this one can't be had. */
	tess_ctx_open_on(&ctx, self->fd, __builtin_ctzll(now.slice_mask));
	EXPECT_EQ(-ENXIO, __tess_queue_create(self->fd, ctx.vm, slice, 0, &id));
	tess_fill(&ctx, TESS_DATA_VA, 4, 1);
	EXPECT_EQ(0, tess_ctx_run(&ctx));

	ASSERT_EQ(0, mdev_remove());
	tess_query_gpu(self->fd, &now);
	EXPECT_EQ(self->before.slice_mask, now.slice_mask);
	EXPECT_LT(self->before.generation + 1, now.generation);
	ctx.slice = slice;
	tess_ctx_new_queue(&ctx);
	EXPECT_EQ(0, tess_ctx_run(&ctx));
}

/* A queue of all slices takes no notice: there is always one that it can send to */
TEST_F(elastic, queue_of_all_slices_goes_on)
{
	struct drm_tessera_queue_create args = { .slices = self->before.slice_mask };
	struct tess_ctx ctx;
	unsigned int i;

	tess_ctx_open_on(&ctx, self->fd, __builtin_ctzll(self->before.slice_mask));
	args.vm = ctx.vm;
	ASSERT_EQ(0, tess_ioctl(ctx.fd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &args));
	ctx.queue = args.id;
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, i % 2 ? mdev_remove() : mdev_create(i % 4 ? "C2" : "C1"));
		tess_begin(&ctx);
		tess_fill(&ctx, TESS_DATA_VA, 4, i);
		EXPECT_EQ(0, __tess_ctx_submit(&ctx));
		EXPECT_EQ(0, tess_ctx_wait(&ctx));
		EXPECT_EQ(i, *(uint32_t *)ctx.data);
	}
	tess_ctx_close(&ctx);
}

static int uevents_open(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	return fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : fd;
}

/* The last generation that a render node told of, 0: none */
static uint64_t uevents_generation(int fd)
{
	uint64_t generation = 0;
	char text[4096], *p;
	ssize_t size;

	while ((size = recv(fd, text, sizeof(text) - 1, 0)) > 0) {
		text[size] = 0;
		if (strncmp(text, "change@", 7) || !strstr(text, "/drm/renderD"))
			continue;
		for (p = text; p < text + size; p += strlen(p) + 1)
			if (!strncmp(p, "TESSERA_GENERATION=", 19))
				generation = strtoull(p + 19, NULL, 10);
	}
	return generation;
}

TEST_F(elastic, uevents_tell)
{
	struct drm_tessera_query_gpu now;
	int fd = uevents_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(0u, uevents_generation(fd));
	ASSERT_EQ(0, mdev_create("C1"));
	tess_query_gpu(self->fd, &now);
	EXPECT_EQ(now.generation, uevents_generation(fd));
	ASSERT_EQ(0, mdev_remove());
	tess_query_gpu(self->fd, &now);
	EXPECT_EQ(now.generation, uevents_generation(fd));
	close(fd);
}

/* A queue on every slice */
static unsigned int open_all(struct tess_ctx *ctx, int fd, uint64_t mask)
{
	unsigned int i, n = 0;

	for (i = 0; i < 64; i++)
		if (mask >> i & 1)
			tess_ctx_open_on(&ctx[n++], fd, i);
	return n;
}

TEST_F(elastic, idle_queue_is_usable_again)
{
	struct tess_ctx *ctx = calloc(64, sizeof(*ctx));
	struct drm_tessera_query_gpu now;
	unsigned int i, n, refused = 0;
	int slice;

	ASSERT_NE(NULL, ctx);
	n = open_all(ctx, self->fd, self->before.slice_mask);
	ASSERT_EQ(0, mdev_create("C1"));
	tess_query_gpu(self->fd, &now);
	slice = lost_slice(self->before.slice_mask, now.slice_mask);
	for (i = 0; i < n; i++) {
		int rc;

		tess_fill(&ctx[i], TESS_DATA_VA, 4, 1);
		rc = __tess_ctx_submit(&ctx[i]);
		EXPECT_EQ((int)ctx[i].slice == slice ? -ENXIO : 0, rc);
		refused += rc == -ENXIO;
		EXPECT_EQ(0u, tess_queue_flags(self->fd, ctx[i].queue));
	}
	EXPECT_EQ(1u, refused);
	ASSERT_EQ(0, mdev_remove());
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, tess_ctx_run(&ctx[i]));
	free(ctx);
}

TEST_F(elastic, running_job_may_finish)
{
	struct tess_ctx *ctx = calloc(64, sizeof(*ctx));
	unsigned int i, n;

	ASSERT_NE(NULL, ctx);
	/* However late this machine is with them */
	ASSERT_EQ(0, tess_put(RECLAIM_MS, "30000"));
	/* Some 10 ms of GPU time on every slice */
	n = open_all(ctx, self->fd, self->before.slice_mask);
	for (i = 0; i < n; i++) {
		tess_dispatch(&ctx[i], TESS_K_DELAY, 1, 1, TESS_DATA_VA, 20000);
		tess_ctx_submit(&ctx[i]);
	}
	ASSERT_EQ(0, mdev_create("C1"));
	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, tess_ctx_wait(&ctx[i]));
		EXPECT_EQ(1u, *(uint64_t *)ctx[i].data);
	}
	free(ctx);
}

TEST_F(elastic, endless_job_is_dropped)
{
	struct tess_ctx *ctx = calloc(64, sizeof(*ctx));
	struct drm_tessera_query_vm status = {};
	struct drm_tessera_query query = {
		.type = DRM_TESSERA_QUERY_VM,
		.size = sizeof(status),
		.data = (uintptr_t)&status,
	};
	struct drm_tessera_query_gpu now;
	struct timespec from, to;
	unsigned int i, n;
	int slice;

	ASSERT_NE(NULL, ctx);
	n = open_all(ctx, self->fd, self->before.slice_mask);
	for (i = 0; i < n; i++) {
		tess_dispatch(&ctx[i], TESS_K_LOOP, 1, 1, 0, 0);
		tess_ctx_submit(&ctx[i]);
		tess_ctx_submit(&ctx[i]);
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	ASSERT_EQ(0, mdev_create("C1"));
	clock_gettime(CLOCK_MONOTONIC, &to);
	EXPECT_GE(5 * patience(), to.tv_sec - from.tv_sec);
	tess_query_gpu(self->fd, &now);
	slice = lost_slice(self->before.slice_mask, now.slice_mask);
	for (i = 0; i < n && (int)ctx[i].slice != slice; i++)
		;
	ASSERT_LT(i, n);
	EXPECT_EQ(-ENXIO, tess_ctx_wait(&ctx[i]));
	EXPECT_EQ(DRM_TESSERA_QUEUE_LOST, tess_queue_flags(self->fd, ctx[i].queue));
	/* By no fault of its VM */
	query.arg = ctx[i].vm;
	EXPECT_EQ(0, tess_ioctl(self->fd, DRM_IOCTL_TESSERA_QUERY, &query));
	EXPECT_LT(0u, status.lost);
	EXPECT_EQ(DRM_TESSERA_VM_INNOCENT, status.flags);
	EXPECT_EQ(-EIO, __tess_ctx_submit(&ctx[i]));
	free(ctx);
}

/**
 * struct create - composes a vGPU
 * @type: of which type
 * @rc: result
 * @over: it is there
 */
struct create {
	const char *type;
	int rc;
	volatile bool over;
};

static void *create_thread(void *arg)
{
	struct create *create = arg;

	create->rc = mdev_create(create->type);
	create->over = true;
	return NULL;
}

/* No slice of a vGPU takes new jobs while the first one is waited for: it is one wait for all */
TEST_F(elastic, slices_of_a_vgpu_close_together)
{
	struct tess_ctx *ctx = calloc(64, sizeof(*ctx));
	struct create create = { .type = "C4" };
	struct drm_tessera_query_gpu now;
	bool together = false;
	unsigned int i, n;
	pthread_t thread;

	ASSERT_NE(NULL, ctx);
	n = open_all(ctx, self->fd, self->before.slice_mask);
	for (i = 0; i < n; i++) {
		tess_wait(&ctx[i], TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
		tess_ctx_submit(&ctx[i]);
	}
	ASSERT_EQ(0, tess_put(RECLAIM_MS, "30000"));
	ASSERT_EQ(0, pthread_create(&thread, NULL, create_thread, &create));
	while (!create.over && !together) {
		tess_query_gpu(self->fd, &now);
		together = __builtin_popcountll(self->before.slice_mask & ~now.slice_mask) == 4;
	}
	/* All of them still have their job */
	EXPECT_FALSE(create.over);
	for (i = 0; i < n; i++)
		*(volatile uint64_t *)ctx[i].data = 1;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, create.rc);
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, tess_ctx_wait(&ctx[i]));
	free(ctx);
}

/* Work on all slices, as a program that knows that they come and go */
static void elastic_load(void)
{
	struct drm_tessera_query_gpu gpu;
	struct tess_ctx ctx;
	int fd = tess_open(), rc;
	unsigned int slice;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	tess_query_gpu(fd, &gpu);
	tess_ctx_open_on(&ctx, fd, 63 - __builtin_clzll(gpu.slice_mask));
	for (slice = 0;; slice = (slice + 1) % gpu.slice_count) {
		__tess_queue_destroy(fd, ctx.queue);
		rc = __tess_queue_create(fd, ctx.vm, slice, 0, &ctx.queue);
		if (rc == -ENXIO)
			continue;
		if (rc)
			_exit(1);
		memset(ctx.data, 0, 1024);
		tess_begin(&ctx);
		tess_dispatch(&ctx, TESS_K_IDS, 4, 64, TESS_DATA_VA, 0);
		rc = __tess_ctx_submit(&ctx);
		if (!rc)
			rc = tess_ctx_wait(&ctx);
		if (rc && rc != -ENXIO)
			_exit(2);
		if (!rc && ((uint32_t *)ctx.data)[255] != 765)
			_exit(3);
	}
}

TEST_F_TIMEOUT(elastic, under_load, 120)
{
	struct drm_tessera_query_gpu now;
	pid_t pids[2];
	int i, status;

	for (i = 0; i < 2; i++) {
		pids[i] = fork();
		ASSERT_LE(0, pids[i]);
		if (!pids[i])
			elastic_load();
	}
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, mdev_create(i % 2 ? "C1" : "C4"));
		usleep(50000);
		ASSERT_EQ(0, mdev_remove());
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, waitpid(pids[i], &status, WNOHANG));
		kill(pids[i], SIGKILL);
		waitpid(pids[i], &status, 0);
		EXPECT_TRUE(WIFSIGNALED(status));
	}
	tess_query_gpu(self->fd, &now);
	EXPECT_EQ(self->before.slice_mask, now.slice_mask);
}

TEST_HARNESS_MAIN
