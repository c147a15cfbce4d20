// SPDX-License-Identifier: GPL-2.0-only
/*
 * Vslices: what a client does with the slice behind one.
 *
 * DOC: Vslices
 *
 * A vslice that shares its slice may be parked: it has its slice (home), but another
 * vslice is on it. What is read then comes from its context. A reset, and what follows
 * from it, needs no slice; other writes wait for the vslice's turn.
 */
#include <linux/err.h>
#include <tessera/compat.h>

#include "base/context.h"
#include "base/gpu.h"
#include "sched.h"
#include "slice/access.h"
#include "slice/complete.h"
#include "slice/fault.h"
#include "slice/look.h"
#include "slice/slice.h"
#include "slice/trace.h"
#include "slice/vgpu.h"
#include "turn.h"
#include "vslice.h"

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

static bool reg_is_valid(u32 off, unsigned int width)
{
	return (width == 4 || width == 8) && off < TESS_PAGE_SIZE && !(off % width);
}

static const struct tess_reg_ops *vslice_regs(const struct tess_slice *slice)
{
	return tess_gpu_ops(slice->gpu)->regs;
}

static bool reg_is_shape(enum tess_reg_role role)
{
	return role == TESS_ROLE_KIND || role == TESS_ROLE_CORES || role == TESS_ROLE_ENGINES;
}

/* What the slice is comes from there, the rest is in the context */
static int vslice_read_parked(struct tess_slice *slice, const struct tess_vslice *vs, u32 off,
			      unsigned int width, u64 *val)
{
	switch (vslice_regs(slice)->role(off, width, false, 0)) {
	case TESS_ROLE_KIND:
		*val = slice->info.kind;
		return 0;
	case TESS_ROLE_CORES:
		*val = slice->info.cores;
		return 0;
	case TESS_ROLE_ENGINES:
		*val = slice->info.engines & vs->setup.engines;
		return 0;
	default:
		return tess_context_read(vs->context, off, width, val);
	}
}

/* What its client is not to use is no slice to it, although it goes on there */
static int vslice_read(struct tess_slice *slice, const struct tess_vslice *vs, u32 off,
		       unsigned int width, u64 *val)
{
	const struct tess_reg_ops *regs = vslice_regs(slice);

	if (!tess_vslice_is_given(vs) && reg_is_shape(regs->role(off, width, false, 0)))
		return 0;
	if (!tess_vslice_is_resident(vs))
		return vslice_read_parked(slice, vs, off, width, val);
	return regs->read(slice->gpu->be, slice->index, off, width, val);
}

int tess_vslice_reg_read(struct tess_vgpu *vgpu, unsigned int vslice, u32 off, unsigned int width,
			 u64 *val)
{
	struct tess_slice *slice;
	int idx, rc;

	*val = 0;
	if (!reg_is_valid(off, width))
		return -EINVAL;
	slice = vslice_begin_client(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = vslice_read(slice, &vgpu->vslices[vslice], off, width, val);
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reg_read, TESS_NS);

static int vslice_restart(struct tess_slice *slice)
{
	int rc;

	tess_sched_settle(slice);
	rc = vslice_regs(slice)->reset(slice->gpu->be, slice->index);
	if (rc)
		return rc;
	tess_sched_restarted(slice, tess_slice_resident(slice));
	tess_route_restart(slice);
	tess_fault_acked(slice);
	tess_fault_drop(tess_slice_resident(slice));
	return 0;
}

/**
 * tess_vslice_write() - write a register of the resident vslice
 * @slice: slice with a client that drives registers, its hw mutex held, inside tess_gpu_enter()
 * @off: offset in the client page
 * @width: 4 or 8
 * @val: value
 *
 * What the core remembers about a slice follows what its client writes.
 *
 * Return: 0, -ENODEV.
 */
int tess_vslice_write(struct tess_slice *slice, u32 off, unsigned int width, u64 val)
{
	const struct tess_reg_ops *regs = vslice_regs(slice);
	enum tess_reg_role role = regs->role(off, width, true, val);
	int rc;

	lockdep_assert_held(&slice->hw);
	if (role == TESS_ROLE_RESET)
		return vslice_restart(slice);
	rc = regs->write(slice->gpu->be, slice->index, off, width, val);
	if (!rc && role == TESS_ROLE_FAULT_ACK)
		tess_fault_acked(slice);
	return rc;
}

/**
 * tess_vslice_restart_parked() - reset of a vslice that is not on its slice
 * @slice: home, its hw mutex held, inside tess_gpu_enter()
 * @vs: vslice
 */
void tess_vslice_restart_parked(struct tess_slice *slice, struct tess_vslice *vs)
{
	struct tess_gpu *gpu = slice->gpu;

	lockdep_assert_held(&slice->hw);
	tess_context_clear(vs->context);
	vs->fault_told = false;
	vs->fault_owed = false;
	tess_fault_drop(vs);
	spin_lock(&gpu->lock);
	vs->seen = 0;
	spin_unlock(&gpu->lock);
	tess_sched_restarted(slice, vs);
}

/* True: it was done; false: it needs the slice */
static bool vslice_write_parked(struct tess_slice *slice, struct tess_vslice *vs, u32 off,
				unsigned int width, u64 val)
{
	enum tess_reg_role role = vslice_regs(slice)->role(off, width, true, val);

	if (role == TESS_ROLE_RESET)
		tess_vslice_restart_parked(slice, vs);
	return role == TESS_ROLE_RESET || role == TESS_ROLE_INVALIDATE;
}

int tess_vslice_reg_write(struct tess_vgpu *vgpu, unsigned int vslice, u32 off,
			  unsigned int width, u64 val)
{
	struct tess_slice *slice;
	struct tess_vslice *vs;
	bool wait = false;
	int idx, rc = 0;

	if (!reg_is_valid(off, width))
		return -EINVAL;
	slice = vslice_begin_client(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	vs = &vgpu->vslices[vslice];
	if (tess_vslice_is_denied(vs))
		rc = -ENXIO;
	else if (tess_vslice_is_resident(vs))
		rc = tess_vslice_write(slice, off, width, val);
	else
		wait = !vslice_write_parked(slice, vs, off, width, val);
	tess_vslice_end(slice, idx);
	return wait ? tess_turn_write(vs, off, width, val) : rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_reg_write, TESS_NS);

int tess_vslice_reset(struct tess_vgpu *vgpu, unsigned int vslice)
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
		rc = vslice_restart(slice);
	else
		tess_vslice_restart_parked(slice, vs);
	tess_vslice_end(slice, idx);
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
	if (slice)
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
	if (!rc)
		tess_route_attach(slice, vs, rec, seen);
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
	tess_route_detach(&vgpu->vslices[vslice]);
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
