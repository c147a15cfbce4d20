// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: regions
 *
 * A region is a table entry. What the client may map it gets as a file
 * descriptor, in whole or as sparse areas; everything else arrives here as
 * messages, is checked against the table, and goes to the memory behind the
 * region or to the device.
 */
#include "server.h"

#include <errno.h>
#include <string.h>

#define ACCESS_FLAGS \
	(VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE | VFIO_REGION_INFO_FLAG_MMAP)

static size_t sparse_size(const struct vfu_region *r)
{
	if (!r->nr_areas)
		return 0;
	return sizeof(struct vfio_region_info_cap_sparse_mmap) +
	       r->nr_areas * sizeof(struct vfio_region_sparse_mmap_area);
}

static void put_sparse(uint8_t *to, const struct vfu_region *r)
{
	struct vfio_region_info_cap_sparse_mmap cap = {
		.header = { .id = VFIO_REGION_INFO_CAP_SPARSE_MMAP, .version = 1 },
		.nr_areas = r->nr_areas,
	};
	uint32_t i;

	memcpy(to, &cap, sizeof(cap));
	to += sizeof(cap);
	for (i = 0; i < r->nr_areas; i++, to += sizeof(struct vfio_region_sparse_mmap_area)) {
		struct vfio_region_sparse_mmap_area area = {
			.offset = r->areas[i].offset,
			.size = r->areas[i].size,
		};

		memcpy(to, &area, sizeof(area));
	}
}

int vfu_region_info(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfio_region_info info;
	const struct vfu_region *r;
	size_t full, reply_len;
	uint8_t *reply;

	(void)len;
	memcpy(&info, payload, sizeof(info));
	if (info.argsz < sizeof(info) || info.index >= VFIO_PCI_NUM_REGIONS)
		return -EINVAL;
	r = &v->desc.regions[info.index];
	full = sizeof(info) + sparse_size(r);
	reply_len = info.argsz < full ? sizeof(info) : full;
	info.argsz = full;
	info.flags = r->size ? r->flags & ACCESS_FLAGS : 0;
	info.cap_offset = 0;
	info.size = r->size;
	info.offset = r->fd_offset;
	reply = vfu_conn_reply_buf(&v->conn);
	if (full > sizeof(info)) {
		info.flags |= VFIO_REGION_INFO_FLAG_CAPS;
		if (reply_len == full) {
			info.cap_offset = sizeof(info);
			put_sparse(reply + sizeof(info), r);
		}
	}
	memcpy(reply, &info, sizeof(info));
	if (info.flags & VFIO_REGION_INFO_FLAG_MMAP)
		*reply_fd = r->fd;
	return reply_len;
}

static int check_access(const struct vfu *v, const struct vfu_msg_region_access *m, uint32_t flag)
{
	const struct vfu_region *r;

	if (m->region >= VFIO_PCI_NUM_REGIONS || !m->count || m->count > VFU_MAX_XFER)
		return -EINVAL;
	r = &v->desc.regions[m->region];
	if (m->count > r->size || m->offset > r->size - m->count)
		return -EINVAL;
	return r->flags & flag ? 0 : -EPERM;
}

static uint8_t *backing(const struct vfu *v, const struct vfu_msg_region_access *m)
{
	const struct vfu_region *r = &v->desc.regions[m->region];

	if (!r->mem || m->count > r->mem_size || m->offset > r->mem_size - m->count)
		return NULL;
	return (uint8_t *)r->mem + m->offset;
}

int vfu_region_do_read(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfu_msg_region_access m;
	uint8_t *reply, *mem;
	int ret;

	(void)len;
	(void)reply_fd;
	memcpy(&m, payload, sizeof(m));
	ret = check_access(v, &m, VFIO_REGION_INFO_FLAG_READ);
	if (ret)
		return ret;
	if (m.count > v->conn.client_xfer)
		return -E2BIG;
	reply = vfu_conn_reply_buf(&v->conn);
	memcpy(reply, &m, sizeof(m));
	mem = backing(v, &m);
	if (mem)
		memcpy(reply + sizeof(m), mem, m.count);
	else
		ret = v->ops->region_read(v->opaque, m.region, m.offset, reply + sizeof(m),
					  m.count);
	return ret < 0 ? ret : (int)(sizeof(m) + m.count);
}

static int write_one(struct vfu *v, const struct vfu_msg_region_access *m, const void *data)
{
	uint8_t *mem;
	int ret;

	ret = check_access(v, m, VFIO_REGION_INFO_FLAG_WRITE);
	if (ret)
		return ret;
	mem = backing(v, m);
	if (!mem)
		return v->ops->region_write(v->opaque, m->region, m->offset, data, m->count);
	memcpy(mem, data, m->count);
	return 0;
}

int vfu_region_do_write(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	struct vfu_msg_region_access m;
	int ret;

	(void)reply_fd;
	memcpy(&m, payload, sizeof(m));
	if (len - sizeof(m) != m.count)
		return -EINVAL;
	ret = write_one(v, &m, (const uint8_t *)payload + sizeof(m));
	if (ret < 0)
		return ret;
	memcpy(vfu_conn_reply_buf(&v->conn), &m, sizeof(m));
	return sizeof(m);
}

/* Stops at the first write that fails; the reply says how many were done. */
int vfu_region_do_write_multi(struct vfu *v, const void *payload, size_t len, int *reply_fd)
{
	const uint8_t *p = (const uint8_t *)payload + sizeof(uint64_t);
	struct vfu_msg_write_one one;
	uint64_t count, done;
	int ret = 0;

	(void)reply_fd;
	if (!v->conn.multi)
		return -EOPNOTSUPP;
	memcpy(&count, payload, sizeof(count));
	len -= sizeof(count);
	if (!count || len % sizeof(one) || len / sizeof(one) != count)
		return -EINVAL;
	for (done = 0; done < count; done++, p += sizeof(one)) {
		struct vfu_msg_region_access m;

		memcpy(&one, p, sizeof(one));
		m.offset = one.offset;
		m.region = one.region;
		m.count = one.count;
		ret = one.count <= sizeof(one.data) ? write_one(v, &m, one.data) : -EINVAL;
		if (ret < 0)
			break;
	}
	if (!done)
		return ret;
	memcpy(vfu_conn_reply_buf(&v->conn), &done, sizeof(done));
	return sizeof(done);
}
