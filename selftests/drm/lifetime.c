// SPDX-License-Identifier: GPL-2.0-or-later
/* The GPU goes away and comes back under processes that use it */
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "driver.h"
#include "harness.h"
#include "tess_ctx.h"

static void write_file(struct __test_metadata *_metadata, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	ASSERT_LE(0, fd);
	ASSERT_EQ((ssize_t)strlen(text), write(fd, text, strlen(text)));
	close(fd);
}

FIXTURE(lifetime)
{
	char bdf[64];
	uint64_t vram, slices;
};

FIXTURE_SETUP(lifetime)
{
	char path[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%s/device", tess_sysfs_dir());
	n = readlink(path, target, sizeof(target) - 1);
	ASSERT_LT(0, n);
	target[n] = '\0';
	snprintf(self->bdf, sizeof(self->bdf), "%.63s", strrchr(target, '/') + 1);
	self->vram = tess_sysfs_value("vram_free");
	self->slices = tess_sysfs_value("slices_free");
}

FIXTURE_TEARDOWN(lifetime)
{
	if (access(tess_sysfs_dir(), F_OK))
		write_file(_metadata, gpu_driver_file("bind"), self->bdf);
}

static void unbind(struct __test_metadata *_metadata, const char *bdf)
{
	write_file(_metadata, gpu_driver_file("unbind"), bdf);
}

/* It is there again, works, and has all that it had */
static void rebind(struct __test_metadata *_metadata, const char *bdf, uint64_t vram,
		   uint64_t slices)
{
	struct tess_ctx ctx;

	write_file(_metadata, gpu_driver_file("bind"), bdf);
	EXPECT_EQ(vram, tess_sysfs_wait("vram_free", vram, 5));
	EXPECT_EQ(slices, tess_sysfs_wait("slices_free", slices, 5));
	tess_ctx_open(&ctx);
	tess_dispatch(&ctx, TESS_K_IDS, 1, 64, TESS_DATA_VA, 0);
	EXPECT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(189u, ((uint32_t *)ctx.data)[63]);
	tess_ctx_close(&ctx);
	EXPECT_EQ(vram, tess_sysfs_wait("vram_free", vram, 5));
}

TEST_F(lifetime, open_and_idle)
{
	struct tess_ctx ctx;
	uint32_t id;

	tess_ctx_open(&ctx);
	tess_bo_create(ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	unbind(_metadata, self->bdf);
	EXPECT_EQ(-ENODEV, __tess_query(ctx.fd, DRM_TESSERA_QUERY_GPU, NULL, 0));
	EXPECT_EQ(-ENODEV, __tess_bo_create(ctx.fd, TESS_PAGE, 0, &id));
	EXPECT_EQ(-ENODEV, __tess_vm_create(ctx.fd, &id));
	EXPECT_EQ(-ENODEV, __tess_vm_unmap(ctx.fd, ctx.vm, 0, TESS_PAGE));
	EXPECT_EQ(-ENODEV, __tess_queue_create(ctx.fd, ctx.vm, 0, 0, &id));
	EXPECT_EQ(-ENODEV, __tess_ctx_submit(&ctx));
	rebind(_metadata, self->bdf, self->vram, self->slices);
	/* What was opened before stays dead, and can still be closed. */
	EXPECT_EQ(-ENODEV, __tess_bo_create(ctx.fd, TESS_PAGE, 0, &id));
	tess_ctx_close(&ctx);
	EXPECT_EQ(self->vram, tess_sysfs_wait("vram_free", self->vram, 5));
}

static sigjmp_buf bus_error;

static void on_bus_error(int number)
{
	siglongjmp(bus_error, number);
}

TEST_F(lifetime, vram_mappings_go)
{
	int fd = tess_open();
	uint32_t handle = tess_bo_create(fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	struct drm_prime_handle share = { .handle = handle, .flags = DRM_CLOEXEC };
	volatile uint32_t *p = tess_bo_mmap(fd, handle, TESS_2M), *q;

	ASSERT_EQ(0, tess_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &share));
	q = mmap(NULL, TESS_2M, PROT_READ, MAP_SHARED, share.fd, 0);
	ASSERT_NE(MAP_FAILED, q);
	p[0] = 1;
	EXPECT_EQ(1u, q[0]);
	signal(SIGBUS, on_bus_error);
	unbind(_metadata, self->bdf);
	if (!sigsetjmp(bus_error, 1)) {
		p[0] = 2;
		EXPECT_FALSE(!"a store to VRAM that is gone");
	}
	if (!sigsetjmp(bus_error, 1)) {
		(void)q[0];
		EXPECT_FALSE(!"a load from VRAM that is gone");
	}
	rebind(_metadata, self->bdf, self->vram, self->slices);
	if (!sigsetjmp(bus_error, 1)) {
		p[0] = 3;
		EXPECT_FALSE(!"a store to VRAM of another time");
	}
	close(fd);
}

/* What was evicted goes with the GPU, too, wherever it lay */
TEST_F(lifetime, evicted)
{
	uint64_t left = tess_sysfs_value("vram_free") / TESS_2M * TESS_2M;
	int other = tess_open();
	struct tess_ctx ctx;
	uint32_t handle;
	volatile uint32_t *p;

	tess_ctx_open(&ctx);
	handle = tess_bo_create(ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	p = tess_bo_mmap(ctx.fd, handle, TESS_2M);
	tess_vm_map(ctx.fd, ctx.vm, handle, 0, TESS_FREE_VA, TESS_2M);
	for (; left; left -= TESS_2M)
		tess_bo_create(other, TESS_2M, DRM_TESSERA_BO_VRAM);
	tess_fill(&ctx, TESS_FREE_VA, TESS_2M, 0x99);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	EXPECT_EQ(0x99u, p[5]);
	signal(SIGBUS, on_bus_error);
	unbind(_metadata, self->bdf);
	if (!sigsetjmp(bus_error, 1)) {
		p[0] = 2;
		EXPECT_FALSE(!"a store to memory of a GPU that is gone");
	}
	rebind(_metadata, self->bdf, self->vram, self->slices);
	EXPECT_EQ(-ENODEV, __tess_ctx_submit(&ctx));
	tess_ctx_close(&ctx);
	close(other);
	EXPECT_EQ(self->vram, tess_sysfs_wait("vram_free", self->vram, 5));
}

/* Works until the GPU is gone, which must show as nothing but that */
static void load(unsigned int slice, int ready)
{
	struct tess_ctx ctx;
	int rc, runs = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	tess_ctx_open_on(&ctx, tess_open(), slice);
	tess_bo_create(ctx.fd, TESS_2M, DRM_TESSERA_BO_VRAM);
	for (;;) {
		tess_begin(&ctx);
		tess_fill(&ctx, TESS_DATA_VA, TESS_DATA_BYTES, 1);
		tess_dispatch(&ctx, TESS_K_DELAY, 1, 1, TESS_DATA_VA, 1000);
		rc = __tess_ctx_submit(&ctx);
		if (!rc)
			rc = __tess_syncobj_wait(ctx.fd, ctx.done, 0, TESS_WAIT_MS);
		if (rc)
			break;
		if (!runs++ && write(ready, "r", 1) != 1)
			_exit(2);
	}
	_exit(rc == -ENODEV || rc == -EIO || rc == -ENXIO ? 0 : 1);
}

TEST_F_TIMEOUT(lifetime, under_load, 120)
{
	int i, round, status, ready[2];
	pid_t pids[4];
	char c;

	ASSERT_EQ(0, pipe(ready));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 4; i++) {
			pids[i] = fork();
			ASSERT_LE(0, pids[i]);
			if (!pids[i])
				load(i % 2, ready[1]);
		}
		for (i = 0; i < 4; i++)
			ASSERT_EQ(1, read(ready[0], &c, 1));
		unbind(_metadata, self->bdf);
		for (i = 0; i < 4; i++) {
			ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
			EXPECT_EQ(0, status);
		}
		rebind(_metadata, self->bdf, self->vram, self->slices);
	}
}

TEST_F(lifetime, under_an_endless_job)
{
	struct tess_ctx ctx;

	tess_ctx_open(&ctx);
	tess_dispatch(&ctx, TESS_K_LOOP, 8, 64, 0, 0);
	tess_ctx_submit(&ctx);
	tess_ctx_submit(&ctx);
	usleep(200000);
	unbind(_metadata, self->bdf);
	rebind(_metadata, self->bdf, self->vram, self->slices);
	tess_ctx_close(&ctx);
}

TEST_F(lifetime, dmabuf_survives)
{
	struct drm_prime_handle share = { .flags = DRM_CLOEXEC };
	int fd = tess_open();
	uint32_t *p;

	share.handle = tess_bo_create(fd, TESS_PAGE, 0);
	p = tess_bo_mmap(fd, share.handle, TESS_PAGE);
	p[0] = 77;
	ASSERT_EQ(0, tess_ioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &share));
	munmap(p, TESS_PAGE);
	close(fd);
	unbind(_metadata, self->bdf);
	p = mmap(NULL, TESS_PAGE, PROT_READ, MAP_SHARED, share.fd, 0);
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(77u, p[0]);
	rebind(_metadata, self->bdf, self->vram, self->slices);
	close(share.fd);
	EXPECT_EQ(77u, p[0]);
}

