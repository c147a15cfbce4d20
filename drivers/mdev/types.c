// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: types
 *
 * A type is a shape that a vGPU can have at creation: a kind and a number of slices,
 * with the slices' own share of the VRAM. The set is fixed so that managers can count
 * instances: compute, render and mixed, of one, two and four slices each; and the same
 * once more with slices that up to TESS_SHARE_MAX vGPUs share in time, of which each has
 * that part of the VRAM. A GPU offers those of which it could give at least one; the rest
 * is left out for good, because what a GPU consists of does not change.
 *
 * The name of a type's directory is that of the PCI driver and the short name,
 * "tessera_pci-C1", and never changes: it stands in the configuration of VMs.
 */
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/sysfs.h>
#include "parent.h"

struct tess_mdev_shape {
	const char *sysfs_name;
	const char *name;
	u32 kind;
	u32 slices;
	bool shared;
};

static const struct tess_mdev_shape tess_mdev_shapes[TESS_MDEV_MAX_TYPES] = {
	{ "C1", "Tessera C1", TESS_KIND_COMPUTE, 1 },
	{ "C2", "Tessera C2", TESS_KIND_COMPUTE, 2 },
	{ "C4", "Tessera C4", TESS_KIND_COMPUTE, 4 },
	{ "R1", "Tessera R1", TESS_KIND_RENDER, 1 },
	{ "R2", "Tessera R2", TESS_KIND_RENDER, 2 },
	{ "R4", "Tessera R4", TESS_KIND_RENDER, 4 },
	{ "M1", "Tessera M1", TESS_KIND_MIXED, 1 },
	{ "M2", "Tessera M2", TESS_KIND_MIXED, 2 },
	{ "M4", "Tessera M4", TESS_KIND_MIXED, 4 },
	{ "C1S", "Tessera C1S", TESS_KIND_COMPUTE, 1, true },
	{ "C2S", "Tessera C2S", TESS_KIND_COMPUTE, 2, true },
	{ "C4S", "Tessera C4S", TESS_KIND_COMPUTE, 4, true },
	{ "R1S", "Tessera R1S", TESS_KIND_RENDER, 1, true },
	{ "R2S", "Tessera R2S", TESS_KIND_RENDER, 2, true },
	{ "R4S", "Tessera R4S", TESS_KIND_RENDER, 4, true },
	{ "M1S", "Tessera M1S", TESS_KIND_MIXED, 1, true },
	{ "M2S", "Tessera M2S", TESS_KIND_MIXED, 2, true },
	{ "M4S", "Tessera M4S", TESS_KIND_MIXED, 4, true },
};

const char *tess_mdev_kind_name(u32 kind)
{
	switch (kind) {
	case TESS_KIND_COMPUTE:
		return "compute";
	case TESS_KIND_RENDER:
		return "render";
	case TESS_KIND_MIXED:
		return "mixed";
	default:
		return "none";
	}
}

static unsigned int slices_of_kind(const struct tess_gpu *gpu, u32 kind)
{
	unsigned int i, n = 0;

	for (i = 0; i < tess_gpu_info(gpu)->slice_count; i++)
		n += tess_gpu_slice_info(gpu, i)->kind == kind;
	return n;
}

/* The vslices of one vGPU are on different slices */
static unsigned int max_instances(const struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	u64 by_memory = div64_u64(tess_gpu_info(gpu)->vram_size, bp->memory * bp->slices);
	unsigned int n = slices_of_kind(gpu, bp->kind);

	if (n < bp->slices)
		return 0;
	return min_t(u64, n * (bp->shared ? TESS_SHARE_MAX : 1) / bp->slices, by_memory);
}

/* What a vGPU has of the bank of each of its slices */
static u64 shape_memory(const struct tess_gpu *gpu, const struct tess_mdev_shape *shape)
{
	u64 bank = tess_gpu_info(gpu)->bank_size;

	return round_down(shape->shared ? div_u64(bank, TESS_SHARE_MAX) : bank, SZ_2M);
}

static bool can_give(const struct tess_gpu *gpu, const struct tess_mdev_shape *shape)
{
	if (shape->shared && !(tess_gpu_info(gpu)->caps & TESS_CAPS_SWITCH))
		return false;
	return shape_memory(gpu, shape);
}

/**
 * tess_mdev_types_init() - find out which types a GPU has
 * @parent: where to
 * @gpu: GPU
 */
void tess_mdev_types_init(struct tess_mdev_parent *parent, const struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tess_mdev_shapes); i++) {
		const struct tess_mdev_shape *shape = &tess_mdev_shapes[i];
		struct tess_mdev_type *type = &parent->types[parent->nr_types];

		if (!can_give(gpu, shape))
			continue;
		type->base.sysfs_name = shape->sysfs_name;
		type->base.pretty_name = shape->name;
		type->parent = parent;
		type->blueprint = (struct tess_blueprint) {
			.slices = shape->slices,
			.kind = shape->kind,
			.topology = TESS_TOPOLOGY_MESH,
			.memory = shape_memory(gpu, shape),
			.shared = shape->shared,
		};
		type->max_instances = max_instances(gpu, &type->blueprint);
		if (type->max_instances)
			parent->list[parent->nr_types++] = &type->base;
	}
}

unsigned int tess_mdev_get_available(struct mdev_type *mtype)
{
	struct tess_mdev_type *type = to_tess_mdev_type(mtype);
	unsigned int n = 0;

	down_read(&type->parent->lock);
	if (type->parent->gpu)
		n = tess_gpu_available(type->parent->gpu, &type->blueprint);
	up_read(&type->parent->lock);
	return n;
}

ssize_t tess_mdev_show_description(struct mdev_type *mtype, char *buf)
{
	const struct tess_mdev_type *type = to_tess_mdev_type(mtype);
	const struct tess_blueprint *bp = &type->blueprint;
	int at;

	at = sysfs_emit(buf, "num_heads=0, memory=%lluM, max_resolution=none, ",
			bp->memory * bp->slices / SZ_1M);
	return at + sysfs_emit_at(buf, at, "max_instance=%u, slices=%u, kind=%s, share=%s\n",
				  type->max_instances, bp->slices, tess_mdev_kind_name(bp->kind),
				  bp->shared ? "shared" : "exclusive");
}
