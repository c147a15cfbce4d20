// SPDX-License-Identifier: GPL-2.0-or-later
/* The VFIO device and its memory */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cdev.h"
#include "patience.h"
#include "vgpu.h"

int limit_locked_memory(unsigned long bytes)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	struct rlimit limit = { bytes, bytes };

	/* Who has the capability has no limit */
	if (syscall(SYS_capget, &head, data))
		return -errno;
	data[0].effective &= ~(1U << CAP_IPC_LOCK);
	data[0].permitted &= ~(1U << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &head, data) || setrlimit(RLIMIT_MEMLOCK, &limit))
		return -errno;
	return 0;
}

static int open_group(const char *uuid)
{
	char path[PATH_MAX], link[PATH_MAX];
	const char *nr;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/mdev/devices/%s/iommu_group", uuid);
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return -errno;
	link[n] = 0;
	nr = strrchr(link, '/') + 1;
	snprintf(path, sizeof(path), "/dev/vfio/%.16s", nr);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int get_regions(struct vgpu *v)
{
	unsigned int i;

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		struct vfio_region_info info = { .argsz = sizeof(info), .index = i };

		if (ioctl(v->device, VFIO_DEVICE_GET_REGION_INFO, &info))
			return -errno;
		v->region[i].size = info.size;
		v->region[i].offset = info.offset;
		v->region[i].flags = info.flags;
	}
	return 0;
}

bool vgpu_uses_iommufd(void)
{
	return getenv("TESSERA_IOMMUFD");
}

/* In a container, or an iommufd, of its own, or in that of @first */
static int open_device(struct vgpu *v, const struct vgpu *first)
{
	int fd;

	if (vgpu_uses_iommufd()) {
		fd = cdev_open(v, first);
		return fd ?: get_regions(v);
	}

	v->container = first ? dup(first->container) : open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	if (v->container < 0)
		return -errno;
	fd = open_group(v->uuid);
	if (fd < 0)
		return fd;
	v->group = fd;
	if (ioctl(v->group, VFIO_GROUP_SET_CONTAINER, &v->container))
		return -errno;
	if (!first && ioctl(v->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU))
		return -errno;
	v->device = ioctl(v->group, VFIO_GROUP_GET_DEVICE_FD, v->uuid);
	return v->device < 0 ? -errno : get_regions(v);
}

static int open_with(struct vgpu *v, const char *uuid, const struct vgpu *first)
{
	int ret;

	memset(v, 0, sizeof(*v));
	snprintf(v->uuid, sizeof(v->uuid), "%s", uuid);
	v->container = v->group = v->device = -1;
	ret = open_device(v, first);
	if (ret) {
		vgpu_close(v);
		return ret;
	}
	v->vslices = reg32(v, TESS_REG_SLICE_COUNT);
	v->doorbells = vgpu_mmap(v, TESS_BAR_REGS, TESS_DOORBELL_PAGE(0), v->vslices * PAGE);
	if (v->doorbells == MAP_FAILED) {
		ret = -errno;
		vgpu_close(v);
		return ret;
	}
	return 0;
}

int vgpu_open_bare(struct vgpu *v, const char *uuid)
{
	return open_with(v, uuid, NULL);
}

int vgpu_join(struct vgpu *v, const char *uuid, const struct vgpu *first)
{
	int ret = open_with(v, uuid, first);

	/* Both know the same memory */
	if (!ret)
		v->ram = first->ram;
	return ret;
}

int vgpu_open(struct vgpu *v, const char *uuid)
{
	int ret = vgpu_open_bare(v, uuid);

	if (ret)
		return ret;
	v->ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (v->ram == MAP_FAILED) {
		v->ram = NULL;
		return -ENOMEM;
	}
	return vgpu_map(v, v->ram, RAM_GPA, RAM_SIZE, true);
}

void vgpu_close(struct vgpu *v)
{
	/* A mapping would keep the device open */
	while (v->nr_maps) {
		v->nr_maps--;
		munmap(v->maps[v->nr_maps].addr, v->maps[v->nr_maps].size);
	}
	if (v->device >= 0)
		close(v->device);
	if (v->group >= 0)
		close(v->group);
	if (v->container >= 0)
		close(v->container);
	if (v->ram)
		munmap(v->ram, RAM_SIZE);
	v->doorbells = NULL;
	v->ram = NULL;
	v->container = v->group = v->device = -1;
}