/* ---- memory that does not come ---- */

/**
 * struct stuck - an ioctl whose user memory does not come
 * @fd: render node
 * @request: ioctl
 * @arg: of it
 * @rc: what it returned
 * @over: it did
 */
struct stuck {
	int fd;
	unsigned long request;
	void *arg;
	int rc;
	volatile bool over;
};

static void *stuck_ioctl(void *arg)
{
	struct stuck *stuck = arg;

	stuck->rc = tess_ioctl(stuck->fd, stuck->request, stuck->arg);
	stuck->over = true;
	return NULL;
}

/* Pages that come when they are filled, and who fills them */
static void *slow_memory(struct __test_metadata *_metadata, size_t size, int *uffd)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *p;

	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, p);
	*uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (*uffd < 0)
		return NULL;
	ASSERT_EQ(0, ioctl(*uffd, UFFDIO_API, &api));
	reg.range.start = (uintptr_t)p;
	reg.range.len = size;
	ASSERT_EQ(0, ioctl(*uffd, UFFDIO_REGISTER, &reg));
	return p;
}

TEST_F(lifetime, ioctls_whose_memory_does_not_come)
{
	struct drm_tessera_cmd cmd = { .va = TESS_CMD_VA, .count = 1 };
	struct drm_tessera_vm_bind bind = {};
	struct drm_tessera_query query = { .type = DRM_TESSERA_QUERY_GPU, .size = 64 };
	struct drm_tessera_submit submit = { .cmds = TESS_ARRAY(&cmd, 1) };
	struct stuck stuck[] = {
		{ .request = DRM_IOCTL_TESSERA_VM_BIND, .arg = &bind },
		{ .request = DRM_IOCTL_TESSERA_QUERY, .arg = &query },
		{ .request = DRM_IOCTL_TESSERA_SUBMIT, .arg = &submit },
	};
	const unsigned int n = sizeof(stuck) / sizeof(stuck[0]);
	struct uffd_msg msg;
	struct tess_ctx ctx;
	pthread_t thread[3];
	unsigned int i;
	uint8_t *slow;
	int uffd;

	tess_ctx_open(&ctx);
	tess_nop(&ctx);
	slow = slow_memory(_metadata, n * TESS_PAGE, &uffd);
	if (!slow)
		SKIP(return, "this kernel has no userfaultfd");
	bind.vm = ctx.vm;
	submit.queue = ctx.queue;
	bind.ops = TESS_ARRAY((struct drm_tessera_vm_bind_op *)slow, 1);
	query.data = (uintptr_t)slow + TESS_PAGE;
	submit.in_syncs = TESS_ARRAY((struct drm_tessera_sync *)(slow + 2 * TESS_PAGE), 1);
	for (i = 0; i < n; i++) {
		stuck[i].fd = ctx.fd;
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, stuck_ioctl, &stuck[i]));
		/* It is there, and waits */
		ASSERT_EQ((ssize_t)sizeof(msg), read(uffd, &msg, sizeof(msg)));
		ASSERT_EQ(UFFD_EVENT_PAGEFAULT, msg.event);
	}

	unbind(_metadata, self->bdf);
	for (i = 0; i < n; i++) {
		struct uffdio_zeropage zero = { .range = { .len = TESS_PAGE } };

		EXPECT_FALSE(stuck[i].over);
		zero.range.start = (uintptr_t)slow + i * TESS_PAGE;
		EXPECT_EQ(0, ioctl(uffd, UFFDIO_ZEROPAGE, &zero));
		pthread_join(thread[i], NULL);
	}
	EXPECT_EQ(-ENODEV, stuck[0].rc);
	EXPECT_EQ(0, stuck[1].rc);
	EXPECT_NE(0, stuck[2].rc);
	close(uffd);
	tess_ctx_close(&ctx);
	rebind(_metadata, self->bdf, self->vram, self->slices);
}

