// SPDX-License-Identifier: MIT
/**
 * DOC: dispatches
 *
 * A dispatch is split by work-groups: each slice gets the whole grid and a range of its
 * groups (DISPATCH_RANGE), so that ids are those of the whole grid everywhere.
 */
#include <errno.h>
#include <string.h>

#include "device.h"
#include "op.h"
#include "program.h"
#include "queue.h"

/**
 * struct launch - a checked dispatch
 * @d: what the caller wants
 * @grid: work-items, no zeroes
 * @group: work-items of a group, no zeroes
 * @private_bytes: of a work-item
 * @local_bytes: of a group
 * @items: of a full group
 * @group_slots: groups in flight on a slice
 */
struct launch {
	const struct tess_dispatch *d;
	uint32_t grid[3];
	uint32_t group[3];
	uint32_t private_bytes;
	uint32_t local_bytes;
	uint32_t items;
	uint32_t group_slots;
};

/*
 * Private memories lie one after the other. Distances that are a multiple of the page
 * size would put the same variable of all work-items into the same cache set.
 */
static uint32_t private_stride(uint32_t bytes)
{
	bytes = (bytes + 15) & ~15u;
	return bytes % 4096 ? bytes : bytes + 64;
}

static int check_shape(struct tess_device *dev, struct launch *l, uint64_t *groups)
{
	uint64_t items = 1, n = 1;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		l->grid[i] = l->d->grid[i] ? l->d->grid[i] : 1;
		l->group[i] = l->d->group[i] ? l->d->group[i] : 1;
		if (l->group[i] > dev->limits.max_group_items)
			break;
		items *= l->group[i];
		/* below 2^64: at most 2^32 * 2^32 */
		n *= ((uint64_t)l->grid[i] + l->group[i] - 1) / l->group[i];
		if (n > UINT32_MAX)
			return tess_fail(dev, -EINVAL,
					 "the grid has more than 2^32 - 1 work-groups");
	}
	if (i < 3 || items > dev->limits.max_group_items)
		return tess_fail(dev, -EINVAL,
				 "a work-group of %ux%ux%u work-items: the GPU allows %u",
				 l->d->group[0], l->d->group[1], l->d->group[2],
				 dev->limits.max_group_items);
	l->items = (uint32_t)items;
	*groups = n;
	return 0;
}

/*
 * What the kernel can use and the GPU knows of, which may be another one after a move. Whether a
 * slice has it shows when the dispatch starts there. Older GPUs refuse packets that ask.
 */
static uint16_t units_to_ask_locked(const struct tess_kernel *k)
{
	return (uint16_t)((k->units & tess_known_units(k->prog->dev)) * DRM_TESSERA_SETUP_TEX);
}

static int check_memory(struct tess_device *dev, struct launch *l)
{
	const struct tess_dispatch *d = l->d;
	uint64_t local = (uint64_t)d->kernel->local_bytes + d->local_bytes;

	if (d->args_size > TESS_MAX_ARGS || (d->args_size && !d->args))
		return tess_fail(dev, -E2BIG, "%u bytes of arguments: at most %u are possible",
				 d->args_size, TESS_MAX_ARGS);
	if (local > dev->limits.max_local_bytes)
		return tess_fail(dev, -EINVAL, "%llu bytes of local memory: the GPU has %u",
				 (unsigned long long)local, dev->limits.max_local_bytes);
	if (d->private_bytes > 1u << 20)
		return tess_fail(dev, -EINVAL, "%u bytes of private memory: at most 1 MiB",
				 d->private_bytes);
	l->local_bytes = (uint32_t)local;
	l->private_bytes =
		private_stride(d->private_bytes ? d->private_bytes : d->kernel->private_bytes);
	l->group_slots = dev->limits.group_slots;
	return 0;
}

static int emit(const struct tess_op *op, struct tess_queue *q, void *packet, uint64_t slot_va,
		uint64_t first, uint64_t count)
{
	const struct launch *l = op->data;
	struct tess_pkt_dispatch pkt = {
		.header = DRM_TESSERA_PKT_DISPATCH_RANGE | DRM_TESSERA_PKT_BARRIER |
			  DRM_TESSERA_PKT_ACQUIRE_SYSTEM | DRM_TESSERA_PKT_RELEASE_SYSTEM,
		.setup = 3 | units_to_ask_locked(l->d->kernel),
		.private_segment_size = l->private_bytes,
		.group_segment_size = l->local_bytes,
		.kernel_object = l->d->kernel->entry,
		.kernarg_address = slot_va + offsetof(struct tess_slot, args),
		.completion_signal = DRM_TESSERA_DISPATCH_RANGE(first, count),
	};
	uint64_t scratch;
	unsigned int i;
	int ret;

	for (i = 0; i < 3; i++) {
		pkt.wg_size[i] = (uint16_t)l->group[i];
		pkt.grid_size[i] = l->grid[i];
	}
	ret = tess_queue_scratch_locked(q, (uint64_t)l->group_slots * l->items * l->private_bytes,
					&scratch);
	if (ret)
		return ret;
	pkt.scratch_address = scratch;
	memcpy(packet, &pkt, sizeof(pkt));
	return 0;
}

int tess_dispatch(struct tess_device *dev, const struct tess_dispatch *d, struct tess_fence **fence)
{
	struct launch l = { .d = d };
	struct tess_op op = {
		.engine = TESS_HAS_COMPUTE,
		.by_cores = 1,
		.slice_mask = d->slice_mask,
		.slice_count = d->slice_count,
		.flags = d->flags,
		.args = d->args,
		.args_size = d->args_size,
		.emit = emit,
		.data = &l,
	};
	int ret;

	if (!d->kernel || d->kernel->prog->dev != dev)
		return tess_fail(dev, -EINVAL, "the kernel is not one of this device");
	if (d->flags & ~TESS_OP_CONCURRENT)
		return tess_fail(dev, -EINVAL, "unknown dispatch flags 0x%x", d->flags);
	ret = check_shape(dev, &l, &op.units);
	if (!ret)
		ret = check_memory(dev, &l);
	return ret ? ret : tess_op_start(dev, &op, fence);
}

int tess_run(struct tess_device *dev, const struct tess_dispatch *d, struct tess_counters *counters)
{
	struct tess_fence *fence;
	int ret;

	ret = tess_dispatch(dev, d, &fence);
	if (ret)
		return ret;
	ret = tess_fence_wait(fence, -1, counters);
	tess_fence_destroy(fence);
	return ret;
}
