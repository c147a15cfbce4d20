// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pictures of heads that jobs of the host read: what is read, what is refused, and vGPUs and GPUs
 * that go meanwhile. What a vGPU had is never seen of another one through it, and free again.
 */
#include <fcntl.h>
#include <linux/vfio.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpus.h"
#include "harness.h"
#include "heads.h"
#include "readers.h"
#include "tess_ctx.h"
#include "vgpu.h"
#include "views.h"

#define WIDTH 640
#define HEIGHT 480
#define PITCH (WIDTH * 4)
#define SIZE (PITCH * HEIGHT)
#define SECOND (2ULL << 20)

#define FREE_MS 20000

_Static_assert(sizeof(struct tessera_view_export) == 48, "layout of struct tessera_view_export");
_Static_assert(offsetof(struct tessera_view_export, serial) == 16, "the same");
_Static_assert(offsetof(struct tessera_view_export, size) == 40, "the same");

static const struct head_plane picture = { XRGB8888, WIDTH, HEIGHT, PITCH, 0 };
static const struct head_plane second = { XRGB8888, WIDTH, HEIGHT, PITCH, SECOND };

FIXTURE(export)
{
	struct vgpu v;
	char uuid[37];
	uint8_t *vram;
	int fd;
	unsigned int gpu;
	long long free;
	struct reader r;
};

/* It has its memory no more, once those who read it have left it */
static bool is_free(unsigned int gpu, long long bytes)
{
	long end = now_ms() + FREE_MS * patience();

	while (gpu_value(gpu, "vram_free") != bytes) {
		if (now_ms() > end)
			return false;
		usleep(10000);
	}
	return true;
}

static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_export *self)
{
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, SECOND + SIZE);
	ASSERT_NE(MAP_FAILED, self->vram);
}

FIXTURE_SETUP(export)
{
	mdev_remove_all();
	self->gpu = home_gpu();
	self->free = gpu_value(self->gpu, "vram_free");
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render heads=2"));
	open_vgpu(_metadata, self);
	self->fd = view_open(self->uuid);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(reader_open(&self->r, self->gpu, SIZE));
	pattern_fill(self->vram, SIZE, 1);
	pattern_fill(self->vram + SECOND, SIZE, 2);
}

FIXTURE_TEARDOWN(export)
{
	reader_close(&self->r);
	close(self->fd);
	vgpu_close(&self->v);
	mdev_remove_all();
	EXPECT_TRUE(is_free(self->gpu, self->free));
}

static int take_export(int fd, unsigned int n, uint32_t flags, struct tessera_view_export *e)
{
	memset(e, 0xff, sizeof(*e));
	e->head = n;
	e->flags = flags;
	e->pad = 0;
	return ioctl(fd, TESSERA_VIEW_EXPORT, e) ? -errno : 0;
}

/* What head @n shows is bound; only the reader has it */
static int read_head(struct __fixture_export *self, struct reader *r, unsigned int n)
{
	struct tessera_view_export e;
	int rc = take_export(self->fd, n, TESSERA_VIEW_EXPORT_FD, &e);

	if (rc)
		return rc;
	rc = dmabuf_import(r->ctx.fd, e.fd, &r->handle);
	close(e.fd);
	return rc ? rc : reader_bind(r, DRM_TESSERA_BIND_READONLY | DRM_TESSERA_BIND_NOEXEC);
}

/* ---- what is read ---- */

