// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: types
 *
 * A type is a name for a blueprint that a vGPU has at first. The set is fixed so that
 * managers can count instances: compute, render, render with a display head, and mixed, of one,
 * two and four slices each, with the slices' own share of the VRAM; and all but those with a
 * head once more with slices that up to TESS_SHARE_MAX vGPUs share in time, of which each has
 * that part of the VRAM. Those with a head have the largest usual mode that slices of the GPU can
 * show, and of which two pictures are in their memory. A GPU offers those of which it could give at
 * least one; the rest is left out for good, because what a GPU consists of does not change.
 *
 * The type "blank" has no blueprint; one is written to the mdev later (shape.c). Such a vGPU
 * takes nothing from the pool, but memory of the host: a GPU has at most as many of them at
 * a time as it could serve if all got the smallest share of a slice. What was given a
 * blueprint is not counted any more.
 *
 * The name of a type's directory is that of the PCI driver and the short name,
 * "tessera_pci-C1", and never changes: it stands in the configuration of VMs.
 */
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/sysfs.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>
#include "display/monitor.h"
#include "parent.h"
#include "types.h"

/* What displays of types are refreshed with */
#define TESS_TYPE_HZ	60

/**
 * struct tess_mdev_preset - a named blueprint
 * @sysfs_name: short name
 * @name: for people
 * @blueprint: its words, without memory, which depends on the GPU; NULL: blank
 */
struct tess_mdev_preset {
	const char *sysfs_name;
	const char *name;
	const char *blueprint;
};

