// SPDX-License-Identifier: MIT
/**
 * DOC: access to the kernel driver
 *
 * Device discovery and synchronization objects are the same for all DRM drivers:
 * libdrm does them. What is special to Tessera is in drm/tessera_drm.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include "kmd.h"
#include "tessera.h"

#define DRIVER_NAME "tessera"

struct tess_kmd {
	int fd;
};

static int is_tessera(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	int ret;

	if (!version)
		return 0;
	ret = !strcmp(version->name, DRIVER_NAME);
	drmFreeVersion(version);
	return ret;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct tess_node *x = a;
	const struct tess_node *y = b;
	int ret = strcmp(x->pci, y->pci);

	return ret ? ret : strcmp(x->node, y->node);
}

static void describe(drmDevicePtr d, struct tess_node *node)
{
	memset(node, 0, sizeof(*node));
	snprintf(node->node, sizeof(node->node), "%s", d->nodes[DRM_NODE_RENDER]);
	if (d->bustype == DRM_BUS_PCI)
		snprintf(node->pci, sizeof(node->pci), "%04x:%02x:%02x.%x", d->businfo.pci->domain,
			 d->businfo.pci->bus, d->businfo.pci->dev, d->businfo.pci->func);
}

static int usable(drmDevicePtr d)
{
	int fd, ret;

	if (!(d->available_nodes & (1 << DRM_NODE_RENDER)))
		return 0;
	fd = open(d->nodes[DRM_NODE_RENDER], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ret = is_tessera(fd);
	close(fd);
	return ret;
}

int tess_kmd_list(struct tess_node *list, unsigned int max)
{
	struct tess_node *found;
	drmDevicePtr *devs;
	int i, n, count = 0;

	n = drmGetDevices2(0, NULL, 0);
	if (n <= 0)
		return n == -ENOENT ? 0 : n;
	devs = calloc(n, sizeof(*devs));
	found = calloc(n, sizeof(*found));
	if (!devs || !found) {
		count = -ENOMEM;
		goto out;
	}
	n = drmGetDevices2(0, devs, n);
	for (i = 0; i < n; i++) {
		if (usable(devs[i]))
			describe(devs[i], &found[count++]);
	}
	if (n > 0)
		drmFreeDevices(devs, n);
	qsort(found, count, sizeof(*found), compare_nodes);
	for (i = 0; i < count && (unsigned int)i < max; i++)
		list[i] = found[i];
out:
	free(found);
	free(devs);
	return count;
}

int tess_kmd_open(const char *node, struct tess_kmd **kmd)
{
	int fd, ret;

	fd = open(node, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = -ENOTTY;
	if (!is_tessera(fd))
		goto err_close;
	ret = -ENOMEM;
	*kmd = malloc(sizeof(**kmd));
	if (!*kmd)
		goto err_close;
	(*kmd)->fd = fd;
	return 0;

err_close:
	close(fd);
	return ret;
}

void tess_kmd_close(struct tess_kmd *kmd)
{
	close(kmd->fd);
	free(kmd);
}

int tess_kmd_ioctl(struct tess_kmd *kmd, unsigned long request, void *arg)
{
	return drmIoctl(kmd->fd, request, arg) ? -errno : 0;
}

int tess_kmd_mmap(struct tess_kmd *kmd, uint64_t offset, size_t size, void *at, void **addr)
{
	int flags = MAP_SHARED | (at ? MAP_FIXED_NOREPLACE : 0);
	void *p = mmap(at, size, PROT_READ | PROT_WRITE, flags, kmd->fd, (off_t)offset);

	if (p == MAP_FAILED)
		return -errno;
	*addr = p;
	return 0;
}

void tess_kmd_munmap(void *addr, size_t size)
{
	munmap(addr, size);
}

int tess_kmd_import(struct tess_kmd *kmd, int fd, uint32_t *handle)
{
	return drmPrimeFDToHandle(kmd->fd, fd, handle) ? -errno : 0;
}

void tess_kmd_gem_close(struct tess_kmd *kmd, uint32_t handle)
{
	drmCloseBufferHandle(kmd->fd, handle);
}

int tess_kmd_sync_create(struct tess_kmd *kmd, uint32_t *handle)
{
	return drmSyncobjCreate(kmd->fd, 0, handle) ? -errno : 0;
}

void tess_kmd_sync_destroy(struct tess_kmd *kmd, uint32_t handle)
{
	drmSyncobjDestroy(kmd->fd, handle);
}

int tess_kmd_sync_wait(struct tess_kmd *kmd, uint32_t *handles, uint64_t *points,
		       unsigned int count, int64_t deadline_ns)
{
	/* Returns the errno value, unlike its siblings. */
	return drmSyncobjTimelineWait(kmd->fd, handles, points, count, deadline_ns,
				      DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL, NULL);
}