/* ---- fences ---- */

/* Sync file of a syncobj */
static int export_sync(struct __test_metadata *_metadata, int fd, uint32_t handle)
{
	struct drm_syncobj_handle args = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
		.fd = -1,
	};

	ASSERT_EQ(0, tess_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args));
	return args.fd;
}

static int sync_status(struct __test_metadata *_metadata, int fd)
{
	struct sync_fence_info fence = {};
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };

	ASSERT_EQ(0, tess_ioctl(fd, SYNC_IOC_FILE_INFO, &info));
	EXPECT_EQ(1u, info.num_fences);
	/* Newer kernels do not ask a fence that is signalled. */
	EXPECT_LT(0u, strnlen(fence.driver_name, sizeof(fence.driver_name)));
	EXPECT_LT(0u, strnlen(fence.obj_name, sizeof(fence.obj_name)));
	if (!info.status) {
		EXPECT_EQ(0, strcmp("tessera", fence.driver_name));
		EXPECT_EQ(0, strcmp("queue", fence.obj_name));
	}
	return info.status;
}

/* Render node of a GPU that is not the first one, or -ENODEV */
static int open_other(void)
{
	const char *first = strrchr(tess_sysfs_dir(), '/') + 1;
	char pattern[] = "/sys/class/tessera/gpu*/device/drm/renderD*";
	glob_t found;
	int fd = -ENODEV;
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return -ENODEV;
	for (i = 0; i < found.gl_pathc && fd < 0; i++) {
		char *path = found.gl_pathv[i], node[64];

		if (!strncmp(path + 19, first, strlen(first)) && path[19 + strlen(first)] == '/')
			continue;
		snprintf(node, sizeof(node), "/dev/dri/%.40s", strrchr(path, '/') + 1);
		fd = open(node, O_RDWR | O_CLOEXEC);
	}
	globfree(&found);
	return fd;
}