TEST_F(export, jobs_read_the_picture)
{
	struct tessera_view_export e, there;
	struct tessera_view_look l;
	uint32_t handle;

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e));
	EXPECT_EQ(VIEW_SHOWN, view_look(self->fd, 0, &l));
	EXPECT_LE(0, e.fd);
	EXPECT_EQ(FD_CLOEXEC, fcntl(e.fd, F_GETFD));
	EXPECT_EQ(l.serial, e.serial);
	EXPECT_EQ(0, e.address);
	EXPECT_EQ(l.size, e.size);
	EXPECT_EQ((off_t)e.size, lseek(e.fd, 0, SEEK_END));
	ASSERT_EQ(0, dmabuf_import(self->r.ctx.fd, e.fd, &self->r.handle));
	EXPECT_EQ(0, dmabuf_import(self->r.ctx.fd, e.fd, &handle));
	EXPECT_EQ(self->r.handle, handle);
	close(e.fd);
	ASSERT_EQ(0, reader_bind(&self->r, DRM_TESSERA_BIND_READONLY));
	ASSERT_EQ(0, reader_copy(&self->r));
	EXPECT_EQ(-1, pattern_check(self->r.copy, SIZE, 1));
	/* It is the memory itself, whatever is shown */
	pattern_fill(self->vram, SIZE, 3);
	ASSERT_EQ(0, head_show(&self->v, 0, &second, NULL));
	ASSERT_EQ(0, reader_copy(&self->r));
	EXPECT_EQ(-1, pattern_check(self->r.copy, SIZE, 3));
	/* Where it is now is told without a file */
	ASSERT_EQ(0, take_export(self->fd, 0, 0, &there));
	EXPECT_EQ(-1, there.fd);
	EXPECT_EQ(e.memory, there.memory);
	EXPECT_EQ(SECOND, there.address);
	EXPECT_EQ(e.serial + 1, there.serial);
	ASSERT_EQ(0, __tess_vm_unmap(self->r.ctx.fd, self->r.ctx.vm, PICTURE_VA, SIZE));
	ASSERT_EQ(0, read_head(self, &self->r, 0));
	ASSERT_EQ(0, reader_copy(&self->r));
	EXPECT_EQ(-1, pattern_check(self->r.copy, SIZE, 2));
	/* A guest that resets leaves nothing to read */
	ASSERT_EQ(0, ioctl(self->v.device, VFIO_DEVICE_RESET));
	EXPECT_EQ(-ENXIO, take_export(self->fd, 0, 0, &there));
	ASSERT_EQ(0, reader_copy(&self->r));
	EXPECT_EQ(-1, zero_check(self->r.copy, SIZE));
}

/* Where one vslice's memory ends and the next one's begins, and is revoked as a whole */
TEST_F(export, across_banks)
{
	const struct head_plane across = { XRGB8888, WIDTH, HEIGHT, PITCH, 1 << 20 };

	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	ASSERT_EQ(0,
		  mdev_attr_write(self->uuid, "blueprint", "slices=2 kind=any heads=2 memory=2M"));
	open_vgpu(_metadata, self);
	pattern_fill(self->vram + across.address, SIZE, 5);
	ASSERT_EQ(0, head_show(&self->v, 0, &across, NULL));
	ASSERT_EQ(0, read_head(self, &self->r, 0));
	ASSERT_EQ(0, reader_copy(&self->r));
	EXPECT_EQ(-1, pattern_check(self->r.copy, SIZE, 5));
	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	EXPECT_TRUE(is_free(self->gpu, self->free));
}

/* Each job reads one picture or the other, but for lines that are drawn meanwhile */
TEST_F(export, flips_while_a_job_reads)
{
	unsigned int i;

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, read_head(self, &self->r, 0));
	for (i = 0; i < 50; i++) {
		tess_begin(&self->r.ctx);
		tess_copy(&self->r.ctx, COPY_VA, PICTURE_VA, SIZE);
		tess_ctx_submit(&self->r.ctx);
		ASSERT_EQ(0, head_show(&self->v, 0, i % 2 ? &picture : &second, NULL));
		ASSERT_EQ(0, tess_ctx_wait(&self->r.ctx));
		ASSERT_EQ(-1, pattern_check(self->r.copy, SIZE, 1));
	}
}

/* ---- what is refused ---- */

TEST_F(export, wrong_arguments)
{
	struct tessera_view_export e, *out;
	int next, fd;

	EXPECT_EQ(-ENXIO, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e));
	EXPECT_EQ(-ENXIO, take_export(self->fd, 3, TESSERA_VIEW_EXPORT_FD, &e));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	EXPECT_EQ(-EINVAL, take_export(self->fd, TESSERA_VIEW_HEADS, 0, &e));
	EXPECT_EQ(-EINVAL, take_export(self->fd, ~0U, 0, &e));
	EXPECT_EQ(-EINVAL, take_export(self->fd, 0, 2, &e));
	e = (struct tessera_view_export){ .pad = 1 };
	EXPECT_ERRNO(EINVAL, ioctl(self->fd, TESSERA_VIEW_EXPORT, &e));
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, TESSERA_VIEW_EXPORT, NULL));
	/* The result cannot be told: no file is left behind */
	out = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)out);
	*out = (struct tessera_view_export){ .flags = TESSERA_VIEW_EXPORT_FD };
	ASSERT_EQ(0, mprotect(out, PAGE, PROT_READ));
	next = dup(self->fd);
	close(next);
	EXPECT_ERRNO(EFAULT, ioctl(self->fd, TESSERA_VIEW_EXPORT, out));
	fd = dup(self->fd);
	EXPECT_EQ(next, fd);
	close(fd);
	munmap(out, PAGE);
}

