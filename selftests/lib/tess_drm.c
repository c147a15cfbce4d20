// SPDX-License-Identifier: GPL-2.0-or-later
#include "tess_drm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int tess_ioctl(int fd, unsigned long request, void *arg)
{
	int rc;

	do {
		rc = ioctl(fd, request, arg);
	} while (rc == -1 && errno == EINTR);
	return rc == -1 ? -errno : 0;
}

void tess_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("# ");
	vprintf(fmt, ap);
	printf("\n");
	va_end(ap);
	fflush(stdout);
	_exit(1);
}

static void must(int rc, const char *what)
{
	if (rc)
		tess_die("%s: %s", what, strerror(-rc));
}

const char *tess_sysfs_dir(void)
{
	static char path[300];
	struct dirent *entry;
	DIR *dir;

	if (path[0])
		return path;
	dir = opendir("/sys/class/tessera");
	if (!dir)
		tess_die("/sys/class/tessera: %s", strerror(errno));
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (!path[0] || strcmp(entry->d_name, path) < 0))
			snprintf(path, sizeof(path), "%s", entry->d_name);
	closedir(dir);
	if (!path[0])
		tess_die("no GPU in /sys/class/tessera");
	memmove(path + 19, path, strlen(path) + 1);
	memcpy(path, "/sys/class/tessera/", 19);
	return path;
}

int tess_put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

uint64_t tess_sysfs_value(const char *name)
{
	char path[400];
	uint64_t value;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tess_sysfs_dir(), name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%" SCNu64, &value) != 1)
		tess_die("%s: %s", path, strerror(errno));
	fclose(f);
	return value;
}

uint64_t tess_sysfs_wait(const char *name, uint64_t value, unsigned int seconds)
{
	struct timespec nap = { .tv_nsec = 50 * 1000 * 1000 };
	unsigned int tries = seconds * 20;
	uint64_t now;

	while ((now = tess_sysfs_value(name)) != value && tries--)
		nanosleep(&nap, NULL);
	return now;
}

/* Those of vGPUs that processes have for themselves say whose they are */
static bool node_is_claimed(const char *dir, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/vgpu", dir, name);
	return !access(path, F_OK);
}

int __tess_open_node(const char *name)
{
	char path[400], file[400];
	struct dirent *entry;
	int fd = -ENODEV;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/device/drm", tess_sysfs_dir());
	dir = opendir(path);
	while (fd == -ENODEV && dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, name, strlen(name)) ||
		    node_is_claimed(path, entry->d_name))
			continue;
		snprintf(file, sizeof(file), "/dev/dri/%.32s", entry->d_name);
		fd = open(file, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	if (dir)
		closedir(dir);
	return fd;
}

int __tess_open_card(const char *driver)
{
	char path[32];
	int fd, n;

	for (n = 0; n < 16; n++) {
		char name[32] = "";
		struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };

		snprintf(path, sizeof(path), "/dev/dri/card%d", n);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!tess_ioctl(fd, DRM_IOCTL_VERSION, &version) && !strcmp(name, driver))
			return fd;
		close(fd);
	}
	return -1;
}

int __tess_open(void)
{
	return __tess_open_node("renderD");
}

int tess_open(void)
{
	int fd = __tess_open();

	if (fd < 0)
		tess_die("render node: %s", strerror(-fd));
	return fd;
}

int __tess_query(int fd, uint32_t type, void *data, uint32_t size)
{
	struct drm_tessera_query query = {
		.type = type,
		.size = size,
		.data = (uintptr_t)data,
		.stride = type == DRM_TESSERA_QUERY_SLICES ?
				  sizeof(struct drm_tessera_query_slice) :
				  0,
	};
	int rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_QUERY, &query);

	return rc ? rc : (int)query.size;
}

void tess_query_gpu(int fd, struct drm_tessera_query_gpu *gpu)
{
	int rc = __tess_query(fd, DRM_TESSERA_QUERY_GPU, gpu, sizeof(*gpu));

	must(rc < 0 ? rc : 0, "query gpu");
}

uint64_t tess_vram_free(int fd)
{
	struct drm_tessera_query_memory memory;
	int rc = __tess_query(fd, DRM_TESSERA_QUERY_MEMORY, &memory, sizeof(memory));

	must(rc < 0 ? rc : 0, "query memory");
	return memory.vram_free;
}

int tess_find_slice(int fd, uint32_t kind)
{
	struct drm_tessera_query_slice slices[64];
	int i, rc = __tess_query(fd, DRM_TESSERA_QUERY_SLICES, slices, sizeof(slices));

	must(rc < 0 ? rc : 0, "query slices");
	for (i = 0; i < rc / (int)sizeof(slices[0]); i++)
		if ((slices[i].flags & DRM_TESSERA_SLICE_AVAILABLE) &&
		    (!kind || slices[i].kind == kind))
			return i;
	return -1;
}

int __tess_bo_create(int fd, uint64_t size, uint32_t flags, uint32_t *handle)
{
	struct drm_tessera_bo_create args = { .size = size, .flags = flags };
	int rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_BO_CREATE, &args);

	*handle = args.handle;
	return rc;
}

uint32_t tess_bo_create(int fd, uint64_t size, uint32_t flags)
{
	uint32_t handle;

	must(__tess_bo_create(fd, size, flags, &handle), "create a BO");
	return handle;
}

int __tess_bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close args = { .handle = handle };

	return tess_ioctl(fd, DRM_IOCTL_GEM_CLOSE, &args);
}