static const struct tess_mdev_preset tess_mdev_presets[TESS_MDEV_MAX_TYPES] = {
	{ "C1", "Tessera C1", "slices=1 kind=compute topology=mesh" },
	{ "C2", "Tessera C2", "slices=2 kind=compute topology=mesh" },
	{ "C4", "Tessera C4", "slices=4 kind=compute topology=mesh" },
	{ "R1", "Tessera R1", "slices=1 kind=render topology=mesh" },
	{ "R2", "Tessera R2", "slices=2 kind=render topology=mesh" },
	{ "R4", "Tessera R4", "slices=4 kind=render topology=mesh" },
	{ "D1", "Tessera D1", "slices=1 kind=render topology=mesh heads=1" },
	{ "D2", "Tessera D2", "slices=2 kind=render topology=mesh heads=1" },
	{ "D4", "Tessera D4", "slices=4 kind=render topology=mesh heads=1" },
	{ "M1", "Tessera M1", "slices=1 kind=mixed topology=mesh" },
	{ "M2", "Tessera M2", "slices=2 kind=mixed topology=mesh" },
	{ "M4", "Tessera M4", "slices=4 kind=mixed topology=mesh" },
	{ "C1S", "Tessera C1S", "slices=1 kind=compute topology=mesh share=shared" },
	{ "C2S", "Tessera C2S", "slices=2 kind=compute topology=mesh share=shared" },
	{ "C4S", "Tessera C4S", "slices=4 kind=compute topology=mesh share=shared" },
	{ "R1S", "Tessera R1S", "slices=1 kind=render topology=mesh share=shared" },
	{ "R2S", "Tessera R2S", "slices=2 kind=render topology=mesh share=shared" },
	{ "R4S", "Tessera R4S", "slices=4 kind=render topology=mesh share=shared" },
	{ "M1S", "Tessera M1S", "slices=1 kind=mixed topology=mesh share=shared" },
	{ "M2S", "Tessera M2S", "slices=2 kind=mixed topology=mesh share=shared" },
	{ "M4S", "Tessera M4S", "slices=4 kind=mixed topology=mesh share=shared" },
	{ "blank", "Tessera blank", NULL },
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

/* The vslices of one vGPU are on different slices */
static unsigned int types_max_instances(struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	u64 by_memory = div64_u64(tess_gpu_info(gpu)->vram_size, bp->memory * bp->slices);
	unsigned int n = tess_gpu_able_slices(gpu, bp);

	if (n < bp->slices)
		return 0;
	return min_t(u64, n * (bp->shared ? TESS_SHARE_MAX : 1) / bp->slices, by_memory);
}

u64 tess_mdev_slice_memory(const struct tess_gpu *gpu, bool shared)
{
	u64 bank = tess_gpu_info(gpu)->bank_size;

	return round_down(shared ? div_u64(bank, TESS_SHARE_MAX) : bank, SZ_2M);
}

int tess_mdev_parse_blueprint(const struct tess_gpu *gpu, const char *text,
			      struct tess_blueprint *bp, struct tess_reason *reason)
{
	struct tess_blueprint base = {
		.slices = 1,
		.topology = TESS_TOPOLOGY_MESH,
		.memory = tess_mdev_slice_memory(gpu, false),
	};
	int ret;

	ret = tess_blueprint_parse(text, &base, bp, reason);
	if (ret || !bp->shared)
		return ret;
	/* Its part of a slice's memory is another */
	base.memory = tess_mdev_slice_memory(gpu, true);
	return tess_blueprint_parse(text, &base, bp, reason);
}

static bool types_can_give(const struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	if (bp->shared && !(tess_gpu_info(gpu)->caps & TESS_CAPS_SWITCH))
		return false;
	return bp->memory;
}

static void init_blank(struct tess_mdev_parent *parent, const struct tess_gpu *gpu,
		       struct tess_mdev_type *type)
{
	parent->max_blanks = tess_gpu_info(gpu)->slice_count * TESS_SHARE_MAX;
	type->blank = true;
	type->max_instances = parent->max_blanks;
}

/* No mode, if it has heads that are too slow for each usual one */
static void choose_mode(struct tess_gpu *gpu, struct tess_blueprint *bp)
{
	struct tess_display_mode *mode = &bp->displays;
	unsigned int i;

	mode->refresh = TESS_TYPE_HZ;
	for (i = 0; tess_mdev_usual_size(i, &mode->width, &mode->height); i++)
		if (tess_mdev_pictures_fit(bp->memory * bp->slices, bp->heads, mode->width,
					   mode->height) && types_max_instances(gpu, bp))
			return;
	*mode = (struct tess_display_mode){ 0 };
}

static void init_preset(struct tess_mdev_parent *parent, struct tess_gpu *gpu,
			struct tess_mdev_type *type, const char *text)
{
	struct tess_reason reason;

	if (tess_mdev_parse_blueprint(gpu, text, &type->blueprint, &reason)) {
		dev_err(parent->dev, "preset \"%s\": %s\n", text, reason.text);
		return;
	}
	if (!types_can_give(gpu, &type->blueprint))
		return;
	if (type->blueprint.heads)
		choose_mode(gpu, &type->blueprint);
	type->max_instances = types_max_instances(gpu, &type->blueprint);
}

/**
 * tess_mdev_types_init() - find out which types a GPU has
 * @parent: where to
 * @gpu: GPU
 */
void tess_mdev_types_init(struct tess_mdev_parent *parent, struct tess_gpu *gpu)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tess_mdev_presets); i++) {
		const struct tess_mdev_preset *preset = &tess_mdev_presets[i];
		struct tess_mdev_type *type = &parent->types[parent->nr_types];

		type->base.sysfs_name = preset->sysfs_name;
		type->base.pretty_name = preset->name;
		type->parent = parent;
		if (preset->blueprint)
			init_preset(parent, gpu, type, preset->blueprint);
		else
			init_blank(parent, gpu, type);
		if (type->max_instances)
			parent->list[parent->nr_types++] = &type->base;
	}
}

unsigned int tess_mdev_get_available(struct mdev_type *mtype)
{
	struct tess_mdev_type *type = to_tess_mdev_type(mtype);
	unsigned int n = 0;

	if (type->blank)
		return type->parent->max_blanks - atomic_read(&type->parent->blanks);
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
	u32 width = bp->displays.width, height = bp->displays.height;
	u64 memory = bp->memory * bp->slices;
	char resolution[24] = "none";
	int at;

	if (bp->heads && !width)
		tess_mdev_max_resolution(memory, bp->heads, &width, &height);
	if (bp->heads)
		snprintf(resolution, sizeof(resolution), "%ux%u", width, height);
	at = sysfs_emit(buf, "num_heads=%u, memory=%lluM, max_resolution=%s, max_instance=%u, ",
			bp->heads, memory / SZ_1M, resolution, type->max_instances);
	if (type->blank)
		return at + sysfs_emit_at(buf, at, "slices=0, kind=none, share=none\n");
	return at + sysfs_emit_at(buf, at, "slices=%u, kind=%s, share=%s\n", bp->slices,
				  tess_mdev_kind_name(bp->kind),
				  bp->shared ? "shared" : "exclusive");
}
