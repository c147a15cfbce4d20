// SPDX-License-Identifier: GPL-2.0-only
/*
 * The composition page: what a client is told of its vGPU.
 *
 * DOC: Composition page
 *
 * It shows the vslices that are given. Of one that is withheld it tells only where its
 * memory is, which the vGPU keeps: its kind is none, and it has no engines and no links.
 * The page is filled in one section of tess_gpu.lock, under which homes and blueprint
 * change, so it is of one composition.
 */
#include <linux/build_bug.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/vgpu.h>

#include "base/gpu.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

/* Not set of an elastic one, which has all */
static u32 vslice_engines(const struct tess_vslice *vs)
{
	u32 mask = vs->vgpu->elastic ? vs->vgpu->blueprint.engines : vs->setup.engines;

	return vs->slice->info.engines & mask;
}

static bool vslice_is_shown(const struct tess_vslice *vs)
{
	lockdep_assert_held(&vs->vgpu->gpu->lock);
	return vs->slice && tess_vslice_is_given(vs);
}

static u64 composition_links(const struct tess_vslice *vs)
{
	if (vs->vgpu->elastic)
		return BIT_ULL(vs->index);
	return vs->reach;
}

static void composition_slice(const struct tess_vslice *vs, struct tess_composition_slice *out)
{
	const struct tess_vgpu *vgpu = vs->vgpu;
	u64 memory = vgpu->blueprint.memory;
	struct tess_composition_slice s = { 0 };

	if (vslice_is_shown(vs)) {
		s.id = cpu_to_le32(vs->slice->index);
		s.kind = cpu_to_le32(vs->slice->info.kind);
		s.cores = cpu_to_le32(vs->slice->info.cores);
		s.engines = cpu_to_le32(vslice_engines(vs));
		s.links = cpu_to_le64(composition_links(vs));
		s.gpu = cpu_to_le32(vgpu->gpu->info.index);
	}
	s.bank_offset = cpu_to_le64(vs->index * memory);
	s.bank_size = cpu_to_le64(memory);
	*out = s;
}

static u32 composition_engines(const struct tess_vgpu *vgpu)
{
	u32 engines = 0;
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++)
		if (vslice_is_shown(&vgpu->vslices[i]))
			engines |= vslice_engines(&vgpu->vslices[i]);
	return engines;
}

static u64 composition_mask(const struct tess_vgpu *vgpu)
{
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++)
		if (vslice_is_shown(&vgpu->vslices[i]))
			mask |= BIT_ULL(i);
	return mask;
}

void tess_vgpu_composition(struct tess_vgpu *vgpu, struct tess_composition *page)
{
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int i;
	u64 seq;

	spin_lock(&gpu->lock);
	/* Even, whatever a client that can write to the page left there */
	seq = le64_to_cpu(READ_ONCE(page->seq)) & ~1ULL;
	WRITE_ONCE(page->seq, cpu_to_le64(seq + 1));
	/* A reader that sees any of the following sees the odd number, too */
	virt_wmb();
	page->magic = cpu_to_le32(TESS_COMPOSITION_MAGIC);
	page->version = cpu_to_le32(1);
	page->generation = cpu_to_le64(vgpu->generation);
	page->slice_mask = cpu_to_le64(composition_mask(vgpu));
	page->vram_size = cpu_to_le64(vgpu->vram.size);
	page->slice_count = cpu_to_le32(vgpu->nr_vslices);
	page->topology = cpu_to_le32(vgpu->blueprint.topology);
	page->engines = cpu_to_le32(composition_engines(vgpu));
	page->heads = cpu_to_le32(BIT(vgpu->blueprint.heads) - 1);
	for (i = 0; i < vgpu->nr_vslices; i++)
		composition_slice(&vgpu->vslices[i], &page->slice[i]);
	/* A reader that sees the even number sees all of it */
	virt_wmb();
	WRITE_ONCE(page->seq, cpu_to_le64(seq + 2));
	spin_unlock(&gpu->lock);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_composition, TESS_NS);
