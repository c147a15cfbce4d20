// SPDX-License-Identifier: GPL-2.0-only
/*
 * Composition: slices and memory for vGPUs.
 *
 * DOC: Composition
 *
 * A vGPU is composed whole or not at all, under tess_gpu.compose: memory first, because
 * that can fail without anybody noticing, then the slices. What an elastic vGPU holds
 * counts as free; it is asked to let go (reclaim()) of exactly the slices that were
 * chosen and gets them back (restore()) when their owner is destroyed.
 *
 * A slice reaches the VRAM banks of its vGPU that the topology links it to, and the
 * banks to which their memory spilled over; stage 2 decides about each page, links are
 * only about the way there.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tessera/compat.h>

#include "complete.h"
#include "compose.h"
#include "gpu.h"
#include "mem.h"
#include "place.h"
#include "sched.h"
#include "share.h"
#include "slice.h"
#include "vgpu.h"
#include "vslice.h"

#define MEMORY_GRANULE	SZ_2M

bool tess_blueprint_is_valid(const struct tess_gpu *gpu,
			     const struct tess_blueprint *bp)
{
	return bp->slices >= 1 && bp->slices <= TESS_MAX_SLICES &&
	       bp->kind <= TESS_KIND_MIXED &&
	       !(bp->engines & ~TESS_ENGINE_ALL) &&
	       bp->topology <= TESS_TOPOLOGY_MESH &&
	       bp->weight <= TESS_WEIGHT_MAX && bp->cap <= TESS_CAP_MAX &&
	       !(bp->memory % MEMORY_GRANULE) && bp->memory <= gpu->info.vram_size;
}

/* ---- memory and links ---- */

static int vgpu_alloc_memory(struct tess_vgpu *vgpu, const u8 *slices)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	struct tess_vram *bank;
	unsigned int i, count = 0;

	if (!bp->memory)
		return 0;
	vgpu->banks = kcalloc(bp->slices, sizeof(*vgpu->banks), GFP_KERNEL);
	if (!vgpu->banks)
		return -ENOMEM;
	for (i = 0; i < bp->slices; i++) {
		bank = tess_vram_alloc(vgpu->gpu, bp->memory, slices[i]);
		if (IS_ERR(bank))
			return PTR_ERR(bank);
		vgpu->banks[i] = bank;
		count += bank->count;
	}
	vgpu->vram.extent = kvmalloc_array(count, sizeof(*vgpu->vram.extent), GFP_KERNEL);
	if (!vgpu->vram.extent)
		return -ENOMEM;
	for (i = 0; i < bp->slices; i++) {
		bank = vgpu->banks[i];
		memcpy(&vgpu->vram.extent[vgpu->vram.count], bank->extent,
		       bank->count * sizeof(*bank->extent));
		vgpu->vram.count += bank->count;
		vgpu->vram.size += bank->size;
	}
	return 0;
}

static void vgpu_free_memory(struct tess_vgpu *vgpu)
{
	unsigned int i;

	for (i = 0; vgpu->banks && i < vgpu->blueprint.slices; i++)
		if (vgpu->banks[i])
			tess_vram_free(vgpu->gpu, vgpu->banks[i]);
	kfree(vgpu->banks);
	kvfree(vgpu->vram.extent);
	vgpu->banks = NULL;
	memset(&vgpu->vram, 0, sizeof(vgpu->vram));
}

/* Vslices whose memory a vslice can reach */
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

/* Physical banks that hold the memory of a vslice: its slice's, and where it spilled to */
static u64 vslice_banks(const struct tess_vgpu *vgpu, unsigned int vslice, unsigned int slice)
{
	u64 bank_size = vgpu->gpu->info.bank_size;
	const struct tess_vram *bank;
	u64 mask = BIT_ULL(slice);
	unsigned int i, b;

	if (!vgpu->banks)
		return mask;
	bank = vgpu->banks[vslice];
	for (i = 0; i < bank->count; i++) {
		const struct tess_vram_extent *e = &bank->extent[i];

		for (b = e->offset / bank_size; b <= (e->offset + e->size - 1) / bank_size; b++)
			mask |= BIT_ULL(b);
	}
	return mask;
}

static u64 vslice_links(const struct tess_vgpu *vgpu, unsigned int vslice, const u8 *slices)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	u64 links = topology_links(bp->topology, vslice, bp->slices), mask = 0;
	unsigned int i;

	for (i = 0; i < bp->slices; i++)
		if (links & BIT_ULL(i))
			mask |= vslice_banks(vgpu, i, slices[i]);
	return mask;
}

