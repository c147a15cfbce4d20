// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the host allows a vslice: engines, links, translation.
 *
 * DOC: Set-up of vslices
 *
 * A vslice reaches the VRAM banks of the vslices that the topology links it to, and the
 * banks to which their memory spilled over; stage 2 decides about each page, links are
 * only about the way there. Topologies are laid over the vslices that are given. The
 * memory of one that is withheld is reached by the one whose slice it has, and so by those
 * that are linked to that one, so that no memory is out of reach because there are fewer
 * slices. A recomposition with the same topology takes no link away (tess_vslice.reach
 * grows): work that was queued before may need it.
 *
 * A client that drives the registers itself (tess_vgpu_is_mediated()) never runs without
 * stage 2, which would be bypass: all memory of the host. From when it is composed until it
 * has got its stage 2 it is denied everything (tess_vslice_is_denied()), and it keeps that
 * stage 2 until its slices were reset for good.
 *
 * Engines are those of the blueprint that the slice has. What the GPU was told of a
 * vslice that is resident changes at once, of one that is parked when it is its turn.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>

#include "base/gpu.h"
#include "base/mem.h"
#include "run.h"
#include "setup.h"
#include "slice/access.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/* Vslices that a given one is linked to, of n */
static u64 topology_links(u32 topology, unsigned int i, unsigned int n)
{
	u64 links = BIT_ULL(i);

	switch (topology) {
	case TESS_TOPOLOGY_MESH:
		return GENMASK_ULL(n - 1, 0);
	case TESS_TOPOLOGY_RING:
		return links | BIT_ULL((i + 1) % n) | BIT_ULL((i + n - 1) % n);
	case TESS_TOPOLOGY_CHAIN:
		if (i > 0)
			links |= BIT_ULL(i - 1);
		if (i + 1 < n)
			links |= BIT_ULL(i + 1);
		return links;
	default:
		return links;
	}
}

/**
 * tess_topology_reach() - vslices whose memory a vslice reaches
 * @bp: valid blueprint
 * @vslice: index
 * @count: number of vslices, given or withheld
 *
 * Return: mask of their indices.
 */
u64 tess_topology_reach(const struct tess_blueprint *bp, unsigned int vslice, unsigned int count)
{
	u64 links = topology_links(bp->topology, vslice % bp->slices, bp->slices), reach = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (links & BIT_ULL(i % bp->slices))
			reach |= BIT_ULL(i);
	return reach;
}

/* Physical banks that hold the memory of a vslice: its slice's, and where it spilled to */
static u64 vslice_banks(const struct tess_vslice *vs)
{
	const struct tess_vgpu *vgpu = vs->vgpu;
	u64 bank_size = vgpu->gpu->info.bank_size;
	const struct tess_vram *bank;
	u64 mask = 0;
	unsigned int i, b;

	/* Another may not have its first home yet */
	if (vs->slice)
		mask = BIT_ULL(vs->slice->index);
	if (!vgpu->banks)
		return mask;
	bank = vgpu->banks[vs->index];
	for (i = 0; i < bank->count; i++) {
		const struct tess_vram_extent *e = &bank->extent[i];

		for (b = e->offset / bank_size; b <= (e->offset + e->size - 1) / bank_size; b++)
			mask |= BIT_ULL(b);
	}
	return mask;
}

/**
 * tess_vslice_relink() - let a vslice reach its memory from its slice
 * @vs: vslice, the hw mutex of its home and compose are held
 *
 * The GPU learns of it with the next switch, or by tess_vslice_setup().
 */
void tess_vslice_relink(struct tess_vslice *vs)
{
	const struct tess_vgpu *vgpu = vs->vgpu;
	u64 links = 0;
	unsigned int i;

	lockdep_assert_held(&vgpu->gpu->compose);
	lockdep_assert_held(&vs->slice->hw);
	for (i = 0; i < vgpu->nr_vslices; i++)
		if (vs->reach & BIT_ULL(i))
			links |= vslice_banks(&vgpu->vslices[i]);
	vs->setup.links = links;
}

/**
 * tess_vslice_setup() - engines and links of a vslice
 * @vs: vslice with a home; all of the vGPU have one. compose is held
 * @engines: TESS_ENGINE_* that the blueprint allows
 *
 * Return: 0, -ENXIO, -ENODEV.
 */
int tess_vslice_setup(struct tess_vslice *vs, u32 engines)
{
	const struct tess_backend_ops *ops;
	struct tess_slice *slice;
	int idx, rc = 0;

	slice = tess_vslice_begin(vs->vgpu, vs->index, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	ops = tess_gpu_ops(slice->gpu);
	vs->setup.engines = engines & slice->info.engines;
	tess_vslice_relink(vs);
	if (tess_vslice_is_resident(vs) && ops->slice_setup)
		rc = ops->slice_setup(slice->gpu->be, slice->index, &vs->setup);
	tess_vslice_end(slice, idx);
	return rc;
}

/**
 * tess_vslice_apply() - give a slice what a reset took away
 * @vs: vslice that is resident
 * @slice: its slice, whose hw mutex is held, inside tess_gpu_enter()
 *
 * Return: 0, -ENXIO, -ENODEV.
 */
int tess_vslice_apply(struct tess_vslice *vs, struct tess_slice *slice)
{
	const struct tess_backend_ops *ops = tess_gpu_ops(slice->gpu);
	int rc = 0;

	lockdep_assert_held(&slice->hw);
	if (ops->slice_setup)
		rc = ops->slice_setup(slice->gpu->be, slice->index, &vs->setup);
	if (!rc && ops->slice_stage2)
		rc = ops->slice_stage2(slice->gpu->be, slice->index,
				       vs->stage2 ? tess_as_hw(vs->stage2) : NULL);
	return rc;
}

static int vslice_set_stage2(struct tess_vgpu *vgpu, unsigned int vslice, struct tess_as *as)
{
	struct tess_vslice *vs = &vgpu->vslices[vslice];
	struct tess_slice *slice;
	int idx, rc = 0;

	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	vs->stage2 = as;
	if (tess_vslice_is_resident(vs))
		rc = tess_vslice_apply(vs, slice);
	tess_vslice_end(slice, idx);
	return rc;
}

static bool stage2_is_valid(const struct tess_vgpu *vgpu, const struct tess_as *as)
{
	return as && tess_vgpu_is_mediated(vgpu) && tess_as_gpu(as) == vgpu->gpu &&
	       tess_as_stage(as) == TESS_AS_STAGE2;
}

int tess_vgpu_set_stage2(struct tess_vgpu *vgpu, struct tess_as *as)
{
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int i;
	int idx, rc = 0;

	if (!stage2_is_valid(vgpu, as))
		return -EINVAL;
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	if (!tess_gpu_ops(gpu)->slice_stage2)
		rc = -EOPNOTSUPP;
	tess_gpu_exit(gpu, idx);
	for (i = 0; !rc && i < vgpu->nr_vslices; i++)
		rc = vslice_set_stage2(vgpu, i, as);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_set_stage2, TESS_NS);
