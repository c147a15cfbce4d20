// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "buffer.h"
#include "device.h"
#include "kmd.h"
#include "queue.h"

#define PAGE 4096ull
#define BIG_PAGE (2ull << 20)
/* Below are programs that are not position-independent, and their heaps */
#define SAME_START (1ull << 30)

static int create_bo(struct tess_buffer *buf, unsigned int near_slice)
{
	struct drm_tessera_bo_create bo = { .size = buf->size };
	struct tess_device *dev = buf->dev;
	int ret;

	/* A device without VRAM has slices of several GPUs, which share the memory of the system */
	if (buf->flags & TESS_BUFFER_VRAM && dev->gpu.vram_size) {
		bo.flags = DRM_TESSERA_BO_VRAM;
		bo.near_slice = near_slice;
		if (near_slice == TESS_NEAR_ANY && dev->gpu.slice_mask)
			bo.near_slice = (uint32_t)__builtin_ctzll(dev->gpu.slice_mask);
		else if (near_slice == TESS_NEAR_ANY)
			bo.near_slice = 0;
	}
	ret = tess_kmd_ioctl(dev->kmd, DRM_IOCTL_TESSERA_BO_CREATE, &bo);
	if (ret == -ENOSPC)
		return tess_fail(dev, ret, "not enough VRAM is free for %llu bytes",
				 (unsigned long long)buf->size);
	if (ret)
		return tess_fail(dev, ret, "cannot allocate %llu bytes: %m",
				 (unsigned long long)buf->size);
	buf->handle = bo.handle;
	buf->size = bo.size;
	return 0;
}

static int bind_one(struct tess_buffer *buf, const struct tess_buffer_bind *bind)
{
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_MAP,
		.flags = bind->flags,
		.handle = buf->handle,
		.offset = bind->offset,
		.va = buf->va + bind->offset,
		.size = bind->size,
	};
	struct drm_tessera_vm_bind req = {
		.vm = buf->dev->vm,
		.ops = { sizeof(op), 1, (uintptr_t)&op },
	};

	return tess_kmd_ioctl(buf->dev->kmd, DRM_IOCTL_TESSERA_VM_BIND, &req);
}

static void unbind(struct tess_buffer *buf)
{
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_UNMAP,
		.va = buf->va,
		.size = buf->size,
	};
	struct drm_tessera_vm_bind req = {
		.vm = buf->dev->vm,
		.ops = { sizeof(op), 1, (uintptr_t)&op },
	};

	if (buf->dev->vm)
		tess_kmd_ioctl(buf->dev->kmd, DRM_IOCTL_TESSERA_VM_BIND, &req);
}

static int bind(struct tess_buffer *buf, const struct tess_buffer_bind *binds, unsigned int count)
{
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = bind_one(buf, &binds[i]);
		if (ret) {
			unbind(buf);
			return tess_device_fail(buf->dev, ret, "map a buffer for the GPU");
		}
	}
	return 0;
}

static int map_at(struct tess_buffer *buf, void *at)
{
	struct drm_tessera_bo_mmap_offset req = { .handle = buf->handle };
	int ret;

	ret = tess_kmd_ioctl(buf->dev->kmd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &req);
	if (!ret)
		ret = tess_kmd_mmap(buf->dev->kmd, req.offset, buf->size, at, &buf->map);
	return ret;
}

/* An address that is free on both sides: what the process has in the way is stepped over. */
static int alloc_same(struct tess_buffer *buf, uint64_t align)
{
	struct tess_device *dev = buf->dev;
	uint64_t from = SAME_START;
	int ret;

	for (;;) {
		ret = tess_va_alloc_from(&dev->va, from, buf->size, align, &buf->va);
		if (ret)
			return ret;
		ret = map_at(buf, (void *)(uintptr_t)buf->va);
		if (!ret)
			return 0;
		tess_va_free(&dev->va, buf->va);
		if (ret != -EEXIST)
			return ret;
		from = buf->va + BIG_PAGE;
	}
}

static int alloc_va(struct tess_buffer *buf)
{
	uint64_t align = buf->size >= BIG_PAGE ? BIG_PAGE : PAGE;
	int ret;

	if (buf->flags & TESS_BUFFER_SAME)
		ret = alloc_same(buf, align);
	else
		ret = tess_va_alloc(&buf->dev->va, buf->size, align, &buf->va);
	if (ret == -ENOSPC)
		return tess_fail(buf->dev, ret, "no addresses left for %llu bytes",
				 (unsigned long long)buf->size);
	return ret ? tess_device_fail(buf->dev, ret, "give a buffer an address") : 0;
}

/* A buffer that has its BO gets an address on the GPU. */
static int place_buffer(struct tess_buffer *buf, const struct tess_buffer_bind *binds,
			unsigned int count)
{
	struct tess_buffer_bind whole = {
		.size = buf->size,
		.flags = (buf->flags & TESS_BUFFER_CODE ? 0 : DRM_TESSERA_BIND_NOEXEC) |
			 (buf->flags & TESS_BUFFER_READONLY ? DRM_TESSERA_BIND_READONLY : 0),
	};
	int ret;

	ret = alloc_va(buf);
	if (ret)
		return ret;
	ret = bind(buf, binds ? binds : &whole, binds ? count : 1);
	if (ret) {
		if (buf->map)
			tess_kmd_munmap(buf->map, buf->size);
		tess_va_free(&buf->dev->va, buf->va);
		return ret;
	}
	LIST_INSERT_HEAD(&buf->dev->buffers, buf, link);
	return 0;
}

