// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The host falls asleep under a virtual machine and processes that work.
 *
 * The file system of a host VM's tree does not survive that: this program has to be run from
 * another one, and nothing can be read from the tree afterwards (run.sh does it like this).
 */
#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "await.h"
#include "books.h"
#include "bystander.h"
#include "log.h"
#include "tess_ctx.h"

#define POWER "/sys/power/"
#define ASLEEP_S "2"
/* Long enough to be asleep when the GPU ends, which is 10 seconds after it was asked for */
#define GONE_S "25"
#define VRAM_BYTES (256ull << 10)
/* Some 10 seconds at the nominal clock, and how long both take at most */
#define LONG_LOOPS 20000000
#define LONG_MS 100000

FIXTURE(sleep)
{
	struct books books;
	struct bystander by;
};

FIXTURE_SETUP(sleep)
{
	fresh_start();
	books_open(&self->books);
	ASSERT_EQ(0, bystander_start(&self->by));
	ASSERT_TRUE(bystander_goes_on(&self->by, 1));
}

FIXTURE_TEARDOWN(sleep)
{
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	EXPECT_EQ(0, bystander_end(&self->by));
	EXPECT_EQ(0, books_unclosed(&self->books));
}

/*
 * All that the kernel does to devices and interrupts, and sleep for a moment; pm_test wakes the
 * system up, which the clock of an emulated machine cannot do.
 */
static int sleep_for(const char *seconds, const char *how)
{
	int ret = file_write("/sys/module/suspend/parameters/pm_test_delay", seconds);

	if (!ret)
		ret = file_write(POWER "pm_test", "platform");
	if (!ret)
		ret = file_write(POWER "state", how);
	file_write(POWER "pm_test", "none");
	return ret;
}

static int sleep_system(const char *how)
{
	return sleep_for(ASLEEP_S, how);
}

/* A job of a process that is in the ring when the system falls asleep */
static void long_job(struct tess_ctx *ctx, uint64_t loops)
{
	*(uint64_t *)ctx->data = 0;
	tess_begin(ctx);
	tess_dispatch(ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, loops);
	tess_ctx_submit(ctx);
}

static uint64_t gpu_time(int fd)
{
	struct drm_tessera_query_time time;

	if (__tess_query(fd, DRM_TESSERA_QUERY_TIME, &time, sizeof(time)) != (int)sizeof(time))
		tess_die("no GPU time");
	return time.gpu_cycles;
}

/* Nothing is lost: work in rings, completions that come meanwhile, memory, the composition */
TEST_F_TIMEOUT(sleep, to_idle, 150)
{
	unsigned int round;
	struct tess_ctx ctx;

	if (access(POWER "pm_test", W_OK))
		SKIP(return, "this kernel has no pm_test");
	tess_ctx_open(&ctx);
	for (round = 0; round < 3; round++) {
		long_job(&ctx, 200000);
		ASSERT_EQ(0, sleep_system("freeze"));
		EXPECT_EQ(0, tess_ctx_wait(&ctx));
		EXPECT_EQ(1, *(uint64_t *)ctx.data);
		EXPECT_EQ(0u, tess_queue_flags(ctx.fd, ctx.queue));
		EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	}
	tess_ctx_close(&ctx);
}

/* ---- sleep that may take the power away: the GPU is reset when it comes back ---- */

/**
 * struct sleeper - a process that is in the middle of a job
 * @ctx: job and its memory
 * @vram: memory on the GPU, mapped at TESS_FREE_VA
 */
struct sleeper {
	struct tess_ctx ctx;
	uint8_t *vram;
};

static uint32_t pattern(size_t i)
{
	return (uint32_t)i * 2654435761u + 1;
}

static void sleeper_start(struct sleeper *s, int slice)
{
	int fd = tess_open();
	uint32_t handle;

	if (slice < 0)
		slice = tess_find_slice(fd, 0);
	tess_ctx_open_on(&s->ctx, fd, (uint32_t)slice);
	s->ctx.owns_fd = true;
	handle = tess_bo_create(fd, VRAM_BYTES, DRM_TESSERA_BO_VRAM);
	tess_vm_map(fd, s->ctx.vm, handle, 0, TESS_FREE_VA, VRAM_BYTES);
	s->vram = tess_bo_mmap(fd, handle, VRAM_BYTES);
	for (size_t i = 0; i < VRAM_BYTES / sizeof(uint32_t); i++)
		((uint32_t *)s->vram)[i] = pattern(i);
	long_job(&s->ctx, LONG_LOOPS);
}

