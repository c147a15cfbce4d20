// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults of hosts and VMMs beside somebody who works: memory that runs out, modules that are
 * to be unloaded. Its results are right, and the books balance.
 */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "harness.h"
#include "books.h"
#include "bystander.h"
#include "tess_ctx.h"

FIXTURE(survive)
{
	struct books books;
	struct bystander by;
};

FIXTURE_SETUP(survive)
{
	fresh_start();
	books_open(&self->books);
	ASSERT_EQ(0, bystander_start(&self->by));
	ASSERT_TRUE(bystander_goes_on(&self->by, 1));
}

FIXTURE_TEARDOWN(survive)
{
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	EXPECT_EQ(0, bystander_end(&self->by));
	EXPECT_EQ(0, books_unclosed(&self->books));
}

/* ---- memory ---- */

/* A VMM that may lock 1 MiB, and whose guest touches more, again and again; then it is killed */
static void greedy_vmm(const char *uuid, int ready)
{
	unsigned int round;
	struct vgpu v;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (limit_locked_memory(1 << 20) || vgpu_open(&v, uuid))
		_exit(1);
	for (round = 0;; round++) {
		struct ring r;

		ring_start(&r, &v, 0);
		ring_fill(&r, DATA_GPA, DATA_SIZE, round);
		ring_fence(&r, false);
		if (wait_fault(&v, 0) != DRM_TESSERA_CAUSE_STORE_ACCESS)
			_exit(2);
		ring_reset(&r);
		if (round == 10 && write(ready, "", 1) != 1)
			_exit(3);
	}
}

TEST_F_TIMEOUT(survive, out_of_locked_memory, 150)
{
	int pipes[2], status;
	char uuid[37], byte;
	pid_t pid;

	ASSERT_EQ(0, mdev_create("C1", uuid));
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		greedy_vmm(uuid, pipes[1]);
	close(pipes[1]);
	ASSERT_EQ(1, read(pipes[0], &byte, 1));
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	EXPECT_GE((1 << 20) / PAGE + 1, mdev_stat(uuid, "pinned_pages"));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(0, mdev_remove(uuid));
	close(pipes[0]);
}

/*
 * Not a page of VRAM is left, and none can be evicted: a process that asks is refused, and told so; a
 * process that has some keeps it
 */
TEST_F_TIMEOUT(survive, out_of_vram, 150)
{
	static const struct shape one = { .slices = 1, .max = 1, .memory = STREAM_BANK };
	const uint32_t flags = DRM_TESSERA_BO_VRAM | DRM_TESSERA_BO_CONTIGUOUS;
	uint64_t size;
	uint32_t handle;
	char uuid[37] = "";
	int fd = tess_open();

	for (size = 64ULL << 20; size >= TESS_PAGE;) {
		if (__tess_bo_create(fd, size, flags, &handle))
			size /= 2;
	}
	EXPECT_EQ(0, gpu_value("vram_free"));
	EXPECT_EQ(-ENOSPC, __tess_bo_create(fd, TESS_PAGE, flags, &handle));
	ASSERT_EQ(0, shape_blank(uuid));
	EXPECT_EQ(-ENOSPC, shape_write(uuid, &one));
	EXPECT_TRUE(last_error_is(uuid, -ENOSPC));
	EXPECT_TRUE(bystander_goes_on(&self->by, 2));
	close(fd);
	/* What was given back can be had */
	EXPECT_EQ(0, shape_write(uuid, &one));
	EXPECT_EQ(0, mdev_remove(uuid));
}

/* ---- modules ---- */

static bool unloads(const char *module)
{
	return !syscall(SYS_delete_module, module, O_NONBLOCK);
}

TEST_F(survive, modules_stay_while_a_vm_uses_them)
{
	static const char *const modules[] = { "tessera_mdev", "tessera_pci", "tessera_chip",
					       "tessera" };
	unsigned int i;

	for (i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		EXPECT_FALSE(unloads(modules[i]));
		EXPECT_EQ(EWOULDBLOCK, errno);
	}
	EXPECT_EQ(TESS_ID_VALUE, reg32(&self->by.g.c[0].v, TESS_REG_ID));
}

TEST(modules_stay_while_a_process_uses_them)
{
	struct tess_ctx ctx;

	fresh_start();
	tess_ctx_open(&ctx);
	EXPECT_FALSE(unloads("tessera_drm"));
	EXPECT_FALSE(unloads("tessera_pci"));
	EXPECT_FALSE(unloads("tessera"));
	tess_dispatch(&ctx, TESS_K_IDS, 1, 64, TESS_DATA_VA, 0);
	EXPECT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(189u, ((uint32_t *)ctx.data)[63]);
	tess_ctx_close(&ctx);
}

TEST_HARNESS_MAIN
