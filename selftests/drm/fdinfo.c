// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/PID/fdinfo in the format of drm-usage-stats */
#include <fcntl.h>
#include <inttypes.h>

#include "harness.h"
#include "tess_ctx.h"
#include "tess_feed.h"

FIXTURE(fdinfo)
{
	struct tess_ctx ctx;
};

FIXTURE_SETUP(fdinfo)
{
	tess_ctx_open(&self->ctx);
}

FIXTURE_TEARDOWN(fdinfo)
{
	tess_ctx_close(&self->ctx);
}

/* The rest of the line after "KEY:" and white space; false: there is none */
static bool fdinfo_get(int fd, const char *key, char value[128])
{
	char path[64], line[256];
	size_t len = strlen(key);
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	if (!f)
		tess_die("%s: %s", path, strerror(errno));
	while (!found && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) || line[len] != ':')
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, 128, "%s", line + len + 1 + strspn(line + len + 1, " \t"));
		found = true;
	}
	fclose(f);
	return found;
}

static uint64_t fdinfo_value(int fd, const char *key)
{
	char value[128];

	if (!fdinfo_get(fd, key, value))
		tess_die("no %s in fdinfo", key);
	return strtoull(value, NULL, 10);
}

static const char *const kinds[] = { NULL, "compute", "render", "mixed" };

static uint64_t kind_value(int fd, const char *what, unsigned int kind)
{
	char key[64];

	snprintf(key, sizeof(key), "drm-%s-%s", what, kinds[kind]);
	return fdinfo_value(fd, key);
}

TEST_F(fdinfo, names)
{
	char value[128];

	ASSERT_TRUE(fdinfo_get(self->ctx.fd, "drm-driver", value));
	EXPECT_EQ(0, strcmp("tessera", value));
	EXPECT_TRUE(fdinfo_get(self->ctx.fd, "drm-client-id", value));
	EXPECT_TRUE(fdinfo_get(self->ctx.fd, "drm-pdev", value));
}

TEST_F(fdinfo, capacity)
{
	struct drm_tessera_query_slice slices[64];
	unsigned int count[4] = {}, kind;
	int i, size;

	size = __tess_query(self->ctx.fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));
	for (i = 0; i < size / (int)sizeof(slices[0]); i++)
		count[slices[i].kind]++;
	for (kind = 1; kind < 4; kind++) {
		char key[64], value[128];

		snprintf(key, sizeof(key), "drm-engine-capacity-%s", kinds[kind]);
		EXPECT_EQ(count[kind] > 0, fdinfo_get(self->ctx.fd, key, value));
		if (count[kind])
			EXPECT_EQ(count[kind], fdinfo_value(self->ctx.fd, key));
	}
}

TEST_F(fdinfo, cycles_of_a_job)
{
	struct drm_tessera_query_slice slices[64];
	struct tess_counter_block *from = (void *)self->ctx.data;
	struct tess_counter_block *to = from + 1;
	struct tess_ctx *ctx = &self->ctx;
	uint64_t before, after, total, ns, busy;
	unsigned int kind;

	__tess_query(ctx->fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));
	kind = slices[ctx->slice].kind;
	before = kind_value(ctx->fd, "cycles", kind);
	EXPECT_EQ(0u, before);
	tess_timestamp(ctx, TESS_DATA_VA, DRM_TESSERA_TIMESTAMP_COUNTERS);
	tess_dispatch(ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA + TESS_PAGE, 50000);
	tess_timestamp(ctx, TESS_DATA_VA + 64, DRM_TESSERA_TIMESTAMP_COUNTERS);
	ASSERT_EQ(0, tess_ctx_run(ctx));
	after = kind_value(ctx->fd, "cycles", kind);
	total = kind_value(ctx->fd, "total-cycles", kind);
	ns = kind_value(ctx->fd, "engine", kind);
	busy = to->busy - from->busy;
	TH_LOG("%" PRIu64 " cycles in fdinfo, %" PRIu64 " between time stamps", after, busy);
	EXPECT_LE(50000u, busy);
	EXPECT_LE(busy, after);
	EXPECT_GE(busy + 5000, after);
	EXPECT_LE(after, total);
	EXPECT_EQ(after * 1000000 / tess_sysfs_value("clock_khz"), ns);
	EXPECT_EQ(tess_sysfs_value("clock_khz") * 1000, kind_value(ctx->fd, "maxfreq", kind));
}

