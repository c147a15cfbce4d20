// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Planes of head 0 as dma-bufs: when a VMM is offered them, which number and file it gets for a
 * picture and a cursor, what CPUs and jobs do with these, and what is left of them when the vGPU
 * moves or the VMM is gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpus.h"
#include "harness.h"
#include "heads.h"
#include "readers.h"
#include "vgpu.h"

#define WIDTH 640
#define HEIGHT 480
#define PITCH (WIDTH * 4)
#define SIZE (PITCH * HEIGHT)
#define SECOND (2ULL << 20)
#define IMAGE (4ULL << 20)
#define IMAGE_BYTES (64 * 64 * 4)
#define VRAM_BYTES (6ULL << 20)

#define PROBE VFIO_GFX_PLANE_TYPE_PROBE
#define DMABUF VFIO_GFX_PLANE_TYPE_DMABUF
#define REGION VFIO_GFX_PLANE_TYPE_REGION

/* As linux/uapi/drm has them in enum drm_plane_type of the kernel */
#define OVERLAY 0
#define PRIMARY 1
#define CURSOR 2

/* Numbers that are known, and files that a VMM can have */
#define NUMBERS 8
#define FILES 64

static const struct head_plane picture = { XRGB8888, WIDTH, HEIGHT, PITCH, 0 };
static const struct head_plane second = { XRGB8888, WIDTH, HEIGHT, PITCH, SECOND };

FIXTURE(planes)
{
	struct vgpu v;
	char uuid[37];
	uint8_t *vram;
	unsigned int gpu;
};

static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_planes *self)
{
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
	self->vram = vgpu_mmap(&self->v, TESS_BAR_VRAM, 0, VRAM_BYTES);
	ASSERT_NE(MAP_FAILED, self->vram);
	pattern_fill(self->vram, SIZE, 1);
	pattern_fill(self->vram + SECOND, SIZE, 2);
	pattern_fill(self->vram + IMAGE, IMAGE_BYTES, 3);
}

FIXTURE_SETUP(planes)
{
	mdev_remove_all();
	self->gpu = home_gpu();
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "plane", "dmabuf"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render heads=2"));
	open_vgpu(_metadata, self);
}

FIXTURE_TEARDOWN(planes)
{
	vgpu_close(&self->v);
	mdev_remove_all();
}

static int get(struct vgpu *v, uint32_t id)
{
	int fd = ioctl(v->device, VFIO_DEVICE_GET_GFX_DMABUF, &id);

	return fd < 0 ? -errno : fd;
}

/* The number of a plane; 0: it shows nothing, or there is none */
static uint32_t number(struct vgpu *v, uint32_t type)
{
	struct vfio_device_gfx_plane_info info;

	return head_query(v, DMABUF, type, &info) ? 0 : info.dmabuf_id;
}

/* Its file, or negative errno */
static int take(struct vgpu *v, uint32_t type)
{
	return get(v, number(v, type));
}

static const uint8_t *map(int fd, size_t size)
{
	return mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
}

/* ---- who is offered them ---- */

