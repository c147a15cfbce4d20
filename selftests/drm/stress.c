// SPDX-License-Identifier: GPL-2.0-or-later
/* Everything at once: threads of one file that make, use and destroy the same objects */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "harness.h"
#include "tess_ctx.h"

#define SECONDS 4

/**
 * struct shared - what the threads share
 * @ctx: context whose VM and queue all use
 * @end: CLOCK_MONOTONIC second at which to stop
 * @wrong: something happened that must not
 */
struct shared {
	struct tess_ctx ctx;
	time_t end;
	volatile int wrong;
};

static bool time_left(const struct shared *s)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < s->end;
}

/* Only these may come of a race; a crash of the kernel would end the machine. */
static void allow(struct shared *s, int rc)
{
	switch (rc) {
	case 0:
	case -ENOENT:
	case -EIO:
	case -EINVAL:
	case -ENOSPC:
	case -EMFILE:
		return;
	}
	s->wrong = rc;
}

static void *bind_thread(void *arg)
{
	struct shared *s = arg;
	unsigned int seed = 1;

	while (time_left(s)) {
		uint64_t va = TESS_FREE_VA + rand_r(&seed) % 64 * TESS_PAGE;
		uint64_t size = (rand_r(&seed) % 16 + 1) * TESS_PAGE;

		if (rand_r(&seed) % 3)
			allow(s,
			      __tess_vm_map(s->ctx.fd, s->ctx.vm, s->ctx.data_bo, 0, va, size, 0));
		else
			allow(s, __tess_vm_unmap(s->ctx.fd, s->ctx.vm, va, size));
	}
	return NULL;
}

static void *submit_thread(void *arg)
{
	struct shared *s = arg;
	struct tess_ctx ctx = s->ctx;

	ctx.done = tess_syncobj_create(ctx.fd);
	while (time_left(s)) {
		int rc = __tess_ctx_submit(&ctx);

		allow(s, rc);
		if (!rc && tess_ctx_wait(&ctx) == -ETIME)
			s->wrong = -ETIME;
		/* Its memory comes and goes: it faults now and then. */
		if (rc == -EIO) {
			__tess_queue_destroy(ctx.fd, ctx.queue);
			allow(s, __tess_queue_create(ctx.fd, ctx.vm, ctx.slice, 0, &ctx.queue));
		}
	}
	return NULL;
}

static void *object_thread(void *arg)
{
	struct shared *s = arg;
	unsigned int seed = 2;

	while (time_left(s)) {
		uint32_t bo = 0, vm = 0, queue = 0;

		allow(s, __tess_bo_create(s->ctx.fd, rand_r(&seed) % (4 * TESS_PAGE) + 1,
					  rand_r(&seed) % 2, &bo));
		allow(s, __tess_vm_create(s->ctx.fd, &vm));
		allow(s, __tess_vm_map(s->ctx.fd, vm, bo, 0, TESS_FREE_VA, TESS_PAGE, 0));
		allow(s, __tess_queue_create(s->ctx.fd, vm, s->ctx.slice, 0, &queue));
		allow(s, __tess_vm_destroy(s->ctx.fd, vm));
		/* Also what others have just made */
		allow(s, __tess_queue_destroy(s->ctx.fd, queue + rand_r(&seed) % 2));
		allow(s, __tess_bo_close(s->ctx.fd, bo));
	}
	return NULL;
}

static void *signal_thread(void *arg)
{
	struct shared *s = arg;
	struct timespec nap = { .tv_nsec = 300000 };

	while (time_left(s)) {
		kill(getpid(), SIGUSR1);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

static void nothing(int number)
{
}

TEST(threads_of_one_file)
{
	static void *(*const threads[])(void *) = {
		bind_thread,   submit_thread, submit_thread,
		object_thread, object_thread, signal_thread,
	};
	pthread_t ids[sizeof(threads) / sizeof(threads[0])];
	uint64_t vram = tess_sysfs_value("vram_free");
	struct timespec now;
	static struct shared s;
	unsigned int i;

	signal(SIGUSR1, nothing);
	tess_ctx_open(&s.ctx);
	tess_fill(&s.ctx, TESS_FREE_VA, 16 * TESS_PAGE, 1);
	clock_gettime(CLOCK_MONOTONIC, &now);
	s.end = now.tv_sec + SECONDS;
	for (i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		ASSERT_EQ(0, pthread_create(&ids[i], NULL, threads[i], &s));
	for (i = 0; i < sizeof(threads) / sizeof(threads[0]); i++)
		ASSERT_EQ(0, pthread_join(ids[i], NULL));
	EXPECT_EQ(0, s.wrong);
	tess_ctx_close(&s.ctx);
	EXPECT_EQ(vram, tess_sysfs_wait("vram_free", vram, 10));
}

TEST(random_arguments)
{
	static const unsigned long requests[] = {
		DRM_IOCTL_TESSERA_QUERY,	  DRM_IOCTL_TESSERA_BO_CREATE,
		DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, DRM_IOCTL_TESSERA_VM_CREATE,
		DRM_IOCTL_TESSERA_VM_DESTROY,	  DRM_IOCTL_TESSERA_VM_BIND,
		DRM_IOCTL_TESSERA_QUEUE_CREATE,	  DRM_IOCTL_TESSERA_QUEUE_DESTROY,
		DRM_IOCTL_TESSERA_QUEUE_STATE,	  DRM_IOCTL_TESSERA_SUBMIT,
		DRM_IOCTL_TESSERA_BO_DAMAGE,
	};
	static const uint64_t values[] = {
		0, 0, 0, 1, 2, 63, 64, TESS_PAGE, TESS_2M, 1ull << 38, ~0ull, 1ull << 63, ~0xfffull,
	};
	uint64_t vram = tess_sysfs_value("vram_free");
	const unsigned int count = sizeof(requests) / sizeof(requests[0]);
	unsigned int seed = 3, i, n;
	struct tess_ctx ctx;

	tess_ctx_open(&ctx);
	tess_nop(&ctx);
	for (n = 0; n < 30000; n++) {
		uint64_t args[8];
		int rc;

		for (i = 0; i < 8; i++)
			args[i] = values[rand_r(&seed) % 13] |
				  (rand_r(&seed) % 4 ? 0 : (uint64_t)rand_r(&seed) % 4 << 32);
		if (!(rand_r(&seed) % 3))
			args[rand_r(&seed) % 8] = (uintptr_t)ctx.data;
		/* Memory of the system is not what is to be exhausted here. */
		if (requests[n % count] == DRM_IOCTL_TESSERA_BO_CREATE)
			args[0] %= 1 << 20;
		rc = tess_ioctl(ctx.fd, requests[n % count], args);
		EXPECT_LE(rc, 0);
		EXPECT_NE(-ENODEV, rc);
	}
	/* Mappings keep a file open. */
	tess_ctx_close(&ctx);
	EXPECT_EQ(vram, tess_sysfs_wait("vram_free", vram, 10));
	tess_ctx_open(&ctx);
	tess_fill(&ctx, TESS_DATA_VA, 4, 5);
	EXPECT_EQ(0, tess_ctx_run(&ctx));
	tess_ctx_close(&ctx);
}

TEST_HARNESS_MAIN