TEST_F(fdinfo, cycles_belong_to_their_file)
{
	struct drm_tessera_query_slice slices[64];
	struct tess_ctx other;
	unsigned int kind;

	__tess_query(self->ctx.fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));
	tess_ctx_open_on(&other, tess_open(), self->ctx.slice);
	kind = slices[self->ctx.slice].kind;
	tess_dispatch(&other, TESS_K_DELAY, 1, 1, TESS_DATA_VA, 50000);
	tess_nop(&self->ctx);
	tess_ctx_submit(&other);
	tess_ctx_submit(&self->ctx);
	EXPECT_EQ(0, tess_ctx_wait(&other));
	EXPECT_EQ(0, tess_ctx_wait(&self->ctx));
	EXPECT_LE(50000u, kind_value(other.fd, "cycles", kind));
	EXPECT_GE(5000u, kind_value(self->ctx.fd, "cycles", kind));
	close(other.fd);
}

static uint64_t fdinfo_bytes(int fd, const char *key)
{
	char value[128], unit[8] = "";
	uint64_t n;

	if (!fdinfo_get(fd, key, value))
		tess_die("no %s in fdinfo", key);
	sscanf(value, "%" SCNu64 " %7s", &n, unit);
	if (!strcmp(unit, "KiB"))
		return n << 10;
	if (!strcmp(unit, "MiB"))
		return n << 20;
	return n;
}

/* A job that is dropped was on the slice all the same */
TEST_F(fdinfo, cycles_of_a_dropped_job)
{
	struct drm_tessera_query_slice slices[64];
	struct drm_tessera_query_gpu gpu;
	struct tess_ctx *ctx = &self->ctx;
	uint64_t cycles, from, limit;
	unsigned int kind;

	tess_query_gpu(ctx->fd, &gpu);
	limit = 100ull * gpu.clock_khz;
	from = tess_file_time(ctx->fd);
	__tess_query(ctx->fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));
	kind = slices[ctx->slice].kind;
	EXPECT_EQ(0u, kind_value(ctx->fd, "cycles", kind));
	tess_dispatch(ctx, TESS_K_LOOP, 1, 1, 0, 0);
	tess_ctx_submit(ctx);
	while (__tess_syncobj_wait(ctx->fd, ctx->done, 0, 10) == -ETIME &&
	       tess_file_time(ctx->fd) - from < 2 * limit)
		;
	tess_vm_unmap(ctx->fd, ctx->vm, TESS_CODE_VA, TESS_PAGE);
	EXPECT_EQ(-EFAULT, tess_ctx_wait(ctx));
	cycles = kind_value(ctx->fd, "cycles", kind);
	TH_LOG("%" PRIu64 " cycles of %u each ms", cycles, gpu.clock_khz);
	EXPECT_LE(limit, cycles);
	EXPECT_GE(tess_file_time(ctx->fd) - from, cycles);
}

TEST_F(fdinfo, memory)
{
	int fd = tess_open(), other;
	struct drm_prime_handle share = { .flags = DRM_CLOEXEC };

	EXPECT_EQ(0u, fdinfo_bytes(fd, "drm-total-vram"));
	EXPECT_EQ(0u, fdinfo_bytes(fd, "drm-total-system"));
	share.handle = tess_bo_create(fd, 3 * TESS_2M, DRM_TESSERA_BO_VRAM);
	tess_bo_create(fd, 5 * TESS_PAGE, 0);
	EXPECT_EQ(3 * TESS_2M, fdinfo_bytes(fd, "drm-total-vram"));
	EXPECT_EQ(3 * TESS_2M, fdinfo_bytes(fd, "drm-resident-vram"));
	EXPECT_EQ(5 * TESS_PAGE, fdinfo_bytes(fd, "drm-total-system"));
	EXPECT_EQ(0u, fdinfo_bytes(fd, "drm-resident-system"));
	EXPECT_EQ(0u, fdinfo_bytes(fd, "drm-shared-vram"));

	other = tess_open();
	ASSERT_EQ(0, tess_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &share));
	ASSERT_EQ(0, tess_ioctl(other, DRM_IOCTL_PRIME_FD_TO_HANDLE, &share));
	EXPECT_EQ(3 * TESS_2M, fdinfo_bytes(fd, "drm-shared-vram"));
	EXPECT_EQ(3 * TESS_2M, fdinfo_bytes(other, "drm-total-vram"));
	close(share.fd);
	close(other);
	close(fd);
}

TEST_F(fdinfo, system_memory_is_resident_when_bound)
{
	/* The handles of code and commands are closed; the data's is not. */
	EXPECT_EQ(TESS_DATA_BYTES, fdinfo_bytes(self->ctx.fd, "drm-total-system"));
	EXPECT_EQ(TESS_DATA_BYTES, fdinfo_bytes(self->ctx.fd, "drm-resident-system"));
}

TEST_HARNESS_MAIN
