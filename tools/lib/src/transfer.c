// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "buffer.h"
#include "device.h"
#include "op.h"

/* A page is the unit that is split; fewer than 16 are not worth another slice. */
#define UNIT 4096ull
#define MIN_UNITS 16
#define MAX_ROW (1ull << 32)

static int inside(const struct tess_buffer *buf, uint64_t offset, uint64_t bytes)
{
	return offset <= buf->size && bytes <= buf->size - offset;
}

static int overlap(const struct tess_transfer *t)
{
	return t->src == t->dst && t->src_offset < t->dst_offset + t->bytes &&
	       t->dst_offset < t->src_offset + t->bytes;
}

static int check(struct tess_device *dev, const struct tess_transfer *t)
{
	if (!t->dst || t->dst->dev != dev || (t->src && t->src->dev != dev))
		return tess_fail(dev, -EINVAL, "the buffer is not one of this device");
	if (t->flags & ~TESS_OP_CONCURRENT)
		return tess_fail(dev, -EINVAL, "unknown transfer flags 0x%x", t->flags);
	if (!t->bytes || t->bytes > MAX_ROW)
		return tess_fail(dev, -EINVAL, "a transfer can't have %llu bytes",
				 (unsigned long long)t->bytes);
	if (!inside(t->dst, t->dst_offset, t->bytes))
		return tess_fail(dev, -EINVAL, "the transfer ends outside of its destination");
	if (t->src && !inside(t->src, t->src_offset, t->bytes))
		return tess_fail(dev, -EINVAL, "the transfer ends outside of its source");
	if (t->src && overlap(t))
		return tess_fail(dev, -EINVAL, "source and destination overlap");
	if (!t->src && ((t->dst_offset | t->bytes) & 3))
		return tess_fail(dev, -EINVAL, "a fill needs multiples of 4 bytes");
	return 0;
}

static int emit(const struct tess_op *op, struct tess_queue *q, void *packet, uint64_t slot_va,
		uint64_t first, uint64_t count)
{
	const struct tess_transfer *t = op->data;
	uint64_t offset = first * UNIT;
	uint64_t bytes = count * UNIT < t->bytes - offset ? count * UNIT : t->bytes - offset;
	struct tess_pkt_copy copy = {
		.header = DRM_TESSERA_PKT_COPY | DRM_TESSERA_PKT_BARRIER,
		.rows = 1,
		.dst = t->dst->va + t->dst_offset + offset,
		.row_bytes = bytes,
	};
	struct tess_pkt_fill fill = {
		.header = DRM_TESSERA_PKT_FILL | DRM_TESSERA_PKT_BARRIER,
		.rows = 1,
		.dst = copy.dst,
		.row_bytes = bytes,
		.pattern = t->pattern,
	};

	(void)q;
	(void)slot_va;
	if (t->src) {
		copy.src = t->src->va + t->src_offset + offset;
		memcpy(packet, &copy, sizeof(copy));
	} else {
		memcpy(packet, &fill, sizeof(fill));
	}
	return 0;
}

int tess_transfer(struct tess_device *dev, const struct tess_transfer *t, struct tess_fence **fence)
{
	struct tess_op op = {
		.engine = TESS_HAS_COPY,
		.units = (t->bytes + UNIT - 1) / UNIT,
		.min_units = MIN_UNITS,
		.slice_mask = t->slice_mask,
		.slice_count = t->slice_count,
		.flags = t->flags,
		.emit = emit,
		.data = t,
	};
	int ret;

	ret = check(dev, t);
	return ret ? ret : tess_op_start(dev, &op, fence);
}