/* What a reset took away; tess_gpu_enter() and the slice's hw mutex are held */
static int vslice_apply(struct tess_vslice *vs, struct tess_slice *slice)
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

/**
 * tess_vslice_relink() - let a vslice reach its memory from another slice
 * @vs: vslice of a vGPU that is composed, the hw mutex of its home and compose are held
 */
void tess_vslice_relink(struct tess_vslice *vs)
{
	const struct tess_vgpu *vgpu = vs->vgpu;
	u8 slices[TESS_MAX_SLICES] = { 0 };
	unsigned int i;

	lockdep_assert_held(&vs->slice->hw);
	for (i = 0; i < vgpu->nr_vslices; i++)
		slices[i] = vgpu->vslices[i].slice->index;
	vs->setup.links = vslice_links(vgpu, vs->index, slices);
}

static int vslice_setup(struct tess_vgpu *vgpu, unsigned int vslice, const u8 *slices)
{
	struct tess_vslice *vs = &vgpu->vslices[vslice];
	struct tess_slice *slice;
	int idx, rc = 0;

	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	/* What it has from the start: it is to be the same wherever it is moved */
	vs->setup.engines = vgpu->blueprint.engines & slice->info.engines;
	vs->setup.links = vslice_links(vgpu, vslice, slices);
	if (tess_vslice_is_resident(vs))
		rc = vslice_apply(vs, slice);
	tess_vslice_end(slice, idx);
	return rc;
}

/* ---- composition ---- */

static void gpu_free_slices(struct tess_gpu *gpu, u32 *kinds, struct tess_place *place)
{
	unsigned int i;

	place->count = gpu->info.slice_count;
	place->free = 0;
	place->kind = kinds;
	spin_lock(&gpu->lock);
	for (i = 0; i < gpu->info.slice_count; i++) {
		kinds[i] = gpu->slices[i].info.kind;
		if (tess_slice_can_be_had(&gpu->slices[i]))
			place->free |= BIT_ULL(i);
	}
	spin_unlock(&gpu->lock);
}

static int vgpu_place(struct tess_vgpu *vgpu, u8 *slices)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	struct tess_place_request req = {
		.n = bp->slices, .kind = bp->kind, .topology = bp->topology,
	};
	u32 kinds[TESS_MAX_SLICES];
	struct tess_place place;

	if (bp->shared)
		return tess_share_place(vgpu, slices);
	gpu_free_slices(vgpu->gpu, kinds, &place);
	if (!tess_place_choose(&place, &req, slices))
		return 0;
	dev_info(&vgpu->gpu->dev, "\"%s\": insufficient slices%s%s: %u free, %u asked\n",
		 vgpu->name, bp->kind ? " of kind " : "",
		 bp->kind ? tess_kind_name(bp->kind) : "",
		 tess_place_free(&place, bp->kind), bp->slices);
	return -ENOSPC;
}

/* Give all slices back that the vGPU has; compose is held */
static void vgpu_release_slices(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_slice *slice;
	unsigned int i;

	for (i = 0; i < vgpu->nr_vslices; i++) {
		spin_lock(&gpu->lock);
		slice = vgpu->vslices[i].slice;
		spin_unlock(&gpu->lock);
		if (slice && vgpu->blueprint.shared)
			tess_share_leave(slice, &vgpu->vslices[i]);
		else if (slice)
			tess_slice_release(slice);
	}
}

static int vgpu_take_slice(struct tess_vgpu *vgpu, struct tess_slice *slice, unsigned int vslice)
{
	if (vgpu->blueprint.shared)
		return tess_share_join(slice, &vgpu->vslices[vslice]);
	tess_slice_reclaim(slice);
	return tess_slice_take(slice, vgpu, vslice);
}

/* -EAGAIN: a slice turned out to be faulty, choose again without it */
static int vgpu_take_slices(struct tess_vgpu *vgpu, const u8 *slices)
{
	struct tess_gpu *gpu = vgpu->gpu;
	unsigned int i;
	int rc;

	for (i = 0; i < vgpu->nr_vslices; i++) {
		struct tess_slice *slice = &gpu->slices[slices[i]];

		rc = vgpu_take_slice(vgpu, slice, i);
		if (!rc)
			rc = vslice_setup(vgpu, i, slices);
		if (rc) {
			vgpu_release_slices(vgpu);
			return rc == -EIO ? -EAGAIN : rc;
		}
	}
	return 0;
}