TEST_F(planes, offered_by_the_attribute)
{
	struct vfio_device_gfx_plane_info info;
	struct vgpu *v = &self->v;

	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "features"), " dmabuf"));
	EXPECT_STREQ("dmabuf", mdev_attr(self->uuid, "plane"));
	EXPECT_EQ(0, head_query(v, PROBE | DMABUF, 0, &info));
	EXPECT_EQ(0, head_query(v, PROBE | REGION, 0, &info));
	EXPECT_ERRNO(EINVAL, head_query(v, PROBE, 0, &info));
	EXPECT_ERRNO(EINVAL, head_query(v, PROBE | DMABUF | REGION, 0, &info));
	EXPECT_ERRNO(EINVAL, head_query(v, DMABUF | REGION, 0, &info));
	EXPECT_ERRNO(EINVAL, head_query(v, DMABUF | 0x100, 0, &info));
	/* Not while a VMM has it, but for what is so already */
	EXPECT_EQ(-EBUSY, mdev_attr_write(self->uuid, "plane", "region"));
	EXPECT_EQ(0, mdev_attr_write(self->uuid, "plane", "dmabuf"));
	EXPECT_EQ(-EINVAL, mdev_attr_write(self->uuid, "plane", "texture"));
	vgpu_close(v);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "plane", "region"));
	open_vgpu(_metadata, self);
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR);
	EXPECT_ERRNO(EINVAL, head_query(v, PROBE | DMABUF, 0, &info));
	ASSERT_EQ(0, head_show(v, 0, &picture, NULL));
	EXPECT_ERRNO(EINVAL, head_query(v, DMABUF, PRIMARY, &info));
	EXPECT_EQ(-ENOTTY, get(v, 1));
	EXPECT_EQ(0, head_query(v, REGION, PRIMARY, &info));
	EXPECT_EQ(WIDTH, info.width);
	vgpu_close(v);
	/* Nor is anything to be shown without heads */
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "none"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "plane", "dmabuf"));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render"));
	open_vgpu(_metadata, self);
	EXPECT_ERRNO(ENOTTY, head_query(v, PROBE | DMABUF, 0, &info));
	EXPECT_EQ(-ENOTTY, get(v, 1));
}

/* ---- what a VMM gets ---- */

TEST_F(planes, picture)
{
	struct vfio_device_gfx_plane_info info, region;
	struct vgpu *v = &self->v;
	const uint8_t *map1, *map2;
	int first, other;
	uint32_t id;

	ASSERT_EQ(0, head_query(v, DMABUF, PRIMARY, &info));
	EXPECT_EQ(0, info.drm_format | info.size | info.dmabuf_id);
	ASSERT_EQ(0, head_show(v, 0, &picture, NULL));
	ASSERT_EQ(0, head_query(v, DMABUF, PRIMARY, &info));
	EXPECT_EQ(XRGB8888, info.drm_format);
	EXPECT_EQ(0, info.drm_format_mod);
	EXPECT_EQ(WIDTH, info.width);
	EXPECT_EQ(HEIGHT, info.height);
	EXPECT_EQ(PITCH, info.stride);
	EXPECT_EQ(SIZE, info.size);
	EXPECT_NE(0, info.dmabuf_id);
	id = info.dmabuf_id;
	EXPECT_EQ(id, number(v, PRIMARY));
	EXPECT_EQ(0, number(v, OVERLAY));
	first = get(v, id);
	ASSERT_LE(0, first);
	EXPECT_EQ(FD_CLOEXEC, fcntl(first, F_GETFD));
	EXPECT_EQ(O_RDONLY, fcntl(first, F_GETFL) & O_ACCMODE);
	EXPECT_EQ(SIZE, lseek(first, 0, SEEK_END));
	map1 = map(first, SIZE);
	ASSERT_NE(MAP_FAILED, map1);
	EXPECT_EQ(-1, pattern_check(map1, SIZE, 1));
	/* A flip is another plane, and back is the one before */
	ASSERT_EQ(0, head_show(v, 0, &second, NULL));
	EXPECT_NE(id, number(v, PRIMARY));
	other = take(v, PRIMARY);
	ASSERT_LE(0, other);
	map2 = map(other, SIZE);
	ASSERT_NE(MAP_FAILED, map2);
	EXPECT_EQ(-1, pattern_check(map2, SIZE, 2));
	pattern_fill(self->vram, SIZE, 4);
	EXPECT_EQ(-1, pattern_check(map1, SIZE, 4));
	ASSERT_EQ(0, head_show(v, 0, &picture, NULL));
	EXPECT_EQ(id, number(v, PRIMARY));
	/* The region is there beside it */
	ASSERT_EQ(0, head_query(v, REGION, PRIMARY, &region));
	EXPECT_EQ(VFIO_PCI_NUM_REGIONS, region.region_index);
	/* Mappings stay without the file; nothing is shown after a reset */
	close(first);
	EXPECT_EQ(-1, pattern_check(map1, SIZE, 4));
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(0, number(v, PRIMARY));
	EXPECT_EQ(-1, zero_check(map1, SIZE));
	munmap((void *)map1, SIZE);
	munmap((void *)map2, SIZE);
	close(other);
}

