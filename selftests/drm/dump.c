// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dumps of jobs that failed: one there is, and it says of which job, why, and what was mapped.
 *
 * TESS_STUCK_SLICE is a slice that does not preempt (option --stuck-slice of the model), if there
 * is one.
 */
#include <glob.h>

#include "harness.h"
#include "tess_ctx.h"

/* @text: of the dump that was looked at */
FIXTURE(dump)
{
	struct tess_ctx ctx;
	char text[65536];
};

/* Dumps that there are: the first one, or an empty text; @drop: they go */
static unsigned int dumps(char *text, size_t size, bool drop)
{
	unsigned int i;
	glob_t found;

	text[0] = '\0';
	if (glob("/sys/class/devcoredump/devcd*/data", 0, NULL, &found))
		return 0;
	for (i = 0; i < found.gl_pathc; i++) {
		FILE *f = fopen(found.gl_pathv[i], "r+");

		if (!f)
			continue;
		if (!i)
			text[fread(text, 1, size - 1, f)] = '\0';
		rewind(f);
		if (drop)
			fputs("0", f);
		fclose(f);
	}
	i = found.gl_pathc;
	globfree(&found);
	return i;
}

FIXTURE_SETUP(dump)
{
	if (access("/sys/class/devcoredump", F_OK))
		SKIP(return, "the kernel has no dumps of devices (CONFIG_DEV_COREDUMP)");
	tess_ctx_open(&self->ctx);
	dumps(self->text, sizeof(self->text), true);
	/* Two are a second apart */
	usleep(1200000);
}

FIXTURE_TEARDOWN(dump)
{
	tess_ctx_close(&self->ctx);
}

/* There is one, which goes; what is in all of them is right */
static void await_dump(struct __test_metadata *_metadata, struct __fixture_dump *self,
		       const char *reason)
{
	char expect[128];
	int i;

	for (i = 0; i < 50 * (int)patience() && !dumps(self->text, sizeof(self->text), false); i++)
		usleep(100000);
	EXPECT_EQ(1u, dumps(self->text, sizeof(self->text), true));
	EXPECT_EQ(0, strncmp(self->text, "**** Tessera device coredump ****\nversion: 1\n", 45));
	snprintf(expect, sizeof(expect), "\nreason: %s\n", reason);
	EXPECT_NE(NULL, strstr(self->text, expect));
	snprintf(expect, sizeof(expect), "\npid: %d\nslice: %u\n", getpid(), self->ctx.slice);
	EXPECT_NE(NULL, strstr(self->text, expect));
}

TEST_F(dump, fault)
{
	struct tess_ctx *ctx = &self->ctx;
	char expect[128];
	int i;

	tess_vm_map(ctx->fd, ctx->vm, ctx->data_bo, 0, TESS_FREE_VA + TESS_2M, TESS_DATA_BYTES);
	for (i = 0; i < 20; i++) {
		tess_begin(ctx);
		tess_nop(ctx);
		tess_fill(ctx, TESS_FREE_VA + 0x128, 4, 1);
		if (i)
			tess_ctx_new_queue(ctx);
		EXPECT_EQ(-EFAULT, tess_ctx_run(ctx));
	}
	await_dump(_metadata, self, "fault");
	snprintf(expect, sizeof(expect), "\ncause: %u\naddress: %#llx\n",
		 DRM_TESSERA_CAUSE_STORE_PAGE, TESS_FREE_VA + 0x128);
	EXPECT_NE(NULL, strstr(self->text, expect));
	snprintf(expect, sizeof(expect), "\npacket-index: 1\npacket-address: %#llx\n",
		 TESS_CMD_VA + DRM_TESSERA_PKT_SIZE);
	EXPECT_NE(NULL, strstr(self->text, expect));
	snprintf(expect, sizeof(expect), "\npacket: 00000001%08x", DRM_TESSERA_PKT_FILL);
	EXPECT_NE(NULL, strstr(self->text, expect));
	snprintf(expect, sizeof(expect), "\n  %#llx-%#llx rwx offset 0x0 system\n",
		 TESS_FREE_VA + TESS_2M, TESS_FREE_VA + TESS_2M + TESS_DATA_BYTES);
	EXPECT_NE(NULL, strstr(self->text, expect));
}

/* Two processes on a slice, of which one does not stop for the other */
TEST_F_TIMEOUT(dump, not_preempted, 120)
{
	const char *stuck = getenv("TESS_STUCK_SLICE");
	struct tess_ctx bad, good;
	char expect[128];

	if (!stuck)
		SKIP(return, "TESS_STUCK_SLICE is not set");
	tess_ctx_close(&self->ctx);
	tess_ctx_open_on(&bad, tess_open(), atoi(stuck));
	tess_ctx_open_on(&good, tess_open(), atoi(stuck));
	tess_begin(&bad);
	tess_dispatch(&bad, TESS_K_LOOP, 8, 16, 0, 0);
	tess_ctx_submit(&bad);
	EXPECT_EQ(-ETIME, __tess_syncobj_wait(bad.fd, bad.done, 0, 500));
	tess_fill(&good, TESS_DATA_VA, 4, 0x600d);
	EXPECT_EQ(0, tess_ctx_run(&good));
	EXPECT_EQ(-ETIME, tess_ctx_wait(&bad));
	self->ctx = bad;
	await_dump(_metadata, self, "hang");
	snprintf(expect, sizeof(expect), "\ncause: %u\npacket-address: %#llx\n",
		 DRM_TESSERA_CAUSE_NOT_PREEMPTED, TESS_CMD_VA);
	EXPECT_NE(NULL, strstr(self->text, expect));
	/* What the GPU does not say of such a job */
	EXPECT_EQ(NULL, strstr(self->text, "\naddress:"));
	snprintf(expect, sizeof(expect), "\nmappings around %#llx:\n", TESS_CMD_VA);
	EXPECT_NE(NULL, strstr(self->text, expect));
	tess_ctx_close(&good);
}

TEST_HARNESS_MAIN