/* Wrong words of its memory, as the GPU and as the CPU see it */
static size_t sleeper_wrong_words(struct sleeper *s)
{
	const uint32_t *gpu = (const uint32_t *)(s->ctx.data + TESS_PAGE);
	size_t wrong = 0;

	tess_begin(&s->ctx);
	tess_copy(&s->ctx, TESS_DATA_VA + TESS_PAGE, TESS_FREE_VA, VRAM_BYTES);
	if (tess_ctx_run(&s->ctx))
		return VRAM_BYTES;
	for (size_t i = 0; i < VRAM_BYTES / sizeof(uint32_t); i++)
		wrong += gpu[i] != pattern(i) || ((uint32_t *)s->vram)[i] != pattern(i);
	return wrong;
}

static void sleeper_end(struct sleeper *s)
{
	munmap(s->vram, VRAM_BYTES);
	tess_ctx_close(&s->ctx);
}

/*
 * Two processes take turns on a slice, so that one of them is parked anyway. Their jobs are not
 * over before the system sleeps, and end with the right result after that.
 */
static void sleep_across(struct __test_metadata *_metadata, struct bystander *by, const char *how)
{
	struct sleeper s[2];
	uint64_t time;
	unsigned int i;

	sleeper_start(&s[0], -1);
	sleeper_start(&s[1], (int)s[0].ctx.slice);
	time = gpu_time(s[0].ctx.fd);
	ASSERT_EQ(0, sleep_system(how));
	EXPECT_LE(time, gpu_time(s[0].ctx.fd));
	for (i = 0; i < 2; i++)
		EXPECT_EQ(1, tess_syncobj_status(s[i].ctx.fd, s[i].ctx.done));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, __tess_syncobj_wait(s[i].ctx.fd, s[i].ctx.done, 0, LONG_MS));
		EXPECT_EQ(0, tess_syncobj_status(s[i].ctx.fd, s[i].ctx.done));
		EXPECT_EQ(1u, *(uint64_t *)s[i].ctx.data);
		EXPECT_EQ(0u, tess_queue_flags(s[i].ctx.fd, s[i].ctx.queue));
		EXPECT_EQ(0u, sleeper_wrong_words(&s[i]));
	}
	EXPECT_TRUE(bystander_goes_on(by, 2));
	for (i = 0; i < 2; i++)
		sleeper_end(&s[i]);
}

TEST_F_TIMEOUT(sleep, to_memory, 240)
{
	if (access(POWER "pm_test", W_OK) || file_write(POWER "mem_sleep", "deep"))
		SKIP(return, "this kernel has no pm_test, or no suspend to memory");
	sleep_across(_metadata, &self->by, "mem");
	/* Again, with what it has from the first time */
	sleep_across(_metadata, &self->by, "mem");
}

/* ---- a GPU that does not come back ---- */

/*
 * The process that is the GPU ends, because a file asks for it, a while after that file is there: the
 * system is asleep by then, with a virtual machine and a process in the middle of their work
 */
TEST_TIMEOUT(pulled_while_asleep, 200)
{
	const char *ask = getenv("TESS_END_GPU");
	struct drm_tessera_query_gpu gpu;
	char path[PATH_MAX];
	struct sleeper s;
	struct client c;
	int mark;
	FILE *f;

	if (!ask)
		SKIP(return, "nobody is there to end the GPU");
	fresh_start();
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%.60s/remove", gpu_name());
	mark = log_mark();
	ASSERT_LE(0, mark);
	ASSERT_EQ(0, client_open(&c, "C2"));
	ASSERT_EQ(0, client_warm(&c));
	client_kernel(&c, TESS_K_LOOP, 8, 256);
	client_fence(&c);
	sleeper_start(&s, -1);
	ASSERT_EQ(0, file_write(POWER "mem_sleep", "deep"));
	f = fopen(ask, "w");
	ASSERT_NE(NULL, f);
	ASSERT_LT(0, fprintf(f, "%s\n", gpu_name()));
	ASSERT_EQ(0, fclose(f));
	ASSERT_EQ(0, sleep_for(GONE_S, "mem"));
	EXPECT_TRUE(log_says(mark, "the GPU did not come back when the system woke up"));
	/* Its clients are told, and nothing waits for it when it is taken out */
	EXPECT_GT(0, tess_ctx_wait(&s.ctx));
	EXPECT_GT(0, tess_syncobj_status(s.ctx.fd, s.ctx.done));
	EXPECT_TRUE(await_dead(&c));
	vgpu_close(&c.v);
	EXPECT_EQ(0, file_write(path, "1"));
	EXPECT_NE(0, access(path, F_OK));
	EXPECT_EQ(-ENODEV, __tess_query(s.ctx.fd, DRM_TESSERA_QUERY_GPU, &gpu, sizeof(gpu)));
	sleeper_end(&s);
}

TEST_HARNESS_MAIN