/* Nothing writes to it, and the CPU does not map it */
TEST_F(export, only_to_be_read)
{
	struct drm_tessera_bo_mmap_offset offset = {};
	struct drm_prime_handle again = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct reader *r = &self->r;
	struct tessera_view_export e;
	struct stat st[2];

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e));
	ASSERT_EQ(0, dmabuf_import(r->ctx.fd, e.fd, &r->handle));
	EXPECT_EQ(-EACCES, reader_bind(r, 0));
	EXPECT_EQ(-EACCES, reader_bind(r, DRM_TESSERA_BIND_NOEXEC));
	EXPECT_EQ(-EINVAL, __tess_vm_map(r->ctx.fd, r->ctx.vm, r->handle, 0, PICTURE_VA,
					 SIZE + PAGE, DRM_TESSERA_BIND_READONLY));
	ASSERT_EQ(0, reader_bind(r, DRM_TESSERA_BIND_READONLY));
	tess_begin(&r->ctx);
	tess_fill(&r->ctx, PICTURE_VA, 64, 0);
	EXPECT_EQ(-EFAULT, tess_ctx_run(&r->ctx));
	tess_ctx_new_queue(&r->ctx);
	tess_begin(&r->ctx);
	tess_dispatch(&r->ctx, TESS_K_STORE, 1, 1, PICTURE_VA, 0);
	EXPECT_EQ(-EFAULT, tess_ctx_run(&r->ctx));
	tess_ctx_new_queue(&r->ctx);
	EXPECT_EQ(-1, pattern_check(self->vram, SIZE, 1));
	offset.handle = r->handle;
	EXPECT_EQ(-EINVAL, tess_ioctl(r->ctx.fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &offset));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, e.fd, 0));
	/* What is made of it for others is the same file */
	again.handle = r->handle;
	ASSERT_EQ(0, tess_ioctl(r->ctx.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &again));
	ASSERT_EQ(0, fstat(e.fd, &st[0]) | fstat(again.fd, &st[1]));
	EXPECT_EQ(st[0].st_ino, st[1].st_ino);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, again.fd, 0));
	close(again.fd);
	close(e.fd);
}

TEST_F(export, foreign_drivers_and_gpus)
{
	struct tessera_view_export e;
	uint32_t handle;
	int fd;

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e));
	if (gpu_value(1, "slices_total") >= 0) {
		fd = node_open(!self->gpu);
		ASSERT_LE(0, fd);
		EXPECT_EQ(-EXDEV, dmabuf_import(fd, e.fd, &handle));
		close(fd);
	}
	fd = system("modprobe vgem 2>/dev/null") ? -1 : __tess_open_card("vgem");
	if (fd >= 0)
		EXPECT_EQ(-EOPNOTSUPP, dmabuf_import(fd, e.fd, &handle));
	else
		TH_LOG("no other driver");
	close(fd);
	close(e.fd);
}

/* ---- the vGPU goes ---- */

/* Jobs that wait until a word is 1, and read then */
static void read_later(struct reader *r)
{
	memset(r->copy, 0xee, SIZE);
	*(volatile uint64_t *)r->ctx.data = 0;
	tess_begin(&r->ctx);
	tess_wait(&r->ctx, TESS_DATA_VA, DRM_TESSERA_WAIT_EQ, 1);
	tess_copy(&r->ctx, COPY_VA, PICTURE_VA, SIZE);
	tess_ctx_submit(&r->ctx);
}

static int read_now(struct reader *r)
{
	*(volatile uint64_t *)r->ctx.data = 1;
	return tess_ctx_wait(&r->ctx);
}

/* Whatever the reader does is refused, and all works again without it */
static void expect_stale(struct __test_metadata *_metadata, struct reader *r)
{
	long end = now_ms() + FREE_MS * patience();
	int rc;

	do {
		rc = reader_copy(r);
	} while (!rc && now_ms() < end);
	EXPECT_EQ(-ESTALE, rc);
	EXPECT_EQ(-ESTALE, __tess_vm_map(r->ctx.fd, r->ctx.vm, r->handle, 0, PICTURE_VA + SIZE,
					 SIZE, DRM_TESSERA_BIND_READONLY));
	EXPECT_EQ(-ESTALE, reader_copy(r));
	ASSERT_EQ(0, __tess_vm_unmap(r->ctx.fd, r->ctx.vm, PICTURE_VA, SIZE));
	EXPECT_EQ(-EFAULT, reader_copy(r));
	tess_ctx_new_queue(&r->ctx);
	tess_begin(&r->ctx);
	tess_copy(&r->ctx, COPY_VA, TESS_DATA_VA, 64);
	EXPECT_EQ(0, tess_ctx_run(&r->ctx));
}

