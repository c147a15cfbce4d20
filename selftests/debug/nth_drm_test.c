// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The ioctls of the DRM node with every allocation of them failing in turn. VRAM is left out:
 * when gpu_buddy_alloc_blocks() of 6.12 finds no memory to split a block, it frees a block
 * that stays in its tree.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "harness.h"
#include "nth.h"
#include "tess_ctx.h"

#define BO_SIZE (16 * TESS_PAGE)
#define VA TESS_FREE_VA

/**
 * struct drm - a client
 * @ctx: what it works with
 * @path: of the node
 * @vram_free: when nothing else is there
 * @fd: of an open, or an export
 * @handle: of a BO
 * @id: of a VM or queue
 */
struct drm {
	struct tess_ctx ctx;
	char path[64];
	uint64_t vram_free;
	int fd;
	uint32_t handle;
	uint32_t id;
};

FIXTURE(drm)
{
	struct drm d;
};

FIXTURE_SETUP(drm)
{
	char link[64];

	ASSERT_EQ(0, nth_setup());
	tess_ctx_open(&self->d.ctx);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", self->d.ctx.fd);
	ASSERT_LT(0, readlink(link, self->d.path, sizeof(self->d.path) - 1));
	tess_nop(&self->d.ctx);
	ASSERT_EQ(0, tess_ctx_run(&self->d.ctx));
	self->d.vram_free = tess_vram_free(self->d.ctx.fd);
}

FIXTURE_TEARDOWN(drm)
{
	/* Whatever happened, it works */
	EXPECT_EQ(0, tess_ctx_run(&self->d.ctx));
	tess_ctx_close(&self->d.ctx);
}

static int drm_books(void *data)
{
	struct drm *d = data;

	return tess_vram_free(d->ctx.fd) != d->vram_free;
}

/* ---- the file, and memory ---- */

static int node_open(void *data)
{
	struct drm *d = data;

	d->fd = open(d->path, O_RDWR | O_CLOEXEC);
	return d->fd < 0 ? -errno : 0;
}

static int close_fd(void *data)
{
	struct drm *d = data;

	return close(d->fd);
}

static int query(void *data)
{
	struct drm_tessera_query_slice slices[64];
	struct drm *d = data;
	int rc = __tess_query(d->ctx.fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));

	return rc < 0 ? rc : 0;
}

static int system_create(void *data)
{
	struct drm *d = data;

	return __tess_bo_create(d->ctx.fd, BO_SIZE, 0, &d->handle);
}

static int bo_close(void *data)
{
	struct drm *d = data;

	return __tess_bo_close(d->ctx.fd, d->handle);
}

static int bo_touch(void *data)
{
	struct drm_tessera_bo_mmap_offset args = {};
	struct drm *d = data;
	uint32_t *p;
	int rc;

	args.handle = d->handle;
	rc = tess_ioctl(d->ctx.fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args);
	if (rc)
		return rc;
	p = mmap(NULL, BO_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, d->ctx.fd, (off_t)args.offset);
	if (p == MAP_FAILED)
		return -errno;
	p[0] = p[BO_SIZE / 8] = 1;
	munmap(p, BO_SIZE);
	return 0;
}

