// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/iommufd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cdev.h"
#include "vgpu.h"

/* /dev/vfio/devices/vfioN */
static int open_file(const char *uuid)
{
	char path[PATH_MAX], name[64] = "";
	struct dirent *e;
	DIR *d;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/vfio-dev", uuid);
	d = opendir(path);
	if (!d)
		return -errno;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.')
			snprintf(name, sizeof(name), "%.60s", e->d_name);
	closedir(d);
	snprintf(path, sizeof(path), "/dev/vfio/devices/%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int new_space(struct vgpu *v)
{
	struct iommu_ioas_alloc alloc = { .size = sizeof(alloc) };

	if (ioctl(v->container, IOMMU_IOAS_ALLOC, &alloc))
		return -errno;
	v->ioas = alloc.out_ioas_id;
	return 0;
}

static int attach(struct vgpu *v, const struct vgpu *first)
{
	struct vfio_device_bind_iommufd bind = {
		.argsz = sizeof(bind),
		.iommufd = v->container,
	};
	struct vfio_device_attach_iommufd_pt pt = { .argsz = sizeof(pt) };
	int ret;

	/* Whom somebody else has bound, as a group says it */
	if (ioctl(v->device, VFIO_DEVICE_BIND_IOMMUFD, &bind))
		return errno == EINVAL ? -EBUSY : -errno;
	if (first)
		v->ioas = first->ioas;
	ret = first ? 0 : new_space(v);
	if (ret)
		return ret;
	pt.pt_id = v->ioas;
	return ioctl(v->device, VFIO_DEVICE_ATTACH_IOMMUFD_PT, &pt) ? -errno : 0;
}

int cdev_open(struct vgpu *v, const struct vgpu *first)
{
	v->device = open_file(v->uuid);
	if (v->device < 0)
		return v->device;
	v->container = first ? dup(first->container) : open("/dev/iommu", O_RDWR | O_CLOEXEC);
	if (v->container < 0)
		return -errno;
	return attach(v, first);
}

int cdev_map(struct vgpu *v, void *mem, uint64_t gpa, uint64_t size, bool writable)
{
	struct iommu_ioas_map map = {
		.size = sizeof(map),
		.flags = IOMMU_IOAS_MAP_FIXED_IOVA | IOMMU_IOAS_MAP_READABLE |
			 (writable ? IOMMU_IOAS_MAP_WRITEABLE : 0),
		.ioas_id = v->ioas,
		.user_va = (uintptr_t)mem,
		.length = size,
		.iova = gpa,
	};

	return ioctl(v->container, IOMMU_IOAS_MAP, &map) ? -errno : 0;
}

int cdev_unmap(struct vgpu *v, uint64_t gpa, uint64_t size)
{
	struct iommu_ioas_unmap unmap = {
		.size = sizeof(unmap),
		.ioas_id = v->ioas,
		.iova = gpa,
		.length = size,
	};

	return ioctl(v->container, IOMMU_IOAS_UNMAP, &unmap) ? -errno : 0;
}