static int vgpu_compose_once(struct tess_vgpu *vgpu)
{
	u8 slices[TESS_MAX_SLICES];
	int rc;

	rc = vgpu_place(vgpu, slices);
	if (rc)
		return rc;
	rc = vgpu_alloc_memory(vgpu, slices);
	if (rc == -ENOSPC)
		dev_info(&vgpu->gpu->dev, "\"%s\": insufficient VRAM: %llu bytes free, %llu asked\n",
			 vgpu->name, tess_gpu_vram_free(vgpu->gpu),
			 vgpu->blueprint.memory * vgpu->blueprint.slices);
	if (!rc)
		rc = vgpu_take_slices(vgpu, slices);
	if (rc)
		vgpu_free_memory(vgpu);
	return rc;
}

static void elastic_offer(struct tess_slice *slice, struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = slice->gpu;
	bool free;

	spin_lock(&gpu->lock);
	free = slice->state == TESS_SLICE_FREE;
	spin_unlock(&gpu->lock);
	if (!free || tess_slice_take(slice, vgpu, slice->index))
		return;
	if (vgpu->ops->restore && vgpu->published)
		vgpu->ops->restore(vgpu, slice->index);
}

/**
 * tess_elastic_fill() - what is free goes to the elastic vGPU
 * @gpu: GPU; compose is held
 */
void tess_elastic_fill(struct tess_gpu *gpu)
{
	struct tess_vgpu *vgpu;
	unsigned int i;

	lockdep_assert_held(&gpu->compose);
	spin_lock(&gpu->lock);
	vgpu = gpu->elastic;
	if (vgpu && (vgpu->dying || gpu->gone))
		vgpu = NULL;
	spin_unlock(&gpu->lock);
	if (!vgpu)
		return;
	for (i = 0; i < gpu->info.slice_count; i++)
		elastic_offer(&gpu->slices[i], vgpu);
}

/**
 * tess_vgpu_compose() - get memory and slices
 * @vgpu: new vGPU; compose is held
 *
 * Return: 0, -ENOSPC, -ENOMEM, -ENODEV, -EBUSY the GPU has an elastic vGPU.
 */
int tess_vgpu_compose(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;
	int rc;

	lockdep_assert_held(&gpu->compose);
	if (!vgpu->elastic) {
		rc = vgpu->blueprint.shared ? tess_share_alloc(vgpu) : 0;
		if (rc)
			return rc;
		do {
			rc = vgpu_compose_once(vgpu);
		} while (rc == -EAGAIN);
		return rc;
	}
	spin_lock(&gpu->lock);
	rc = gpu->elastic ? -EBUSY : 0;
	if (!rc)
		gpu->elastic = vgpu;
	spin_unlock(&gpu->lock);
	if (!rc)
		tess_elastic_fill(gpu);
	return rc;
}

/**
 * tess_vgpu_decompose() - return everything to the pool
 * @vgpu: vGPU, also one that tess_vgpu_compose() failed for; compose is held
 *
 * On return the GPU makes no access for the client.
 */
void tess_vgpu_decompose(struct tess_vgpu *vgpu)
{
	struct tess_gpu *gpu = vgpu->gpu;

	lockdep_assert_held(&gpu->compose);
	spin_lock(&gpu->lock);
	if (gpu->elastic == vgpu)
		gpu->elastic = NULL;
	spin_unlock(&gpu->lock);
	vgpu_release_slices(vgpu);
	tess_share_free(vgpu);
	vgpu_free_memory(vgpu);
}

unsigned int tess_gpu_available(struct tess_gpu *gpu, const struct tess_blueprint *bp)
{
	u32 kinds[TESS_MAX_SLICES];
	struct tess_place place;
	unsigned int n;
	u64 bytes = 0;
	int idx;

	if (!tess_blueprint_is_valid(gpu, bp))
		return 0;
	if (!tess_gpu_enter(gpu, &idx))
		return 0;
	if (bp->memory)
		bytes = tess_gpu_ops(gpu)->vram_free_bytes(gpu->be, MEMORY_GRANULE);
	tess_gpu_exit(gpu, idx);

	if (bp->shared) {
		n = tess_share_available(gpu, bp);
	} else {
		gpu_free_slices(gpu, kinds, &place);
		n = tess_place_free(&place, bp->kind) / bp->slices;
	}
	if (bp->memory)
		n = min_t(u64, n, div64_u64(bytes, bp->memory * bp->slices));
	return n;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_available, TESS_NS);

