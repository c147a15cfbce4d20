/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_PARTS_H_
#define _TESS_MDEV_PARTS_H_

#include <linux/types.h>
#include <tessera/vgpu.h>

struct device;
struct tess_as;
struct tess_composition;
struct tess_gpu;
struct tess_mdev;
struct tess_vgpu;

/* A vGPU has slices of at most so many GPUs */
#define TESS_MDEV_MAX_PARTS TESS_SPAN_PARTS_MAX

/* Who copies VRAM while it is written to: a file that is read (save.c), and a move (migrate.c) */
enum tess_mdev_gatherer {
	TESS_MDEV_FOR_FILE,
	TESS_MDEV_FOR_MOVE,
	TESS_MDEV_GATHERERS,
};

/**
 * struct tess_mdev_part - the slices of one GPU
 * @tm: vGPU that it is part of, or may become
 * @first: number of its first vslice there
 * @spans: it is one of several
 * @vgpu: slices; of the core, whose call-backs find this structure as its priv
 * @dev: device that does the DMA
 * @as: stage 2 of @vgpu, destroyed after that. Under tess_mdev_dma.lock once it is the vGPU's
 * @touched: blocks of its VRAM (TESS_VRAM_BLOCK) that CPUs may have written to since the last
 *	reset, and those that slices have, as far as they were asked for. Bits are set under
 *	tess_mdev.map_lock for reading, and cleared for writing
 * @fresh: the same since each of those who ask did so for the last time (tess_mdev_gather()), and
 *	what a reset zeroed
 * @blocks: what is being asked for, or zeroed. Under tess_mdev.lock
 */
struct tess_mdev_part {
	struct tess_mdev *tm;
	unsigned int first;
	bool spans;
	struct tess_vgpu *vgpu;
	struct device *dev;
	struct tess_as *as;
	unsigned long *touched;
	unsigned long *fresh[TESS_MDEV_GATHERERS];
	unsigned long *blocks;
};

/**
 * struct tess_mdev_parts - a composition: that of a vGPU, or one that is not yet or not any more
 * @count: number of parts; 0: of a blank one
 * @part: by number of vslices
 * @blueprint: of all of them, if there are several
 */
struct tess_mdev_parts {
	unsigned int count;
	struct tess_mdev_part *part[TESS_MDEV_MAX_PARTS];
	struct tess_blueprint blueprint;
};

/**
 * struct tess_mdev_vslice - a vslice as the core knows it
 * @vgpu: its part
 * @index: in the part
 */
struct tess_mdev_vslice {
	struct tess_vgpu *vgpu;
	unsigned int index;
};

/* The only part of most; NULL: it is blank */
static inline struct tess_vgpu *tess_mdev_first(const struct tess_mdev_parts *parts)
{
	return parts->count ? parts->part[0]->vgpu : NULL;
}

/* Is it of several GPUs? */
static inline bool tess_mdev_spans(const struct tess_mdev_parts *parts)
{
	return parts->count > 1;
}

/* @vslice: number that the guest knows; there is one */
static inline struct tess_mdev_vslice tess_mdev_find(const struct tess_mdev_parts *parts,
						     unsigned int vslice)
{
	unsigned int i = parts->count - 1;

	while (parts->part[i]->first > vslice)
		i--;
	return (struct tess_mdev_vslice){ parts->part[i]->vgpu, vslice - parts->part[i]->first };
}

bool tess_mdev_has_part(const struct tess_mdev_parts *parts, const struct tess_mdev_part *part);
/* The part of a GPU; NULL: it has none */
struct tess_vgpu *tess_mdev_part_on(const struct tess_mdev_parts *parts,
				    const struct tess_gpu *gpu);
bool tess_mdev_parts_gone(const struct tess_mdev_parts *parts);
unsigned int tess_mdev_parts_vslices(const struct tess_mdev_parts *parts);
/* Numbers of its GPUs join @gpus */
void tess_mdev_parts_gpus(const struct tess_mdev_parts *parts, unsigned long *gpus);
void tess_mdev_parts_blueprint(const struct tess_mdev_parts *parts, struct tess_blueprint *bp);
int tess_mdev_parts_profile(const struct tess_mdev_parts *parts, struct tess_profile *profile);
/* What the guest is told of all of them; @scratch: for one of them */
void tess_mdev_parts_composition(const struct tess_mdev_parts *parts,
				 struct tess_composition *scratch, struct tess_composition *out);

#endif
