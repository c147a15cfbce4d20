// SPDX-License-Identifier: GPL-2.0-only
/*
 * Steps of a VM_BIND: what drm_gpuvm wants to change in the tree of a VM.
 */
#include <linux/list.h>
#include <drm/drm_gem.h>
#include <drm/drm_gpuvm.h>
#include "bind_step.h"
#include "vm.h"

static struct drm_gpuva *tess_bind_node(struct tess_bind *bind, u32 prot, bool mapped)
{
	struct tess_va *va = bind->spare[--bind->spares];

	va->prot = prot;
	va->mapped = mapped;
	return &va->base;
}

static void tess_bind_bury(struct tess_bind *bind, struct drm_gpuva *va)
{
	drm_gem_object_get(va->gem.obj);
	drm_gpuva_unlink(va);
	list_add_tail(&to_tess_va(va)->dead, &bind->dead);
}

/**
 * tess_bind_step_map() - put a new mapping into the tree
 * @op: what drm_gpuvm wants
 * @priv: struct tess_bind
 *
 * Return: 0.
 */
int tess_bind_step_map(struct drm_gpuva_op *op, void *priv)
{
	struct tess_bind *bind = priv;
	struct drm_gpuva *va = tess_bind_node(bind, bind->prot, true);

	drm_gpuva_map(&bind->vm->base, va, &op->map);
	drm_gpuva_link(va, bind->vm_bo);
	return 0;
}

/**
 * tess_bind_step_remap() - put what is left of a mapping into the tree in its place
 * @op: what drm_gpuvm wants
 * @priv: struct tess_bind
 *
 * Return: 0.
 */
int tess_bind_step_remap(struct drm_gpuva_op *op, void *priv)
{
	struct drm_gpuva *old = op->remap.unmap->va;
	bool mapped = to_tess_va(old)->mapped;
	u32 prot = to_tess_va(old)->prot;
	struct tess_bind *bind = priv;
	struct drm_gpuva *prev = NULL;
	struct drm_gpuva *next = NULL;

	if (op->remap.prev)
		prev = tess_bind_node(bind, prot, mapped);
	if (op->remap.next)
		next = tess_bind_node(bind, prot, mapped);

	drm_gpuva_remap(prev, next, &op->remap);
	if (prev)
		drm_gpuva_link(prev, old->vm_bo);
	if (next)
		drm_gpuva_link(next, old->vm_bo);
	tess_bind_bury(bind, old);
	return 0;
}

/**
 * tess_bind_step_unmap() - take a mapping out of the tree
 * @op: what drm_gpuvm wants
 * @priv: struct tess_bind
 *
 * Return: 0.
 */
int tess_bind_step_unmap(struct drm_gpuva_op *op, void *priv)
{
	struct tess_bind *bind = priv;

	drm_gpuva_unmap(&op->unmap);
	tess_bind_bury(bind, op->unmap.va);
	return 0;
}