void *__tess_bo_mmap(int fd, uint32_t handle, uint64_t size)
{
	struct drm_tessera_bo_mmap_offset args = { .handle = handle };

	if (tess_ioctl(fd, DRM_IOCTL_TESSERA_BO_MMAP_OFFSET, &args))
		return MAP_FAILED;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)args.offset);
}

void *tess_bo_mmap(int fd, uint32_t handle, uint64_t size)
{
	void *p = __tess_bo_mmap(fd, handle, size);

	if (p == MAP_FAILED)
		tess_die("mmap a BO: %s", strerror(errno));
	return p;
}

int __tess_vm_create(int fd, uint32_t *id)
{
	struct drm_tessera_vm_create args = {};
	int rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_CREATE, &args);

	*id = args.id;
	return rc;
}

uint32_t tess_vm_create(int fd)
{
	uint32_t id;

	must(__tess_vm_create(fd, &id), "create a VM");
	return id;
}

int __tess_vm_destroy(int fd, uint32_t id)
{
	struct drm_tessera_vm_destroy args = { .id = id };

	return tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_DESTROY, &args);
}

int __tess_vm_bind(int fd, uint32_t vm, struct drm_tessera_vm_bind_op *ops, uint32_t *count)
{
	struct drm_tessera_vm_bind args = { .vm = vm, .ops = TESS_ARRAY(ops, *count) };
	int rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_VM_BIND, &args);

	*count = args.done;
	return rc;
}

int __tess_vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t va, uint64_t size,
		  uint32_t flags)
{
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_MAP,
		.flags = flags,
		.handle = handle,
		.offset = offset,
		.va = va,
		.size = size,
	};
	uint32_t count = 1;

	return __tess_vm_bind(fd, vm, &op, &count);
}

void tess_vm_map(int fd, uint32_t vm, uint32_t handle, uint64_t offset, uint64_t va, uint64_t size)
{
	must(__tess_vm_map(fd, vm, handle, offset, va, size, 0), "map");
}

int __tess_vm_unmap(int fd, uint32_t vm, uint64_t va, uint64_t size)
{
	struct drm_tessera_vm_bind_op op = {
		.op = DRM_TESSERA_BIND_UNMAP,
		.va = va,
		.size = size,
	};
	uint32_t count = 1;

	return __tess_vm_bind(fd, vm, &op, &count);
}

void tess_vm_unmap(int fd, uint32_t vm, uint64_t va, uint64_t size)
{
	must(__tess_vm_unmap(fd, vm, va, size), "unmap");
}

int __tess_queue_create(int fd, uint32_t vm, uint32_t slice, uint32_t priority, uint32_t *id)
{
	struct drm_tessera_queue_create args = {
		.vm = vm,
		.slices = slice < 64 ? 1ull << slice : 0,
		.priority = priority,
	};
	int rc = tess_ioctl(fd, DRM_IOCTL_TESSERA_QUEUE_CREATE, &args);

	*id = args.id;
	return rc;
}

uint32_t tess_queue_create(int fd, uint32_t vm, uint32_t slice)
{
	uint32_t id;

	must(__tess_queue_create(fd, vm, slice, 0, &id), "create a queue");
	return id;
}

int __tess_queue_destroy(int fd, uint32_t id)
{
	struct drm_tessera_queue_destroy args = { .id = id };

	return tess_ioctl(fd, DRM_IOCTL_TESSERA_QUEUE_DESTROY, &args);
}

int __tess_queue_state(int fd, uint32_t id, struct drm_tessera_queue_state *state)
{
	*state = (struct drm_tessera_queue_state){ .id = id };
	return tess_ioctl(fd, DRM_IOCTL_TESSERA_QUEUE_STATE, state);
}

uint32_t tess_queue_flags(int fd, uint32_t id)
{
	struct drm_tessera_queue_state state;

	must(__tess_queue_state(fd, id, &state), "state of a queue");
	return state.flags;
}

uint32_t tess_syncobj_create(int fd)
{
	struct drm_syncobj_create args = {};

	must(tess_ioctl(fd, DRM_IOCTL_SYNCOBJ_CREATE, &args), "create a syncobj");
	return args.handle;
}

void tess_syncobj_destroy(int fd, uint32_t handle)
{
	struct drm_syncobj_destroy args = { .handle = handle };

	must(tess_ioctl(fd, DRM_IOCTL_SYNCOBJ_DESTROY, &args), "destroy a syncobj");
}

int __tess_syncobj_wait(int fd, uint32_t handle, uint64_t point, unsigned int ms)
{
	struct drm_syncobj_timeline_wait args = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
	};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	args.timeout_nsec = now.tv_sec * 1000000000ll + now.tv_nsec + ms * 1000000ll;
	return tess_ioctl(fd, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args);
}

uint64_t tess_syncobj_point(int fd, uint32_t handle)
{
	uint64_t point = 0;
	struct drm_syncobj_timeline_array args = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
	};

	must(tess_ioctl(fd, DRM_IOCTL_SYNCOBJ_QUERY, &args), "query a syncobj");
	return point;
}

void tess_syncobj_signal(int fd, uint32_t handle)
{
	struct drm_syncobj_array args = { .handles = (uintptr_t)&handle, .count_handles = 1 };

	must(tess_ioctl(fd, DRM_IOCTL_SYNCOBJ_SIGNAL, &args), "signal a syncobj");
}

int tess_syncobj_status(int fd, uint32_t handle)
{
	struct drm_syncobj_handle args = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
		.fd = -1,
	};
	struct sync_file_info info = {};

	must(tess_ioctl(fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args), "export a sync file");
	must(tess_ioctl(args.fd, SYNC_IOC_FILE_INFO, &info), "info of a sync file");
	close(args.fd);
	return info.status < 0 ? info.status : info.status ? 0 : 1;
}
