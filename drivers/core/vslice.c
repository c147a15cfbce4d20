// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vslices: what a client does with the slice behind one.
 *
 * DOC: Vslices
 *
 * All accesses go through vslice_begin(), which turns an index that nobody has checked
 * into a slice that the vGPU owns and keeps until vslice_end(): it holds the slice's
 * mutex, under which ownership cannot change, and keeps the back-end there.
 */
#include <linux/err.h>
#include <tessera/compat.h>

#include "complete.h"
#include "fault.h"
#include "gpu.h"
#include "slice.h"
#include "vgpu.h"
#include "vslice.h"

static struct tess_slice *vslice_slice(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_slice *slice;

	spin_lock(&vgpu->gpu->lock);
	slice = vgpu->vslices[vslice].slice;
	spin_unlock(&vgpu->gpu->lock);
	return slice;
}

/**
 * tess_vslice_begin() - begin an access to the slice behind a vslice
 * @vgpu: vGPU
 * @vslice: index, any value
 * @idx: for tess_vslice_end()
 *
 * Return: slice, its hw mutex held, or error pointer: -EINVAL no such vslice, -ENXIO
 * no slice runs it now, -ENODEV.
 */
struct tess_slice *tess_vslice_begin(struct tess_vgpu *vgpu, unsigned int vslice, int *idx)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_slice *slice;

	if (vslice >= vgpu->nr_vslices)
		return ERR_PTR(-EINVAL);
	if (!tess_gpu_enter(gpu, idx))
		return ERR_PTR(-ENODEV);
	while ((slice = vslice_slice(vgpu, vslice))) {
		mutex_lock(&slice->hw);
		if (vslice_slice(vgpu, vslice) == slice)
			return slice;
		mutex_unlock(&slice->hw);
	}
	tess_gpu_exit(gpu, *idx);
	return ERR_PTR(-ENXIO);
}

/**
 * tess_vslice_end() - end an access
 * @slice: from tess_vslice_begin()
 * @idx: as there
 */
void tess_vslice_end(struct tess_slice *slice, int idx)
{
	mutex_unlock(&slice->hw);
	tess_gpu_exit(slice->gpu, idx);
}

static bool reg_is_valid(u32 off, unsigned int width)
{
	return (width == 4 || width == 8) && off < TESS_PAGE_SIZE && !(off % width);
}

int tess_vslice_reg_read(struct tess_vgpu *vgpu, unsigned int vslice, u32 off, unsigned int width,
			 u64 *val)
{
	struct tess_slice *slice;
	int idx, rc;

	*val = 0;
	if (!reg_is_valid(off, width))
		return -EINVAL;
	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = tess_gpu_ops(slice->gpu)->client_read(slice->gpu->be, slice->index, off, width, val);
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reg_read, TESS_NS);

/* What the core remembers about a slice follows what its client writes */
static void vslice_wrote(struct tess_slice *slice, u32 off, unsigned int width, u64 val)
{
	if (width != 4)
		return; /* both are 32-bit registers, the GPU ignored it */
	switch (off) {
	case TESS_SREG_RESET:
		if (val == 1) {
			tess_route_restart(slice);
			tess_fault_acked(slice);
			slice->resets++;
		}
		break;
	case TESS_SREG_FAULT_ACK:
		tess_fault_acked(slice);
		break;
	}
}

static int vslice_write(struct tess_slice *slice, u32 off, unsigned int width, u64 val)
{
	int rc;

	rc = tess_gpu_ops(slice->gpu)->client_write(slice->gpu->be, slice->index, off, width, val);
	if (!rc)
		vslice_wrote(slice, off, width, val);
	return rc;
}

int tess_vslice_reg_write(struct tess_vgpu *vgpu, unsigned int vslice, u32 off,
			  unsigned int width, u64 val)
{
	struct tess_slice *slice;
	int idx, rc;

	if (!reg_is_valid(off, width))
		return -EINVAL;
	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = vslice_write(slice, off, width, val);
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reg_write, TESS_NS);

int tess_vslice_reset(struct tess_vgpu *vgpu, unsigned int vslice)
{
	return tess_vslice_reg_write(vgpu, vslice, TESS_SREG_RESET, 4, 1);
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reset, TESS_NS);

int tess_vslice_kick(struct tess_vgpu *vgpu, unsigned int vslice, u64 wptr)
{
	struct tess_slice *slice;
	int idx;

	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	tess_gpu_ops(slice->gpu)->kick(slice->gpu->be, slice->index, wptr);
	tess_vslice_end(slice, idx);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_kick, TESS_NS);

phys_addr_t tess_vslice_doorbell_phys(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_slice *slice;
	phys_addr_t phys;
	int idx;

	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return 0;
	phys = tess_gpu_ops(slice->gpu)->doorbell(slice->gpu->be, slice->index);
	tess_vslice_end(slice, idx);
	return phys;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_doorbell_phys, TESS_NS);

int tess_vslice_counters(struct tess_vgpu *vgpu, unsigned int vslice,
			 u64 counters[TESS_COUNTER_COUNT])
{
	struct tess_slice *slice;
	int idx, rc;

	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = tess_gpu_ops(slice->gpu)->counters(slice->gpu->be, slice->index, false, counters);
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_counters, TESS_NS);

static int vslice_route(struct tess_slice *slice, struct tess_vgpu *vgpu, unsigned int vslice,
			struct tess_completion_record *rec)
{
	u64 seen;
	int rc;

	if (!vgpu->ops->complete)
		return -EINVAL;
	rc = tess_gpu_ops(slice->gpu)->client_read(slice->gpu->be, slice->index,
						   TESS_SREG_FENCE_SEQ, 8, &seen);
	if (!rc)
		tess_route_set(slice, vgpu, vslice, rec, seen);
	return rc;
}

/* The old record must be out of use on return, whatever else fails */
int tess_vslice_set_record(struct tess_vgpu *vgpu, unsigned int vslice,
			   struct tess_completion_record *rec)
{
	struct tess_slice *slice;
	int idx, rc = 0;

	if (vslice >= vgpu->nr_vslices)
		return -EINVAL;
	slice = vslice_slice(vgpu, vslice);
	if (slice)
		tess_route_drop(slice, vgpu);
	slice = tess_vslice_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	tess_route_drop(slice, vgpu);
	if (rec)
		rc = vslice_route(slice, vgpu, vslice, rec);
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_set_record, TESS_NS);