/*
 * Its memory is free although a job means to read it, a file is open, and a process has it bound;
 * the next vGPU that has it is never seen
 */
TEST_F(export, destroyed)
{
	struct tessera_view_export e;
	struct vgpu next;
	unsigned int i;
	uint8_t *vram;
	char uuid[37];

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, read_head(self, &self->r, 0));
	ASSERT_EQ(0, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e));
	read_later(&self->r);
	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_remove(self->uuid));
	EXPECT_TRUE(is_free(self->gpu, self->free));
	EXPECT_EQ(-ESTALE, dmabuf_import(self->r.ctx.fd, e.fd, &(uint32_t){ 0 }));
	close(e.fd);
	ASSERT_EQ(0, mdev_create("blank", uuid));
	ASSERT_EQ(0, mdev_attr_write(uuid, "blueprint", "slices=1 kind=render heads=2"));
	ASSERT_EQ(0, vgpu_open(&next, uuid));
	vram = vgpu_mmap(&next, TESS_BAR_VRAM, 0, SECOND + SIZE);
	ASSERT_NE(MAP_FAILED, (void *)vram);
	EXPECT_EQ(-1, zero_check(vram, SECOND + SIZE));
	memset(vram, 0x5a, SECOND + SIZE);
	EXPECT_EQ(-EFAULT, read_now(&self->r));
	for (i = 0; i < SIZE; i++)
		ASSERT_EQ(0xee, self->r.copy[i]);
	tess_ctx_new_queue(&self->r.ctx);
	expect_stale(_metadata, &self->r);
	vgpu_close(&next);
	ASSERT_EQ(0, mdev_remove(uuid));
}

/* What was composed anew while no VMM has it is another memory */
TEST_F(export, composed_anew)
{
	struct tessera_view_export e, there;

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, take_export(self->fd, 0, 0, &e));
	ASSERT_EQ(0, read_head(self, &self->r, 0));
	/* Not as long as its memory is the same */
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=3"));
	ASSERT_EQ(0, take_export(self->fd, 0, 0, &there));
	EXPECT_EQ(e.memory, there.memory);
	vgpu_close(&self->v);
	ASSERT_EQ(0, reader_copy(&self->r));
	EXPECT_EQ(-1, zero_check(self->r.copy, SIZE));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render heads=2"));
	open_vgpu(_metadata, self);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, take_export(self->fd, 0, 0, &there));
	EXPECT_NE(e.memory, there.memory);
	expect_stale(_metadata, &self->r);
}

/* A vGPU that has what is free, but for @room: 0, negative errno */
static int take_rest(unsigned int gpu, long long room)
{
	char blueprint[96], uuid[37];
	int ret = mdev_create("blank", uuid);

	snprintf(blueprint, sizeof(blueprint), "slices=1 kind=render memory=%lldM",
		 ((gpu_value(gpu, "vram_free") - room) >> 21) * 2);
	if (!ret)
		ret = mdev_attr_write(uuid, "blueprint", blueprint);
	if (ret)
		printf("# %s: %s\n", blueprint, mdev_attr(uuid, "last_error"));
	return ret;
}

/* Who asks for it at once gets it: what is read is left first */
TEST_F(export, the_next_vgpu_needs_it)
{
	const char *big = "slices=1 kind=render heads=2 memory=32M";
	char uuid[37];
	unsigned int i;

	if (gpu_value(1, "slices_total") >= 0)
		SKIP(return, "another GPU has room");
	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", big));
	/* No room is left for another one */
	ASSERT_EQ(0, take_rest(self->gpu, 24 << 20));
	for (i = 0; i < 3; i++) {
		open_vgpu(_metadata, self);
		ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
		ASSERT_EQ(0, read_head(self, &self->r, 0));
		read_later(&self->r);
		vgpu_close(&self->v);
		close(self->fd);
		ASSERT_EQ(0, mdev_create("blank", uuid));
		ASSERT_EQ(0, mdev_remove(self->uuid));
		ASSERT_EQ(0, mdev_attr_write(uuid, "blueprint", big));
		EXPECT_EQ(-EFAULT, read_now(&self->r));
		tess_ctx_new_queue(&self->r.ctx);
		ASSERT_EQ(0, __tess_vm_unmap(self->r.ctx.fd, self->r.ctx.vm, PICTURE_VA, SIZE));
		__tess_bo_close(self->r.ctx.fd, self->r.handle);
		memcpy(self->uuid, uuid, sizeof(uuid));
		self->fd = view_open(self->uuid);
		ASSERT_LE(0, self->fd);
	}
}

