// SPDX-License-Identifier: GPL-2.0-or-later
/* See readers.h. */
#include "readers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"

int node_open(unsigned int gpu)
{
	struct dirent *entry;
	char path[300];
	int fd = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/tessera/gpu%u/device/drm", gpu);
	dir = opendir(path);
	while (dir && fd < 0 && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "renderD", 7))
			continue;
		snprintf(path, sizeof(path), "/dev/dri/%.32s", entry->d_name);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	return fd;
}

bool reader_open(struct reader *r, unsigned int gpu, size_t size)
{
	int fd = node_open(gpu), slice = fd < 0 ? -1 : tess_find_slice(fd, 0);
	uint32_t handle;

	if (slice < 0)
		return false;
	r->size = size;
	tess_ctx_open_on(&r->ctx, fd, (uint32_t)slice);
	r->ctx.owns_fd = true;
	handle = tess_bo_create(fd, size, 0);
	tess_vm_map(fd, r->ctx.vm, handle, 0, COPY_VA, size);
	r->copy = tess_bo_mmap(fd, handle, size);
	return r->copy != MAP_FAILED;
}

void reader_close(struct reader *r)
{
	munmap(r->copy, r->size);
	tess_ctx_close(&r->ctx);
}

int dmabuf_import(int fd, int dmabuf, uint32_t *handle)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int rc = tess_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*handle = args.handle;
	return rc;
}

int reader_bind(struct reader *r, uint32_t flags)
{
	return __tess_vm_map(r->ctx.fd, r->ctx.vm, r->handle, 0, PICTURE_VA, r->size, flags);
}

int reader_copy(struct reader *r)
{
	int rc;

	memset(r->copy, 0xee, r->size);
	tess_begin(&r->ctx);
	tess_copy(&r->ctx, COPY_VA, PICTURE_VA, r->size);
	rc = __tess_ctx_submit(&r->ctx);
	return rc ? rc : tess_ctx_wait(&r->ctx);
}