static int bo_export(void *data)
{
	struct drm *d = data;
	struct drm_prime_handle args = { .handle = d->handle, .flags = DRM_RDWR | DRM_CLOEXEC };
	int rc = tess_ioctl(d->ctx.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	d->fd = args.fd;
	return rc;
}

static int unexport(void *data)
{
	return close_fd(data) ?: bo_close(data);
}

TEST_F_TIMEOUT(drm, node, 600)
{
	static const struct nth_op ops[] = {
		{ "open", NULL, node_open, close_fd, 0 },
		/* shmem says so of an inode */
		{ "create memory", NULL, system_create, bo_close, -ENOSPC },
		{ "map memory", system_create, bo_touch, bo_close, 0 },
		{ "export", system_create, bo_export, unexport, 0 },
	};
	static const struct nth_op query_op = { "query", NULL, query, NULL, 0 };
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		EXPECT_LT(0, nth_try(&ops[i], &self->d, drm_books));
	EXPECT_LE(0, nth_try(&query_op, &self->d, drm_books));
}

/* ---- VMs ---- */

static int vm_create(void *data)
{
	struct drm *d = data;

	return __tess_vm_create(d->ctx.fd, &d->id);
}

static int vm_destroy(void *data)
{
	struct drm *d = data;

	return __tess_vm_destroy(d->ctx.fd, d->id);
}

static int vm_map(void *data)
{
	struct drm *d = data;

	return __tess_vm_map(d->ctx.fd, d->ctx.vm, d->handle, 0, VA, BO_SIZE, 0);
}

static int vm_unmap(void *data)
{
	struct drm *d = data;

	return __tess_vm_unmap(d->ctx.fd, d->ctx.vm, VA, BO_SIZE);
}

/* The BO goes with its last mapping */
static int prepare_mapped(void *data)
{
	return system_create(data) ?: vm_map(data) ?: bo_close(data);
}

static int unmap_and_close(void *data)
{
	return vm_unmap(data) ?: bo_close(data);
}

/* Out of the middle: what is left and right of it stays */
static int vm_punch(void *data)
{
	struct drm *d = data;

	return __tess_vm_unmap(d->ctx.fd, d->ctx.vm, VA + TESS_PAGE, TESS_PAGE);
}

static int check_punched(void *data)
{
	struct drm *d = data;
	int rc;

	tess_begin(&d->ctx);
	tess_fill(&d->ctx, VA, TESS_PAGE, 1);
	tess_fill(&d->ctx, VA + 2 * TESS_PAGE, BO_SIZE - 2 * TESS_PAGE, 2);
	rc = tess_ctx_run(&d->ctx);
	tess_begin(&d->ctx);
	tess_nop(&d->ctx);
	return rc ?: vm_unmap(data);
}

TEST_F_TIMEOUT(drm, vm, 600)
{
	static const struct nth_op ops[] = {
		{ "create a VM", NULL, vm_create, vm_destroy, 0 },
		{ "map", system_create, vm_map, unmap_and_close, 0 },
		{ "unmap a part", prepare_mapped, vm_punch, check_punched, 0 },
	};
	static const struct nth_op ends[] = {
		{ "destroy a VM", vm_create, vm_destroy, NULL, 0 },
		{ "unmap", prepare_mapped, vm_unmap, NULL, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		EXPECT_LT(0, nth_try(&ops[i], &self->d, drm_books));
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		EXPECT_LE(0, nth_try(&ends[i], &self->d, drm_books));
}

/* ---- queues ---- */

static int queue_create(void *data)
{
	struct drm *d = data;

	return __tess_queue_create(d->ctx.fd, d->ctx.vm, d->ctx.slice, 0, &d->id);
}

static int queue_destroy(void *data)
{
	struct drm *d = data;

	return __tess_queue_destroy(d->ctx.fd, d->id);
}

static int submit(void *data)
{
	struct drm *d = data;

	return __tess_ctx_submit(&d->ctx);
}

static int submit_done(void *data)
{
	struct drm *d = data;

	return tess_ctx_wait(&d->ctx);
}

/* A job that waits for the last one, on a timeline, and a point of it */
static int submit_points(void *data)
{
	struct drm *d = data;
	struct drm_tessera_sync in = { .handle = d->ctx.done, .point = 1 };
	struct drm_tessera_sync out = { .handle = d->ctx.done, .point = 2 };

	return __tess_submit(&d->ctx, &in, 1, &out, 1);
}

static int prepare_points(void *data)
{
	struct drm *d = data;
	struct drm_tessera_sync out = { .handle = 0, .point = 1 };

	tess_syncobj_destroy(d->ctx.fd, d->ctx.done);
	d->ctx.done = tess_syncobj_create(d->ctx.fd);
	out.handle = d->ctx.done;
	return __tess_submit(&d->ctx, NULL, 0, &out, 1);
}

static int points_done(void *data)
{
	struct drm *d = data;

	return __tess_syncobj_wait(d->ctx.fd, d->ctx.done, 2, TESS_WAIT_MS);
}

TEST_F_TIMEOUT(drm, queue, 600)
{
	static const struct nth_op ops[] = {
		{ "create a queue", NULL, queue_create, queue_destroy, 0 },
		{ "submit", NULL, submit, submit_done, 0 },
		{ "submit behind a point", prepare_points, submit_points, points_done, 0 },
	};
	static const struct nth_op destroy = { "destroy a queue", queue_create, queue_destroy, NULL,
					       0 };
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		EXPECT_LT(0, nth_try(&ops[i], &self->d, drm_books));
	EXPECT_LE(0, nth_try(&destroy, &self->d, drm_books));
}

TEST_HARNESS_MAIN