TEST_F(planes, cursor)
{
	struct vfio_device_gfx_plane_info info;
	struct vgpu *v = &self->v;
	const uint8_t *image;
	uint32_t id;
	int fd;

	EXPECT_TRUE(head32(v, 0, TESS_DREG_STATUS) & TESS_DSTATUS_CURSOR);
	ASSERT_EQ(0, head_show(v, 0, &picture, NULL));
	ASSERT_EQ(0, head_query(v, DMABUF, CURSOR, &info));
	EXPECT_EQ(0, info.drm_format | info.size | info.dmabuf_id);
	ASSERT_EQ(0, head_cursor(v, 0, IMAGE, 5, 7));
	head_move_cursor(v, 0, 100, -3);
	ASSERT_EQ(0, head_query(v, DMABUF, CURSOR, &info));
	EXPECT_EQ(ARGB8888, info.drm_format);
	EXPECT_EQ(64, info.width);
	EXPECT_EQ(64, info.height);
	EXPECT_EQ(256, info.stride);
	EXPECT_EQ(IMAGE_BYTES, info.size);
	EXPECT_EQ(100, info.x_pos);
	EXPECT_EQ(-3, (int32_t)info.y_pos);
	EXPECT_EQ(5, info.x_hot);
	EXPECT_EQ(7, info.y_hot);
	id = info.dmabuf_id;
	EXPECT_NE(0, id);
	EXPECT_NE(id, number(v, PRIMARY));
	/* The same image elsewhere is the same plane */
	head_move_cursor(v, 0, 3, 3);
	EXPECT_EQ(id, number(v, CURSOR));
	fd = get(v, id);
	ASSERT_LE(0, fd);
	image = map(fd, IMAGE_BYTES);
	ASSERT_NE(MAP_FAILED, image);
	EXPECT_EQ(-1, pattern_check(image, IMAGE_BYTES, 3));
	munmap((void *)image, IMAGE_BYTES);
	close(fd);
	ASSERT_EQ(0, head_no_cursor(v, 0));
	EXPECT_EQ(0, number(v, CURSOR));
	/* The region has none */
	ASSERT_EQ(0, head_cursor(v, 0, IMAGE, 5, 7));
	ASSERT_EQ(0, head_query(v, REGION, CURSOR, &info));
	EXPECT_EQ(0, info.drm_format | info.size);
}

/* As many as a VMM can need; what is shown after many others is another plane */
TEST_F(planes, numbers_and_files)
{
	struct head_plane p = { XRGB8888, 64, 32, 256, 0 };
	struct vgpu *v = &self->v;
	uint32_t id[NUMBERS + 1];
	int fd[FILES];
	unsigned int i, k;

	for (i = 0; i < NUMBERS + 1; i++) {
		p.address = i * 8192;
		ASSERT_EQ(0, head_show(v, 0, &p, NULL));
		id[i] = number(v, PRIMARY);
		ASSERT_NE(0, id[i]);
		for (k = 0; k < i; k++)
			EXPECT_NE(id[k], id[i]);
	}
	EXPECT_EQ(-ENOENT, get(v, id[0]));
	for (i = 1; i < NUMBERS + 1; i++) {
		fd[i] = get(v, id[i]);
		ASSERT_LE(0, fd[i]);
		close(fd[i]);
	}
	/* The last of those that are known comes to the front, the next one goes */
	p.address = 8192;
	ASSERT_EQ(0, head_show(v, 0, &p, NULL));
	EXPECT_EQ(id[1], number(v, PRIMARY));
	p.address = 0;
	ASSERT_EQ(0, head_show(v, 0, &p, NULL));
	EXPECT_NE(id[0], number(v, PRIMARY));
	EXPECT_EQ(-ENOENT, get(v, id[2]));
	for (i = 0; i < FILES; i++) {
		fd[i] = get(v, id[1]);
		ASSERT_LE(0, fd[i]);
	}
	EXPECT_EQ(-EMFILE, get(v, id[1]));
	close(fd[7]);
	fd[7] = get(v, id[1]);
	EXPECT_LE(0, fd[7]);
	for (i = 0; i < FILES; i++)
		close(fd[i]);
	for (i = 0; i < 1000; i++) {
		fd[0] = get(v, id[1]);
		ASSERT_LE(0, fd[0]);
		close(fd[0]);
	}
}