/* Nothing is kept by those who forget it, in whatever order it goes */
TEST_F(export, closed_in_any_order)
{
	struct tessera_view_export e[2];
	struct reader other;
	unsigned int i;

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, head_show(&self->v, 1, &second, NULL));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, take_export(self->fd, i % 2, TESSERA_VIEW_EXPORT_FD, &e[0]));
		ASSERT_EQ(0, dmabuf_import(self->r.ctx.fd, e[0].fd, &self->r.handle));
		close(e[0].fd);
		ASSERT_EQ(0, reader_bind(&self->r, DRM_TESSERA_BIND_READONLY));
		ASSERT_EQ(0, __tess_bo_close(self->r.ctx.fd, self->r.handle));
	}
	ASSERT_EQ(0, reader_copy(&self->r));
	EXPECT_EQ(-1, pattern_check(self->r.copy, SIZE, 2));
	ASSERT_TRUE(reader_open(&other, self->gpu, SIZE));
	ASSERT_EQ(0, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e[0]));
	ASSERT_EQ(0, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e[1]));
	ASSERT_EQ(0, dmabuf_import(other.ctx.fd, e[1].fd, &other.handle));
	ASSERT_EQ(0, reader_bind(&other, DRM_TESSERA_BIND_READONLY));
	close(self->fd);
	reader_close(&other);
	ASSERT_EQ(0, dmabuf_import(self->r.ctx.fd, e[1].fd, &self->r.handle));
	close(e[1].fd);
	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_remove(self->uuid));
	EXPECT_TRUE(is_free(self->gpu, self->free));
	close(e[0].fd);
	self->fd = -1;
}

/* ---- GPUs ---- */

TEST_F(export, moved_to_another_gpu)
{
	struct tessera_view_export e, there;
	struct reader other;

	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_EQ(0, take_export(self->fd, 0, 0, &e));
	ASSERT_EQ(0, read_head(self, &self->r, 0));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(!self->gpu)));
	ASSERT_EQ(0, take_export(self->fd, 0, 0, &there));
	EXPECT_NE(e.memory, there.memory);
	EXPECT_EQ(e.serial, there.serial);
	expect_stale(_metadata, &self->r);
	EXPECT_TRUE(is_free(self->gpu, self->free));
	EXPECT_EQ(-EXDEV, read_head(self, &self->r, 0));
	ASSERT_TRUE(reader_open(&other, !self->gpu, SIZE));
	ASSERT_EQ(0, read_head(self, &other, 0));
	ASSERT_EQ(0, reader_copy(&other));
	EXPECT_EQ(-1, pattern_check(other.copy, SIZE, 1));
	reader_close(&other);
}

static void gpu_goes(struct __test_metadata *_metadata, struct __fixture_export *self, bool pulled)
{
	unsigned int away = !self->gpu;
	struct tessera_view_export e;
	struct reader r;
	long long free;
	char pci[32];

	ASSERT_EQ(0, gpu_text(away, "name", pci, sizeof(pci)));
	free = gpu_value(away, "vram_free");
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(away)));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	ASSERT_TRUE(reader_open(&r, away, SIZE));
	ASSERT_EQ(0, read_head(self, &r, 0));
	ASSERT_EQ(0, take_export(self->fd, 0, TESSERA_VIEW_EXPORT_FD, &e));
	read_later(&r);
	if (pulled)
		ASSERT_EQ(0, gpu_answers(pci, false));
	else
		vgpu_close(&self->v);
	ASSERT_EQ(0, gpu_unbind(pci));
	EXPECT_NE(0, read_now(&r));
	EXPECT_EQ(-ENODEV, reader_copy(&r));
	EXPECT_EQ(-ENODEV, dmabuf_import(r.ctx.fd, e.fd, &(uint32_t){ 0 }));
	if (pulled)
		EXPECT_EQ(-ENXIO, take_export(self->fd, 0, 0, &(struct tessera_view_export){ 0 }));
	ASSERT_EQ(0, gpu_answers(pci, true));
	ASSERT_EQ(0, gpu_bind(pci));
	/* It is another GPU now */
	EXPECT_NE(0, dmabuf_import(self->r.ctx.fd, e.fd, &(uint32_t){ 0 }));
	EXPECT_EQ(-ENODEV, reader_copy(&r));
	reader_close(&r);
	close(e.fd);
	if (pulled)
		vgpu_close(&self->v);
	mdev_remove_all();
	EXPECT_TRUE(is_free(away, free));
}

TEST_F(export, gpu_pulled)
{
	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	gpu_goes(_metadata, self, true);
}

TEST_F(export, gpu_unbound)
{
	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	gpu_goes(_metadata, self, false);
}

TEST_HARNESS_MAIN
