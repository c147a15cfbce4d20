// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vGPU as it was when it was made.
 *
 * DOC: Scrubs
 *
 * A guest can have its vGPU reset as often as it likes. What that costs the host is bounded by
 * what the guest did since the last time: of VRAM only those blocks of 2 MiB are zeroed that
 * somebody may have written. The front-end knows which of them CPUs had mapped or wrote to; which
 * of them the GPU wrote to is in the D bits of stage 2, which are cleared when they are read. The
 * front-end reads them at other times, too (tess_vgpu_written()), and has to remember what it
 * found. Where the GPU has no such bits, all is zeroed.
 *
 * It is zeroed by the CPU, of whoever asked for the scrub, and under no lock of the core. A slice
 * that fills memory was rejected: of the vGPU's own slices none may have a turn just then, and it
 * would run for the host, without the guest's stage 2.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/export.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/memory.h>
#include <tessera/vgpu.h>

#include "account.h"
#include "base/gpu.h"
#include "base/mem.h"
#include "regs.h"
#include "run.h"
#include "setup.h"
#include "slice/access.h"
#include "slice/complete.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

static int vslice_scrub_resident(struct tess_vslice *vs, struct tess_slice *slice)
{
	int rc;

	lockdep_assert_held(&slice->hw);
	tess_sched_settle(slice);
	rc = tess_slice_reset(slice);
	if (!rc)
		rc = tess_vslice_apply(vs, slice);
	else if (rc == -EIO)
		tess_slice_give_up(slice);
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
	tess_route_detach(vgpu->gpu, vs);
	if (tess_vslice_is_resident(vs))
		rc = vslice_scrub_resident(vs, slice);
	else
		tess_regs_restart_parked(slice, vs);
	tess_vslice_end(slice, idx);
	/* If others wait for the slice, nothing tells them any more that it is idle */
	tess_slice_look(slice);
	return rc;
}

int tess_vgpu_written(struct tess_vgpu *vgpu, unsigned long *blocks)
{
	const struct tess_as *as = vgpu->vslices[0].stage2;
	unsigned int count = TESS_VRAM_BLOCKS(&vgpu->vram);
	struct tess_gpu *gpu = vgpu->gpu;
	int idx;

	if (!count)
		return 0;
	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	if (as && tess_gpu_ops(gpu)->as_written)
		tess_gpu_ops(gpu)->as_written(tess_as_hw(as), TESS_PA_VRAM, vgpu->vram.size,
					      blocks);
	else
		bitmap_fill(blocks, count);
	tess_gpu_exit(gpu, idx);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_written, TESS_NS);

static int zero_blocks(struct tess_vgpu *vgpu, const unsigned long *blocks, u64 *zeroed)
{
	unsigned int i;
	int rc;

	for_each_set_bit(i, blocks, TESS_VRAM_BLOCKS(&vgpu->vram)) {
		u64 off = (u64)i * TESS_VRAM_BLOCK;
		u64 size = min_t(u64, vgpu->vram.size - off, TESS_VRAM_BLOCK);

		rc = tess_vram_zero(vgpu->gpu, &vgpu->vram, off, size);
		if (rc)
			return rc;
		*zeroed += size;
	}
	return 0;
}

/* One that fails is no reason to let the others run on */
int tess_vgpu_scrub(struct tess_vgpu *vgpu, unsigned long *blocks, u64 *zeroed)
{
	int rc, first = 0;
	unsigned int i;

	*zeroed = 0;
	if (vgpu->elastic)
		return -EINVAL;
	for (i = 0; i < vgpu->nr_vslices; i++) {
		rc = vslice_scrub(vgpu, i);
		first = first ?: rc;
	}
	if (!vgpu->vram.size)
		return first;
	rc = tess_vgpu_written(vgpu, blocks);
	if (!rc)
		rc = zero_blocks(vgpu, blocks, zeroed);
	return first ?: rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vgpu_scrub, TESS_NS);