/* A syncobj of one file in another */
static uint32_t share_syncobj(struct __test_metadata *_metadata, int from, uint32_t handle, int to)
{
	struct drm_syncobj_handle args = { .handle = handle, .fd = -1 };

	ASSERT_EQ(0, tess_ioctl(from, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args));
	args.handle = 0;
	ASSERT_EQ(0, tess_ioctl(to, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args));
	close(args.fd);
	return args.handle;
}

/*
 * The job waits for a fence of another GPU when its file is closed and its own GPU goes: of
 * that, nothing is left but what the job needs to end, when the fence is signalled.
 */
TEST_F(lifetime, job_that_waits_for_another_gpu)
{
	struct drm_tessera_sync in = {}, out = {};
	struct tess_ctx other, ctx;
	unsigned int i;
	int fd, slice, file;

	fd = open_other();
	if (fd < 0)
		SKIP(return, "there is one GPU");
	slice = tess_find_slice(fd, 0);
	ASSERT_LE(0, slice);
	tess_ctx_open_on(&other, fd, slice);
	tess_wait(&other, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_ctx_submit(&other);

	tess_ctx_open(&ctx);
	in.handle = share_syncobj(_metadata, fd, other.done, ctx.fd);
	out.handle = ctx.done;
	tess_nop(&ctx);
	for (i = 0; i < 8; i++)
		ASSERT_EQ(0, __tess_submit(&ctx, &in, 1, &out, 1));
	file = export_sync(_metadata, ctx.fd, ctx.done);
	tess_ctx_close(&ctx);
	unbind(_metadata, self->bdf);
	EXPECT_EQ(0, sync_status(_metadata, file));
	/* A use after free would be in memory that the new device has now */
	rebind(_metadata, self->bdf, self->vram, self->slices);
	EXPECT_EQ(0, sync_status(_metadata, file));

	*(volatile uint64_t *)other.data = 1;
	EXPECT_EQ(0, tess_ctx_wait(&other));
	for (i = 0; i < 100 * patience() && !sync_status(_metadata, file); i++)
		usleep(10000);
	EXPECT_EQ(-ESRCH, sync_status(_metadata, file));
	close(file);
	tess_ctx_close(&other);
	close(fd);
	unbind(_metadata, self->bdf);
	rebind(_metadata, self->bdf, self->vram, self->slices);
}

TEST_F(lifetime, fences_survive)
{
	struct drm_tessera_sync in, out;
	struct tess_ctx ctx, other;
	int files[3], fd;

	/* A job that is over, one that is killed before it starts, one that never ends */
	fd = tess_open();
	tess_ctx_open_on(&ctx, fd, 0);
	tess_ctx_open_on(&other, fd, 1);
	tess_nop(&ctx);
	ASSERT_EQ(0, tess_ctx_run(&ctx));
	files[0] = export_sync(_metadata, fd, ctx.done);
	tess_begin(&ctx);
	tess_dispatch(&ctx, TESS_K_LOOP, 1, 1, 0, 0);
	tess_ctx_submit(&ctx);
	files[1] = export_sync(_metadata, fd, ctx.done);
	in = (struct drm_tessera_sync){ .handle = ctx.done };
	out = (struct drm_tessera_sync){ .handle = other.done };
	tess_nop(&other);
	ASSERT_EQ(0, __tess_submit(&other, &in, 1, &out, 1));
	files[2] = export_sync(_metadata, fd, other.done);
	EXPECT_EQ(0, sync_status(_metadata, files[2]));

	/* In this order: the end of the second lets the third run, until its queue is gone. */
	tess_ctx_close(&other);
	tess_ctx_close(&ctx);
	close(fd);
	unbind(_metadata, self->bdf);
	rebind(_metadata, self->bdf, self->vram, self->slices);
	EXPECT_EQ(1, sync_status(_metadata, files[0]));
	EXPECT_NE(1, sync_status(_metadata, files[1]));
	EXPECT_NE(0, sync_status(_metadata, files[1]));
	EXPECT_EQ(-ESRCH, sync_status(_metadata, files[2]));
	/* They keep the module, too. */
	EXPECT_NE(0, system("rmmod tessera_drm 2>/dev/null"));
}

TEST_F(lifetime, many_opens_leak_nothing)
{
	struct tess_ctx ctx;
	int i;

	for (i = 0; i < 100; i++) {
		tess_ctx_open(&ctx);
		tess_bo_create(ctx.fd, TESS_PAGE, DRM_TESSERA_BO_VRAM);
		tess_nop(&ctx);
		tess_ctx_submit(&ctx);
		tess_ctx_close(&ctx);
	}
	EXPECT_EQ(self->vram, tess_sysfs_wait("vram_free", self->vram, 5));
	EXPECT_EQ(self->slices, tess_sysfs_wait("slices_free", self->slices, 5));
}

TEST_F(lifetime, module_stays_while_it_is_used)
{
	int fd = tess_open();

	EXPECT_NE(0, system("rmmod tessera_drm 2>/dev/null"));
	EXPECT_EQ(0, access("/sys/module/tessera_drm", F_OK));
	/* That would take the GPU away */
	EXPECT_NE(0, system("rmmod ${TESSERA_DRIVER:-tessera_pci} 2>/dev/null"));
	EXPECT_EQ(self->slices, tess_sysfs_wait("slices_free", self->slices, 5));
	close(fd);
}

TEST_HARNESS_MAIN
