// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: the client's DMA map
 *
 * An array sorted by address, searched by bisection after a look at the entry
 * that was hit last: a client has tens of mappings (guest RAM) or some
 * thousands (behind a vIOMMU), changes are rare, look-ups are not.
 *
 * DMA_UNMAP names a range, not a mapping. The protocol asks for an exact
 * match, but QEMU sends ranges that match no single earlier DMA_MAP, and
 * ranges where nothing is mapped. So everything inside the range goes, a
 * mapping that the range cuts keeps the rest, and nothing there is success.
 */
#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mappings of the process that stay for the model's own memory and for sigbus.c. */
#define MAPS_RESERVED 4096
#define MAPS_DEFAULT 65530

/*
 * The kernel limits the mappings of a process. A client must not use them up:
 * the model's own allocations would fail, and the SIGBUS handler's.
 */
void vfu_dma_init(struct vfu *v)
{
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");
	unsigned int max;

	if (!f || fscanf(f, "%u", &max) != 1)
		max = MAPS_DEFAULT;
	if (f)
		fclose(f);
	max = max > 2 * MAPS_RESERVED ? max - MAPS_RESERVED : max / 2;
	v->dma.max_host = max < VFU_MAX_DMA ? max : VFU_MAX_DMA;
}

/* Index of the first entry that ends at or after @iova; @map->nr if none does. */
static unsigned int find_from(const struct vfu_dma_map *map, uint64_t iova)
{
	unsigned int lo = 0;
	unsigned int hi = map->nr;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (map->v[mid].last < iova)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_empty(const struct vfu_dma_map *map, unsigned int i, uint64_t last)
{
	return i == map->nr || map->v[i].iova > last;
}

static int reserve(struct vfu_dma_map *map)
{
	unsigned int size = map->size ? map->size * 2 : 16;
	struct vfu_dma *v;

	if (map->nr < map->size)
		return 0;
	v = realloc(map->v, size * sizeof(*v));
	if (!v)
		return -ENOMEM;
	map->v = v;
	map->size = size;
	return 0;
}

static void insert_at(struct vfu_dma_map *map, unsigned int i, const struct vfu_dma *d)
{
	memmove(&map->v[i + 1], &map->v[i], (map->nr - i) * sizeof(*map->v));
	map->v[i] = *d;
	map->nr++;
	map->nr_host += !!d->host;
}

static void remove_range(struct vfu_dma_map *map, unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = from; i < to; i++)
		map->nr_host -= !!map->v[i].host;
	memmove(&map->v[from], &map->v[to], (map->nr - to) * sizeof(*map->v));
	map->nr -= to - from;
	map->hint = 0;
}

void *vfu_dma_ptr(struct vfu *v, uint64_t iova, uint64_t len, int prot)
{
	struct vfu_dma_map *map = &v->dma;
	uint64_t last = iova + len - 1;
	const struct vfu_dma *d;
	unsigned int i = __atomic_load_n(&map->hint, __ATOMIC_RELAXED);

	if (!len || last < iova || !map->nr)
		return NULL;
	if (iova < map->v[i].iova || iova > map->v[i].last) {
		i = find_from(map, iova);
		if (i == map->nr)
			return NULL;
		__atomic_store_n(&map->hint, i, __ATOMIC_RELAXED);
	}
	d = &map->v[i];
	if (iova < d->iova || last > d->last || !d->host || (prot & ~d->prot))
		return NULL;
	return d->host + (iova - d->iova);
}

unsigned int vfu_dma_count(const struct vfu *v)
{
	return v->dma.nr;
}

/*
 * Only regular files (memfd, tmpfs, hugetlbfs, disk) can be memory; mapping a
 * device node would let the client choose what an access does.
 */
static int map_fd(int fd, const struct vfu_msg_dma_map *m, int prot, uint8_t **host)
{
	struct stat st;
	void *p;

	if (m->offset % VFU_PAGE_SIZE || m->offset > INT64_MAX || m->size > INT64_MAX)
		return -EINVAL;
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || m->offset > (uint64_t)st.st_size ||
	    m->size > (uint64_t)st.st_size - m->offset)
		return -EINVAL;
	p = mmap(NULL, m->size, prot, MAP_SHARED | MAP_NORESERVE, fd, m->offset);
	if (p == MAP_FAILED)
		return -errno;
	*host = p;
	return 0;
}

static int check_map(const struct vfu *v, const struct vfu_msg_dma_map *m)
{
	const uint32_t known = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;

	if (m->argsz < sizeof(*m) || (m->flags & ~known) || !(m->flags & known))
		return -EINVAL;
	if (!m->size || m->iova % VFU_PAGE_SIZE || m->size % VFU_PAGE_SIZE ||
	    m->iova + m->size - 1 < m->iova)
		return -EINVAL;
	return v->dma.nr < VFU_MAX_DMA ? 0 : -ENOSPC;
}

int vfu_dma_do_map(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfu_dma d = { 0 };
	struct vfu_msg_dma_map m;
	unsigned int i;
	int ret;

	(void)len;
	(void)reply_fd;
	memcpy(&m, payload, sizeof(m));
	ret = check_map(v, &m);
	if (ret)
		return ret;
	d.iova = m.iova;
	d.last = m.iova + m.size - 1;
	d.prot |= m.flags & VFIO_DMA_MAP_FLAG_READ ? PROT_READ : 0;
	d.prot |= m.flags & VFIO_DMA_MAP_FLAG_WRITE ? PROT_WRITE : 0;
	i = find_from(&v->dma, d.iova);
	if (!is_empty(&v->dma, i, d.last))
		return -EEXIST;
	ret = reserve(&v->dma);
	if (ret)
		return ret;
	if (v->conn.nr_fds) {
		if (v->dma.nr_host == v->dma.max_host)
			return -ENOSPC;
		ret = map_fd(v->conn.fds[0], &m, d.prot, &d.host);
		if (ret)
			return ret;
	}
	insert_at(&v->dma, i, &d);
	if (v->ops->dma_map)
		v->ops->dma_map(v->opaque, m.iova, m.size, d.host ? d.prot : 0);
	return 0;
}

