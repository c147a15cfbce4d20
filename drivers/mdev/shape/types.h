/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_TYPES_H_
#define _TESS_MDEV_TYPES_H_

#include <linux/container_of.h>
#include <linux/mdev.h>
#include <tessera/blueprint.h>

struct tess_mdev_parent;

#define TESS_MDEV_MAX_TYPES	22

/**
 * struct tess_mdev_type - a type of vGPU on one GPU
 * @base: mdev type
 * @parent: GPU
 * @blank: a vGPU of this type has no slices at first
 * @blueprint: what one of another type is made of at first
 * @max_instances: vGPUs that an unused GPU can give
 */
struct tess_mdev_type {
	struct mdev_type base;
	struct tess_mdev_parent *parent;
	bool blank;
	struct tess_blueprint blueprint;
	unsigned int max_instances;
};

static inline struct tess_mdev_type *to_tess_mdev_type(struct mdev_type *type)
{
	return container_of(type, struct tess_mdev_type, base);
}

/* Name of an enum tess_slice_kind, for people */
const char *tess_mdev_kind_name(u32 kind);
/* VRAM that goes with a slice, if nothing else is asked for */
u64 tess_mdev_slice_memory(const struct tess_gpu *gpu, bool shared);
/* tess_blueprint_parse() for a vGPU that was nothing before */
int tess_mdev_parse_blueprint(const struct tess_gpu *gpu, const char *text,
			      struct tess_blueprint *bp, struct tess_reason *reason);
void tess_mdev_types_init(struct tess_mdev_parent *parent, struct tess_gpu *gpu);
unsigned int tess_mdev_get_available(struct mdev_type *mtype);
ssize_t tess_mdev_show_description(struct mdev_type *mtype, char *buf);

#endif
