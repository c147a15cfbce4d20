// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vslices: what a client does with the slice behind one.
 *
 * DOC: Vslices
 *
 * Indices and offsets come from clients, and nobody has checked them. What is done to the slice
 * is done in other files: access.c finds and keeps it, regs.c knows what registers do,
 * turn.c waits.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/vslice.h>

#include "base/context.h"
#include "base/gpu.h"
#include "regs.h"
#include "slice/access.h"
#include "slice/complete.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/trace.h"
#include "slice/vgpu.h"
#include "turn.h"

/* For a client that drives the registers itself */
static struct tess_slice *vslice_begin_client(struct tess_vgpu *vgpu, unsigned int vslice, int *idx)
{
	struct tess_slice *slice;

	if (vgpu->elastic)
		return ERR_PTR(-EOPNOTSUPP);
	slice = tess_vslice_begin(vgpu, vslice, idx);
	if (IS_ERR(slice) || tess_gpu_ops(vgpu->gpu)->regs)
		return slice;
	tess_vslice_end(slice, *idx);
	return ERR_PTR(-EOPNOTSUPP);
}

static bool vslice_reg_is_valid(u32 off, unsigned int width)
{
	return (width == 4 || width == 8) && off < TESS_PAGE_SIZE && !(off % width);
}

static int vslice_reg_read(struct tess_vgpu *vgpu, unsigned int vslice, u32 off,
			   unsigned int width, u64 *val)
{
	struct tess_slice *slice;
	int idx, rc;

	slice = vslice_begin_client(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = tess_regs_read(slice, &vgpu->vslices[vslice], off, width, val);
	tess_vslice_end(slice, idx);
	return rc;
}

static int vslice_reg_write(struct tess_vgpu *vgpu, unsigned int vslice, u32 off,
			    unsigned int width, u64 val)
{
	struct tess_slice *slice;
	struct tess_vslice *vs;
	bool wait = false;
	int idx, rc = 0;

	slice = vslice_begin_client(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	vs = &vgpu->vslices[vslice];
	if (tess_vslice_is_denied(vs))
		rc = -ENXIO;
	else if (tess_vslice_is_resident(vs))
		rc = tess_regs_write(slice, off, width, val);
	else
		wait = !tess_regs_write_parked(slice, vs, off, width, val);
	tess_vslice_end(slice, idx);
	return wait ? tess_turn_write(vs, off, width, val) : rc;
}

static int vslice_reset(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_slice *slice;
	struct tess_vslice *vs;
	int idx, rc = 0;

	slice = vslice_begin_client(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	vs = &vgpu->vslices[vslice];
	if (tess_vslice_is_denied(vs))
		rc = -ENXIO;
	else if (tess_vslice_is_resident(vs))
		rc = tess_regs_restart(slice);
	else
		tess_regs_restart_parked(slice, vs);
	tess_vslice_end(slice, idx);
	return rc;
}

/*
 * True: the GPU forgot its clients, and now all are parked: to be tried again. Else @rc is final,
 * and no longer -EAGAIN.
 */
static bool vslice_stands(struct tess_vgpu *vgpu, int *rc)
{
	struct tess_gpu *gpu = vgpu->gpu;

	if (*rc != -EAGAIN)
		return false;
	*rc = -ENODEV;
	return !wait_event_killable(gpu->stands, READ_ONCE(gpu->still) || READ_ONCE(gpu->gone)) &&
	       !READ_ONCE(gpu->gone);
}

int tess_vslice_reg_read(struct tess_vgpu *vgpu, unsigned int vslice, u32 off, unsigned int width,
			 u64 *val)
{
	int rc;

	*val = 0;
	if (!vslice_reg_is_valid(off, width))
		return -EINVAL;
	do {
		rc = vslice_reg_read(vgpu, vslice, off, width, val);
	} while (vslice_stands(vgpu, &rc));
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reg_read, TESS_NS);

int tess_vslice_reg_write(struct tess_vgpu *vgpu, unsigned int vslice, u32 off,
			  unsigned int width, u64 val)
{
	int rc;

	if (!vslice_reg_is_valid(off, width))
		return -EINVAL;
	do {
		rc = vslice_reg_write(vgpu, vslice, off, width, val);
	} while (vslice_stands(vgpu, &rc));
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reg_write, TESS_NS);

int tess_vslice_reset(struct tess_vgpu *vgpu, unsigned int vslice)
{
	int rc;

	do {
		rc = vslice_reset(vgpu, vslice);
	} while (vslice_stands(vgpu, &rc));
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reset, TESS_NS);

int tess_vslice_kick(struct tess_vgpu *vgpu, unsigned int vslice, u64 wptr)
{
	struct tess_sched_entity *se;
	struct tess_slice *slice;
	bool resident;
	int idx;

	slice = vslice_begin_client(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	resident = tess_vslice_is_resident(&vgpu->vslices[vslice]);
	trace_tess_kick(slice, vgpu, vslice, wptr, !resident);
	if (resident) {
		tess_gpu_ops(slice->gpu)->kick(slice->gpu->be, slice->index, wptr);
	} else {
		se = &vgpu->vslices[vslice].sched;
		se->kick = wptr;
		se->kicked = true;
	}
	tess_vslice_end(slice, idx);
	if (!resident)
		tess_slice_look(slice);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_kick, TESS_NS);

void tess_vslice_forward(struct tess_vgpu *vgpu, unsigned int vslice, u64 wptr)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_slice *slice = vgpu->vslices[vslice].slice;

	lockdep_assert_held(&slice->hw);
	trace_tess_kick(slice, vgpu, vslice, wptr, false);
	tess_gpu_ops(gpu)->kick(gpu->be, slice->index, wptr);
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_forward, TESS_NS);

/* No slice mutex: page faults ask, and that is held while their mappings are removed */
phys_addr_t tess_vslice_doorbell_phys(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_gpu *gpu = vgpu->gpu;
	struct tess_vslice *vs = &vgpu->vslices[vslice];
	struct tess_slice *slice = NULL;
	phys_addr_t phys = 0;
	int idx;

	if (vslice >= vgpu->nr_vslices || !tess_gpu_enter(gpu, &idx))
		return 0;
	spin_lock(&gpu->lock);
	if (!vs->parked && tess_vslice_is_resident(vs))
		slice = vs->slice;
	spin_unlock(&gpu->lock);
	if (slice && tess_gpu_ops(gpu)->doorbell)
		phys = tess_gpu_ops(gpu)->doorbell(gpu->be, slice->index);
	tess_gpu_exit(gpu, idx);
	return phys;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_doorbell_phys, TESS_NS);

static int vslice_route(struct tess_slice *slice, struct tess_vslice *vs,
			struct tess_completion_record *rec)
{
	struct tess_gpu *gpu = slice->gpu;
	u64 seen;
	int rc;

	if (!vs->vgpu->ops->complete)
		return -EINVAL;
	if (tess_vslice_is_resident(vs))
		rc = tess_gpu_ops(gpu)->client_get(gpu->be, slice->index, TESS_CLIENT_FENCE,
						   &seen);
	else
		rc = tess_context_get(vs->context, TESS_CLIENT_FENCE, &seen);
	/* Not known just now: at worst the client is told of a completion that it knows of */
	if (rc == -EAGAIN) {
		seen = 0;
		rc = 0;
	}
	if (!rc)
		tess_route_attach(slice, vs, &(struct tess_route_source){ .rec = rec }, seen);
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
	tess_route_detach(vgpu->gpu, &vgpu->vslices[vslice]);
	if (!rec)
		return 0;
	slice = vslice_begin_client(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = vslice_route(slice, &vgpu->vslices[vslice], rec);
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_set_record, TESS_NS);