/* ---- what the client sees ---- */

/* Not set of an elastic one, which has all */
static u32 vslice_engines(const struct tess_vgpu *vgpu, unsigned int vslice)
{
	return vgpu->elastic ? vgpu->blueprint.engines : vgpu->vslices[vslice].setup.engines;
}

static void composition_slice(struct tess_vgpu *vgpu, unsigned int vslice,
			      struct tess_composition_slice *out)
{
	const struct tess_blueprint *bp = &vgpu->blueprint;
	const struct tess_slice *slice = vgpu->vslices[vslice].slice;
	struct tess_composition_slice s = { 0 };

	lockdep_assert_held(&vgpu->gpu->lock);
	if (slice) {
		s.id = cpu_to_le32(slice->index);
		s.kind = cpu_to_le32(slice->info.kind);
		s.cores = cpu_to_le32(slice->info.cores);
		s.engines = cpu_to_le32(slice->info.engines & vslice_engines(vgpu, vslice));
		s.bank_offset = cpu_to_le64(vslice * bp->memory);
		s.bank_size = cpu_to_le64(bp->memory);
		s.links = cpu_to_le64(topology_links(bp->topology, vslice, vgpu->nr_vslices));
		s.gpu = cpu_to_le32(vgpu->gpu->info.index);
	}
	*out = s;
}

static u32 composition_engines(struct tess_vgpu *vgpu)
{
	u32 engines = 0;
	unsigned int i;

	lockdep_assert_held(&vgpu->gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++)
		if (vgpu->vslices[i].slice)
			engines |= vgpu->vslices[i].slice->info.engines & vslice_engines(vgpu, i);
	return engines;
}

static u64 composition_mask(struct tess_vgpu *vgpu)
{
	u64 mask = 0;
	unsigned int i;

	lockdep_assert_held(&vgpu->gpu->lock);
	for (i = 0; i < vgpu->nr_vslices; i++)
		if (vgpu->vslices[i].slice)
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
	page->heads = 0;
	for (i = 0; i < vgpu->nr_vslices; i++)
		composition_slice(vgpu, i, &page->slice[i]);
	/* A reader that sees the even number sees all of it */
	virt_wmb();
	WRITE_ONCE(page->seq, cpu_to_le64(seq + 2));
	spin_unlock(&gpu->lock);
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_composition, TESS_NS);

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
		rc = vslice_apply(vs, slice);
	tess_vslice_end(slice, idx);
	return rc;
}

static bool stage2_is_valid(const struct tess_vgpu *vgpu, const struct tess_as *as)
{
	if (vgpu->elastic)
		return false;
	return !as || (vgpu->ops->host_fault && tess_as_gpu(as) == vgpu->gpu &&
		       tess_as_stage(as) == TESS_AS_STAGE2);
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

static int vslice_scrub_resident(struct tess_vslice *vs, struct tess_slice *slice)
{
	int rc;

	lockdep_assert_held(&slice->hw);
	if (vs->ring)
		return -EBUSY;
	tess_sched_settle(slice);
	rc = tess_slice_reset(slice);
	if (!rc)
		rc = vslice_apply(vs, slice);
	tess_sched_restarted(slice, vs);
	return rc;
}

static int vslice_scrub(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_vslice *vs = &vgpu->vslices[vslice];
	struct tess_slice *slice;
	int idx, rc = 0;

	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	tess_route_detach(vs);
	if (tess_vslice_is_resident(vs))
		rc = vslice_scrub_resident(vs, slice);
	else
		tess_vslice_restart_parked(slice, vs);
	tess_vslice_end(slice, idx);
	/* If others wait for the slice, nothing tells them any more that it is idle */
	tess_sched_queue(slice);
	return rc;
}

int tess_vgpu_scrub(struct tess_vgpu *vgpu)
{
	unsigned int i;
	int rc = 0;

	if (vgpu->elastic)
		return -EINVAL;
	for (i = 0; !rc && i < vgpu->nr_vslices; i++)
		rc = vslice_scrub(vgpu, i);
	if (rc)
		return rc;
	tess_vgpu_wait_idle(vgpu);
	for (i = 0; !rc && vgpu->banks && i < vgpu->nr_vslices; i++)
		rc = tess_vram_clear(vgpu->banks[i]);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_scrub, TESS_NS);