int vgpu_map(struct vgpu *v, void *mem, uint64_t gpa, uint64_t size, bool writable)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | (writable ? VFIO_DMA_MAP_FLAG_WRITE : 0),
		.vaddr = (uintptr_t)mem,
		.iova = gpa,
		.size = size,
	};

	if (vgpu_uses_iommufd())
		return cdev_map(v, mem, gpa, size, writable);
	return ioctl(v->container, VFIO_IOMMU_MAP_DMA, &map) ? -errno : 0;
}

int vgpu_unmap(struct vgpu *v, uint64_t gpa, uint64_t size)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.iova = gpa,
		.size = size,
	};

	if (vgpu_uses_iommufd())
		return cdev_unmap(v, gpa, size);
	return ioctl(v->container, VFIO_IOMMU_UNMAP_DMA, &unmap) ? -errno : 0;
}

/* An address where large mappings can use large pages, as VMMs choose it; NULL: any */
static void *huge_place(uint64_t size)
{
	uint64_t huge = 2 << 20;
	uintptr_t at;
	void *p;

	if (size < huge)
		return NULL;
	p = mmap(NULL, size + huge, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	munmap(p, size + huge);
	at = ((uintptr_t)p + huge - 1) & ~(huge - 1);
	return (void *)at;
}

void *vgpu_mmap(struct vgpu *v, unsigned int region, uint64_t off, uint64_t size)
{
	void *p, *at;

	if (v->nr_maps == sizeof(v->maps) / sizeof(*v->maps))
		return MAP_FAILED;
	at = huge_place(size);
	p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), v->device,
		 v->region[region].offset + off);
	if (p != MAP_FAILED) {
		v->maps[v->nr_maps].addr = p;
		v->maps[v->nr_maps++].size = size;
	}
	return p;
}

int vgpu_irq(struct vgpu *v, uint32_t index, uint32_t flags, uint32_t start, uint32_t count,
	     const void *data, size_t size)
{
	union {
		struct vfio_irq_set set;
		uint8_t raw[sizeof(struct vfio_irq_set) + 64];
	} u = { .set = {
			.argsz = sizeof(u.set) + size,
			.flags = flags,
			.index = index,
			.start = start,
			.count = count,
		} };

	if (size)
		memcpy(u.set.data, data, size);
	return ioctl(v->device, VFIO_DEVICE_SET_IRQS, &u) ? -errno : 0;
}

int vgpu_eventfd(struct vgpu *v, unsigned int vector)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), ret;

	if (fd < 0)
		return -errno;
	ret = vgpu_irq(v, VFIO_PCI_MSIX_IRQ_INDEX,
		       VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER, vector, 1, &fd,
		       sizeof(fd));
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

uint64_t eventfd_wait(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t n = 0;

	if (poll(&p, 1, timeout_ms * (int)patience()) != 1 || read(fd, &n, sizeof(n)) != sizeof(n))
		return 0;
	return n;
}

int region_read(struct vgpu *v, unsigned int region, uint64_t off, void *buf, size_t len)
{
	ssize_t n = pread(v->device, buf, len, v->region[region].offset + off);

	return n < 0 ? -errno : n;
}

int region_write(struct vgpu *v, unsigned int region, uint64_t off, const void *buf, size_t len)
{
	ssize_t n = pwrite(v->device, buf, len, v->region[region].offset + off);

	return n < 0 ? -errno : n;
}

static void must(bool cond, const char *what)
{
	if (cond)
		return;
	printf("# %s: %s\n", what, strerror(errno));
	exit(1);
}

uint32_t reg32(struct vgpu *v, uint32_t off)
{
	uint32_t val = 0;

	must(region_read(v, TESS_BAR_REGS, off, &val, 4) == 4, "register read");
	return val;
}

uint64_t reg64(struct vgpu *v, uint32_t off)
{
	uint64_t val = 0;

	must(region_read(v, TESS_BAR_REGS, off, &val, 8) == 8, "register read");
	return val;
}

void reg32_write(struct vgpu *v, uint32_t off, uint32_t val)
{
	must(region_write(v, TESS_BAR_REGS, off, &val, 4) == 4, "register write");
}

void reg64_write(struct vgpu *v, uint32_t off, uint64_t val)
{
	must(region_write(v, TESS_BAR_REGS, off, &val, 8) == 8, "register write");
}
