// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of vslices, with the slice's mutex held.
 *
 * DOC: Registers of vslices
 *
 * A vslice that shares its slice may be parked: it has its slice (home), but another
 * vslice is on it. What is read then comes from its context. A reset, and what follows
 * from it, needs no slice; other writes wait for the vslice's turn (turn.c).
 */
#include <tessera/compat.h>

#include "account.h"
#include "base/context.h"
#include "base/gpu.h"
#include "regs.h"
#include "run.h"
#include "slice/complete.h"
#include "slice/fault.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

static const struct tess_reg_ops *regs_ops(const struct tess_slice *slice)
{
	return tess_gpu_ops(slice->gpu)->regs;
}

static bool regs_is_shape(enum tess_reg_role role)
{
	return role == TESS_ROLE_KIND || role == TESS_ROLE_CORES || role == TESS_ROLE_ENGINES;
}

/* What the slice is comes from there, the rest is in the context */
static int regs_read_parked(struct tess_slice *slice, const struct tess_vslice *vs, u32 off,
			    unsigned int width, u64 *val)
{
	switch (regs_ops(slice)->role(off, width, false, 0)) {
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

/**
 * tess_regs_read() - read a register of a vslice
 * @slice: its home, whose client drives registers; the hw mutex held, inside tess_gpu_enter()
 * @vs: vslice, resident or parked
 * @off: offset in the client page
 * @width: 4 or 8
 * @val: result, 0 before
 *
 * A vslice that is withheld reads as no slice, although it goes on there.
 *
 * Return: 0, -EBADMSG its context is damaged, -ENODEV.
 */
int tess_regs_read(struct tess_slice *slice, const struct tess_vslice *vs, u32 off,
		   unsigned int width, u64 *val)
{
	const struct tess_reg_ops *regs = regs_ops(slice);

	if (!tess_vslice_is_given(vs) && regs_is_shape(regs->role(off, width, false, 0)))
		return 0;
	if (!tess_vslice_is_resident(vs))
		return regs_read_parked(slice, vs, off, width, val);
	return regs->read(slice->gpu->be, slice->index, off, width, val);
}

/**
 * tess_regs_restart() - reset of the resident vslice
 * @slice: slice with a client that drives registers, its hw mutex held, inside tess_gpu_enter()
 *
 * Return: 0, -ENODEV.
 */
int tess_regs_restart(struct tess_slice *slice)
{
	int rc;

	tess_sched_settle(slice);
	rc = regs_ops(slice)->reset(slice->gpu->be, slice->index);
	if (rc)
		return rc;
	tess_sched_restarted(slice, tess_slice_resident(slice));
	tess_route_restart(slice);
	tess_fault_acked(slice);
	tess_fault_drop(tess_slice_resident(slice));
	return 0;
}

/**
 * tess_regs_write() - write a register of the resident vslice
 * @slice: slice with a client that drives registers, its hw mutex held, inside tess_gpu_enter()
 * @off: offset in the client page
 * @width: 4 or 8
 * @val: value
 *
 * What the core remembers about a slice follows what its client writes.
 *
 * Return: 0, -ENODEV.
 */
int tess_regs_write(struct tess_slice *slice, u32 off, unsigned int width, u64 val)
{
	const struct tess_reg_ops *regs = regs_ops(slice);
	enum tess_reg_role role = regs->role(off, width, true, val);
	int rc;

	lockdep_assert_held(&slice->hw);
	if (role == TESS_ROLE_RESET)
		return tess_regs_restart(slice);
	rc = regs->write(slice->gpu->be, slice->index, off, width, val);
	if (!rc && role == TESS_ROLE_FAULT_ACK)
		tess_fault_acked(slice);
	return rc;
}

/**
 * tess_regs_restart_parked() - reset of a vslice that is not on its slice
 * @slice: home, its hw mutex held, inside tess_gpu_enter()
 * @vs: vslice
 */
void tess_regs_restart_parked(struct tess_slice *slice, struct tess_vslice *vs)
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

/**
 * tess_regs_write_parked() - write a register of a vslice that is not on its slice
 * @slice: home, its hw mutex held, inside tess_gpu_enter()
 * @vs: vslice
 * @off: offset in the client page
 * @width: 4 or 8
 * @val: value
 *
 * Return: true if it was done, false if it needs the slice.
 */
bool tess_regs_write_parked(struct tess_slice *slice, struct tess_vslice *vs, u32 off,
			    unsigned int width, u64 val)
{
	enum tess_reg_role role = regs_ops(slice)->role(off, width, true, val);

	if (role == TESS_ROLE_RESET)
		tess_regs_restart_parked(slice, vs);
	return role == TESS_ROLE_RESET || role == TESS_ROLE_INVALIDATE;
}