/* The end of all ways to make a buffer: @ret is 0 if it has its BO */
static int finish(struct tess_buffer *buf, int ret, const struct tess_buffer_bind *binds,
		  unsigned int count, struct tess_buffer **out)
{
	if (!ret) {
		ret = place_buffer(buf, binds, count);
		if (ret)
			tess_kmd_gem_close(buf->dev->kmd, buf->handle);
	}
	if (ret)
		free(buf);
	else
		*out = buf;
	return ret;
}

int tess_buffer_create_locked(struct tess_device *dev, uint64_t size, unsigned int flags,
			      unsigned int near_slice, const struct tess_buffer_bind *binds,
			      unsigned int bind_count, struct tess_buffer **out)
{
	struct tess_buffer *buf;
	int ret;

	if (!size || size > dev->limits.va_end)
		return tess_fail(dev, -EINVAL, "a buffer can't have %llu bytes",
				 (unsigned long long)size);
	buf = calloc(1, sizeof(*buf));
	if (!buf)
		return tess_fail(dev, -ENOMEM, "out of memory");
	buf->dev = dev;
	buf->flags = flags;
	buf->size = (size + PAGE - 1) & ~(PAGE - 1);
	ret = create_bo(buf, near_slice);
	return finish(buf, ret, binds, bind_count, out);
}

int tess_buffer_create(struct tess_device *dev, uint64_t size, unsigned int flags,
		       unsigned int near_slice, struct tess_buffer **buf)
{
	int ret;

	if (flags &
	    ~(TESS_BUFFER_VRAM | TESS_BUFFER_READONLY | TESS_BUFFER_SAME | TESS_BUFFER_CODE))
		return tess_fail(dev, -EINVAL, "unknown buffer flags 0x%x", flags);
	pthread_mutex_lock(&dev->lock);
	ret = tess_buffer_create_locked(dev, size, flags, near_slice, NULL, 0, buf);
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

static int import(struct tess_device *dev, int fd, uint64_t size, unsigned int flags,
		  struct tess_buffer **out)
{
	struct tess_buffer *buf = calloc(1, sizeof(*buf));
	int ret;

	if (!buf)
		return tess_fail(dev, -ENOMEM, "out of memory");
	buf->dev = dev;
	buf->flags = flags;
	buf->size = size;
	ret = tess_kmd_import(dev->kmd, fd, &buf->handle);
	if (ret)
		ret = tess_fail(dev, ret, "cannot import a buffer: %m");
	return finish(buf, ret, NULL, 0, out);
}

int tess_buffer_import(struct tess_device *dev, int fd, unsigned int flags,
		       struct tess_buffer **buf)
{
	off_t size = lseek(fd, 0, SEEK_END);
	int ret;

	if (flags & ~(TESS_BUFFER_READONLY | TESS_BUFFER_SAME))
		return tess_fail(dev, -EINVAL, "unknown buffer flags 0x%x", flags);
	if (size <= 0)
		return tess_fail(dev, size ? -errno : -EINVAL, "not a buffer of a driver");
	pthread_mutex_lock(&dev->lock);
	ret = import(dev, fd, (uint64_t)size, flags, buf);
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

void tess_buffer_destroy_locked(struct tess_buffer *buf)
{
	struct tess_device *dev = buf->dev;

	LIST_REMOVE(buf, link);
	if (buf->map)
		tess_kmd_munmap(buf->map, buf->size);
	unbind(buf);
	tess_kmd_gem_close(dev->kmd, buf->handle);
	tess_va_free(&dev->va, buf->va);
	free(buf);
}

void tess_buffer_destroy(struct tess_buffer *buf)
{
	struct tess_device *dev;

	if (!buf)
		return;
	dev = buf->dev;
	tess_device_wait(dev, INT64_MAX);
	pthread_mutex_lock(&dev->lock);
	tess_buffer_destroy_locked(buf);
	pthread_mutex_unlock(&dev->lock);
}

int tess_buffer_map_locked(struct tess_buffer *buf)
{
	int ret;

	if (buf->map)
		return 0;
	ret = map_at(buf, NULL);
	return ret ? tess_device_fail(buf->dev, ret, "map a buffer for the CPU") : 0;
}

void *tess_buffer_map(struct tess_buffer *buf)
{
	int ret;

	pthread_mutex_lock(&buf->dev->lock);
	ret = tess_buffer_map_locked(buf);
	pthread_mutex_unlock(&buf->dev->lock);
	return ret ? NULL : buf->map;
}

uint64_t tess_buffer_va(const struct tess_buffer *buf)
{
	return buf->va;
}

uint64_t tess_buffer_size(const struct tess_buffer *buf)
{
	return buf->size;
}

int tess_buffer_damage(struct tess_buffer *buf, const struct tess_buffer *previous, uint32_t x1,
		       uint32_t y1, uint32_t x2, uint32_t y2)
{
	struct drm_tessera_bo_damage req = {
		.handle = buf->handle,
		.previous = previous ? previous->handle : 0,
		.x1 = x1,
		.y1 = y1,
		.x2 = x2,
		.y2 = y2,
	};
	int ret;

	if (x1 > x2 || y1 > y2 || (previous && previous->dev != buf->dev))
		return tess_fail(buf->dev, -EINVAL, "no part of a picture: %u,%u to %u,%u", x1, y1,
				 x2, y2);
	ret = tess_kmd_ioctl(buf->dev->kmd, DRM_IOCTL_TESSERA_BO_DAMAGE, &req);
	/* An older driver knows nothing of it, and takes all for changed */
	if (ret == -EINVAL)
		return 0;
	return ret ? tess_device_fail(buf->dev, ret, "tell what changed in a picture") : 0;
}
