// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For the kernel's VFIO selftests, to be preloaded: they map each BAR as a whole and do not look
 * at VFIO_REGION_INFO_CAP_SPARSE_MMAP. This maps the areas that are there, as a VMM does, and
 * leaves the rest of the BAR unreachable.
 */
#include <errno.h>
#include <linux/vfio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *do_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, off);
}

/* Description of BAR @index with its capabilities, to be freed; NULL: no such BAR */
static struct vfio_region_info *get_info(int fd, unsigned int index)
{
	struct vfio_region_info first = { .argsz = sizeof(first), .index = index };
	struct vfio_region_info *info;

	if (ioctl(fd, VFIO_DEVICE_GET_REGION_INFO, &first))
		return NULL;
	info = calloc(1, first.argsz);
	if (!info)
		return NULL;
	info->argsz = first.argsz;
	info->index = index;
	if (!ioctl(fd, VFIO_DEVICE_GET_REGION_INFO, info))
		return info;
	free(info);
	return NULL;
}

static struct vfio_region_info_cap_sparse_mmap *get_areas(struct vfio_region_info *info)
{
	struct vfio_info_cap_header *cap;
	uint32_t at;

	if (!(info->flags & VFIO_REGION_INFO_FLAG_CAPS))
		return NULL;
	for (at = info->cap_offset; at; at = cap->next) {
		cap = (void *)((char *)info + at);
		if (cap->id == VFIO_REGION_INFO_CAP_SPARSE_MMAP)
			return (void *)cap;
	}
	return NULL;
}

static void *map_areas(const struct vfio_region_info *info,
		       const struct vfio_region_info_cap_sparse_mmap *areas, void *addr, int prot,
		       int flags, int fd)
{
	unsigned int i;
	char *bar;

	bar = do_mmap(addr, info->size, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (flags & MAP_FIXED), -1, 0);
	for (i = 0; bar != MAP_FAILED && i < areas->nr_areas; i++) {
		const struct vfio_region_sparse_mmap_area *area = &areas->areas[i];

		if (do_mmap(bar + area->offset, area->size, prot, flags | MAP_FIXED, fd,
			    info->offset + area->offset) == MAP_FAILED)
			return MAP_FAILED;
	}
	return bar;
}

/* Instead of libc's. Only mappings of a whole BAR are in question */
void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	struct vfio_region_info_cap_sparse_mmap *areas;
	struct vfio_region_info *info;
	int saved = errno;
	unsigned int i;
	void *bar;

	for (i = 0; fd >= 0 && i <= VFIO_PCI_BAR5_REGION_INDEX; i++) {
		info = get_info(fd, i);
		if (!info)
			break;
		areas = get_areas(info);
		if (areas && info->offset == (uint64_t)off && info->size == len) {
			bar = map_areas(info, areas, addr, prot, flags, fd);
			free(info);
			return bar;
		}
		free(info);
	}
	errno = saved;
	return do_mmap(addr, len, prot, flags, fd, off);
}