static int unmap_host(const struct vfu_dma *d, uint64_t iova, uint64_t last)
{
	if (d->host && munmap(d->host + (iova - d->iova), last - iova + 1))
		return -errno;
	return 0;
}

static int cut_front(struct vfu_dma *d, uint64_t last)
{
	int ret = unmap_host(d, d->iova, last);

	if (ret)
		return ret;
	if (d->host)
		d->host += last + 1 - d->iova;
	d->iova = last + 1;
	return 0;
}

static int cut_back(struct vfu_dma *d, uint64_t iova)
{
	int ret = unmap_host(d, iova, d->last);

	if (!ret)
		d->last = iova - 1;
	return ret;
}

/* [iova, last] lies inside entry @i and touches neither end: two are left. */
static int cut_hole(struct vfu_dma_map *map, unsigned int i, uint64_t iova, uint64_t last)
{
	struct vfu_dma tail = map->v[i];
	int ret = unmap_host(&tail, iova, last);

	if (ret)
		return ret;
	if (tail.host)
		tail.host += last + 1 - tail.iova;
	tail.iova = last + 1;
	map->v[i].last = iova - 1;
	insert_at(map, i + 1, &tail);
	return 0;
}

/* Entries from @i on that end at or before @last, at once: there can be very many. */
static int cut_whole(struct vfu_dma_map *map, unsigned int i, uint64_t last)
{
	unsigned int end;
	int ret = 0;

	for (end = i; end < map->nr && map->v[end].last <= last; end++) {
		ret = unmap_host(&map->v[end], map->v[end].iova, map->v[end].last);
		if (ret)
			break;
	}
	remove_range(map, i, end);
	return ret;
}

static uint64_t range_size(uint64_t iova, uint64_t last)
{
	uint64_t size = last - iova + 1;

	return size ? size : UINT64_MAX;
}

static int reserve_for_hole(struct vfu_dma_map *map, unsigned int i)
{
	if (map->nr == VFU_MAX_DMA || (map->v[i].host && map->nr_host == map->max_host))
		return -ENOSPC;
	return reserve(map);
}

/* The device forgets its pointers first, then the memory goes. */
static int unmap_range(struct vfu *v, uint64_t iova, uint64_t last)
{
	struct vfu_dma_map *map = &v->dma;
	unsigned int i = find_from(map, iova);
	bool hole;
	int ret;

	if (is_empty(map, i, last))
		return 0;
	hole = map->v[i].iova < iova && map->v[i].last > last;
	ret = hole ? reserve_for_hole(map, i) : 0;
	if (ret)
		return ret;
	v->ops->dma_unmap(v->opaque, iova, range_size(iova, last));
	if (hole)
		return cut_hole(map, i, iova, last);
	if (map->v[i].iova < iova) {
		ret = cut_back(&map->v[i], iova);
		if (ret)
			return ret;
		i++;
	}
	ret = cut_whole(map, i, last);
	if (ret || is_empty(map, i, last))
		return ret;
	return cut_front(&map->v[i], last);
}

/* The whole map goes at once: no munmap() may be left undone. */
void vfu_dma_drop_all(struct vfu *v)
{
	struct vfu_dma_map *map = &v->dma;
	unsigned int i;

	if (map->nr)
		v->ops->dma_unmap(v->opaque, 0, UINT64_MAX);
	for (i = 0; i < map->nr; i++)
		unmap_host(&map->v[i], map->v[i].iova, map->v[i].last);
	free(map->v);
	map->v = NULL;
	map->nr = 0;
	map->nr_host = 0;
	map->size = 0;
	map->hint = 0;
	map->lost = false;
}

void vfu_dma_drop_lost(struct vfu *v)
{
	struct vfu_dma_map *map = &v->dma;
	unsigned int i;
	uint64_t wakes;

	(void)!read(v->wake_fd, &wakes, sizeof(wakes));
	map->lost = false;
	for (i = map->nr; i-- > 0;) {
		struct vfu_dma d = map->v[i];

		if (!d.lost)
			continue;
		vfu_log(v, "client truncated the memory at 0x%llx: mapping dropped",
			(unsigned long long)d.iova);
		v->ops->dma_unmap(v->opaque, d.iova, range_size(d.iova, d.last));
		unmap_host(&d, d.iova, d.last);
		remove_range(map, i, i + 1);
	}
}

int vfu_dma_do_unmap(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfu_msg_dma_unmap m;
	uint64_t last;
	int ret;

	(void)len;
	(void)reply_fd;
	memcpy(&m, payload, sizeof(m));
	if (m.argsz < sizeof(m))
		return -EINVAL;
	if (m.flags & ~VFIO_DMA_UNMAP_FLAG_ALL)
		return -EOPNOTSUPP;
	if (m.flags & VFIO_DMA_UNMAP_FLAG_ALL) {
		if (m.iova || m.size)
			return -EINVAL;
		last = UINT64_MAX;
	} else {
		last = m.iova + m.size - 1;
		if (!m.size || m.iova % VFU_PAGE_SIZE || m.size % VFU_PAGE_SIZE || last < m.iova)
			return -EINVAL;
	}
	ret = unmap_range(v, m.iova, last);
	if (ret)
		return ret;
	m.argsz = sizeof(m);
	memcpy(vfu_conn_reply_buf(&v->conn), &m, sizeof(m));
	return sizeof(m);
}
