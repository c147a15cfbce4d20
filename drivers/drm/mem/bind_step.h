/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_BIND_STEP_H_
#define _TESSERA_DRM_BIND_STEP_H_

#include <linux/list.h>
#include <linux/types.h>

struct drm_gpuva_op;
struct drm_gpuvm_bo;
struct tess_bo;
struct tess_va;
struct tess_vm;

/* What one operation adds at most: the mapping, and a rest at either end */
#define TESS_BIND_SPARES	3

/**
 * struct tess_bind - one operation in progress
 * @vm: VM, locked
 * @bo: MAP: BO, referenced
 * @vm_bo: MAP: connection of @vm and @bo
 * @prot: MAP: TESS_AS_*
 * @va: start of the range
 * @size: bytes
 * @offset: MAP: in @bo
 * @null: MAP: all of the range is @bo, again and again
 * @pos: MAP: offset in the range of what is mapped now
 * @spare: nodes not yet in use
 * @spares: number of them
 * @dead: nodes that left the tree, with a reference on their BO. They are freed when
 *	no reservation is held: the last reference of a BO may go with them
 */
struct tess_bind {
	struct tess_vm *vm;
	struct tess_bo *bo;
	struct drm_gpuvm_bo *vm_bo;
	u32 prot;
	u64 va;
	u64 size;
	u64 offset;
	bool null;
	u64 pos;
	struct tess_va *spare[TESS_BIND_SPARES];
	unsigned int spares;
	struct list_head dead;
};

int tess_bind_step_map(struct drm_gpuva_op *op, void *priv);
int tess_bind_step_remap(struct drm_gpuva_op *op, void *priv);
int tess_bind_step_unmap(struct drm_gpuva_op *op, void *priv);

#endif