/* ---- what is refused ---- */

TEST_F(planes, only_to_be_read)
{
	struct vgpu *v = &self->v;
	const uint8_t *mapped;
	uint32_t handle;
	int fd, node;

	EXPECT_EQ(-ENOENT, get(v, 0));
	EXPECT_EQ(-ENOENT, get(v, 1));
	EXPECT_EQ(-ENOENT, get(v, ~0U));
	EXPECT_ERRNO(EFAULT, ioctl(v->device, VFIO_DEVICE_GET_GFX_DMABUF, NULL));
	ASSERT_EQ(0, head_show(v, 0, &picture, NULL));
	fd = take(v, PRIMARY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE, fd, 0));
	EXPECT_EQ(MAP_FAILED, map(fd, SIZE + PAGE));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, SIZE));
	mapped = map(fd, SIZE);
	ASSERT_NE(MAP_FAILED, mapped);
	EXPECT_ERRNO(EACCES, mprotect((void *)mapped, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_EQ(MAP_FAILED, mremap((void *)mapped, SIZE, SIZE * 2, MREMAP_MAYMOVE));
	EXPECT_EQ(-1, pattern_check(mapped, SIZE, 1));
	munmap((void *)mapped, SIZE);
	node = system("modprobe vgem 2>/dev/null") ? -1 : __tess_open_card("vgem");
	if (node >= 0)
		EXPECT_EQ(-EOPNOTSUPP, dmabuf_import(node, fd, &handle));
	else
		TH_LOG("no other driver");
	close(node);
	close(fd);
}

/* ---- jobs ---- */

TEST_F(planes, jobs_read_it)
{
	struct reader r;
	int fd, node;

	ASSERT_TRUE(reader_open(&r, self->gpu, SIZE));
	ASSERT_EQ(0, head_show(&self->v, 0, &second, NULL));
	fd = take(&self->v, PRIMARY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, dmabuf_import(r.ctx.fd, fd, &r.handle));
	ASSERT_EQ(0, reader_bind(&r, DRM_TESSERA_BIND_READONLY));
	ASSERT_EQ(0, reader_copy(&r));
	EXPECT_EQ(-1, pattern_check(r.copy, SIZE, 2));
	/* The next VMM finds no job that reads its memory */
	vgpu_close(&self->v);
	EXPECT_EQ(-ESTALE, reader_copy(&r));
	open_vgpu(_metadata, self);
	EXPECT_EQ(-ESTALE, reader_copy(&r));
	node = node_open(self->gpu);
	ASSERT_LE(0, node);
	EXPECT_EQ(-ESTALE, dmabuf_import(node, fd, &(uint32_t){ 0 }));
	close(node);
	ASSERT_EQ(0, __tess_vm_unmap(r.ctx.fd, r.ctx.vm, PICTURE_VA, SIZE));
	EXPECT_EQ(-EFAULT, reader_copy(&r));
	reader_close(&r);
	close(fd);
}

/* ---- what is left of it ---- */

/* A process that has one when the VMM is gone sees neither what was there, nor what comes there */
TEST_F(planes, outlives_the_vmm)
{
	const uint8_t *old, *late;
	int fd;

	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	fd = take(&self->v, PRIMARY);
	ASSERT_LE(0, fd);
	old = map(fd, SIZE);
	ASSERT_NE(MAP_FAILED, old);
	EXPECT_EQ(-1, pattern_check(old, SIZE, 1));
	vgpu_close(&self->v);
	EXPECT_EQ(-1, zero_check(old, SIZE));
	open_vgpu(_metadata, self);
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	late = map(fd, SIZE);
	ASSERT_NE(MAP_FAILED, late);
	EXPECT_EQ(-1, zero_check(old, SIZE));
	EXPECT_EQ(-1, zero_check(late, SIZE));
	vgpu_close(&self->v);
	ASSERT_EQ(0, mdev_remove(self->uuid));
	EXPECT_EQ(-1, zero_check(late, SIZE));
	munmap((void *)old, SIZE);
	munmap((void *)late, SIZE);
	late = map(fd, SIZE);
	ASSERT_NE(MAP_FAILED, late);
	EXPECT_EQ(-1, zero_check(late, SIZE));
	close(fd);
	munmap((void *)late, SIZE);
}

/**
 * struct watcher - a thread that reads a plane
 * @mapped: of the CPU
 * @stop: it is to end
 * @rounds: times that it read all
 * @wrong: it read something else
 */
struct watcher {
	const uint8_t *mapped;
	atomic_bool stop;
	atomic_uint rounds;
	atomic_uint wrong;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;

	while (!atomic_load(&w->stop)) {
		if (pattern_check(w->mapped, SIZE, 1) != -1)
			atomic_fetch_add(&w->wrong, 1);
		atomic_fetch_add(&w->rounds, 1);
	}
	return NULL;
}

/* CPUs do not notice a move; jobs and numbers do */
TEST_F(planes, moves_with_the_vgpu)
{
	struct watcher w = {};
	unsigned int i, seen;
	struct reader r;
	pthread_t thread;
	uint32_t id;
	int fd;

	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	id = number(&self->v, PRIMARY);
	fd = get(&self->v, id);
	ASSERT_LE(0, fd);
	w.mapped = map(fd, SIZE);
	ASSERT_NE(MAP_FAILED, w.mapped);
	ASSERT_TRUE(reader_open(&r, self->gpu, SIZE));
	ASSERT_EQ(0, pthread_create(&thread, NULL, watch, &w));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(self->gpu ^ !(i % 2))));
		for (seen = atomic_load(&w.rounds); atomic_load(&w.rounds) < seen + 2;)
			usleep(1000);
		EXPECT_EQ(-ENOENT, get(&self->v, id));
		EXPECT_NE(id, number(&self->v, PRIMARY));
		id = number(&self->v, PRIMARY);
	}
	atomic_store(&w.stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, atomic_load(&w.wrong));
	/* It is back on its GPU, but it is another memory */
	EXPECT_EQ(-ESTALE, dmabuf_import(r.ctx.fd, fd, &r.handle));
	reader_close(&r);
	munmap((void *)w.mapped, SIZE);
	close(fd);
}

/* A GPU that is pulled takes the picture, and nobody's process */
TEST_F(planes, gpu_pulled)
{
	unsigned int away = !self->gpu;
	const uint8_t *mapped;
	char pci[32];
	int fd;

	if (gpu_value(1, "slices_total") < 0)
		SKIP(return, "needs two GPUs");
	ASSERT_EQ(0, gpu_text(away, "name", pci, sizeof(pci)));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "gpu", gpu_name_of(away)));
	ASSERT_EQ(0, head_show(&self->v, 0, &picture, NULL));
	fd = take(&self->v, PRIMARY);
	ASSERT_LE(0, fd);
	mapped = map(fd, SIZE);
	ASSERT_NE(MAP_FAILED, mapped);
	EXPECT_EQ(-1, pattern_check(mapped, SIZE, 1));
	ASSERT_EQ(0, gpu_answers(pci, false));
	ASSERT_EQ(0, gpu_unbind(pci));
	EXPECT_NE(-1, pattern_check(mapped, SIZE, 1));
	EXPECT_EQ(0, number(&self->v, PRIMARY));
	ASSERT_EQ(0, gpu_answers(pci, true));
	ASSERT_EQ(0, gpu_bind(pci));
	vgpu_close(&self->v);
	EXPECT_EQ(-1, zero_check(mapped, SIZE));
	munmap((void *)mapped, SIZE);
	close(fd);
}

TEST_HARNESS_MAIN
