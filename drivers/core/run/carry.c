// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carriage: a client goes on with a vGPU of another machine.
 *
 * DOC: Carriage
 *
 * What transfer.c does between two GPUs of a pool, in two halves: the vslices of a vGPU that is
 * frozen are written as bytes, and those of another one, which is of the same frame, frozen and
 * has run nothing yet, are made from them. What happens to the bytes in between is unknown, so
 * they are looked at as what a client stores: they decide what that client does, and nothing
 * else. Accounts stay behind; they are those of the host.
 *
 * Engines are compared for each vslice, and links, as a work-group that is in flight may use them.
 * Kind and number of the slices may be others, and so may the way that they are shared.
 */
#include <linux/err.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>
#include <tessera/transfer.h>
#include <tessera/vgpu.h>

#include "base/context.h"
#include "base/gpu.h"
#include "base/refuse.h"
#include "slice/access.h"
#include "slice/slice.h"
#include "slice/vgpu.h"

static struct tess_slice *carry_begin(struct tess_vgpu *vgpu, unsigned int vslice, int *idx)
{
	if (!READ_ONCE(vgpu->frozen))
		return ERR_PTR(-EINVAL);
	return tess_vslice_begin(vgpu, vslice, idx);
}

static void carry_describe(const struct tess_vslice *vs, struct tess_vslice_state *state)
{
	*state = (struct tess_vslice_state){
		.engines = cpu_to_le32(vs->setup.engines & vs->vgpu->blueprint.engines),
		.flags = cpu_to_le32(vs->sched.kicked ? TESS_VSLICE_KICKED : 0),
		.reach = cpu_to_le64(READ_ONCE(vs->reach)),
		.kick = cpu_to_le64(vs->sched.kicked ? vs->sched.kick : 0),
	};
}

ssize_t tess_vslice_pack(struct tess_vgpu *vgpu, unsigned int vslice, void *buf, size_t size)
{
	struct tess_vslice_state state;
	struct tess_slice *slice;
	ssize_t len = -ENOSPC;
	int idx;

	slice = carry_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	carry_describe(&vgpu->vslices[vslice], &state);
	if (!buf)
		len = tess_context_pack(vgpu->vslices[vslice].context, NULL, 0);
	else if (size >= sizeof(state))
		len = tess_context_pack(vgpu->vslices[vslice].context, buf + sizeof(state),
					size - sizeof(state));
	tess_vslice_end(slice, idx);
	if (len < 0)
		return len;
	if (buf)
		memcpy(buf, &state, sizeof(state));
	return sizeof(state) + len;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_pack, TESS_NS);

static int carry_check(const struct tess_vslice *vs, const struct tess_vslice_state *state,
		       struct tess_reason *reason)
{
	const struct tess_vgpu *vgpu = vs->vgpu;
	u64 reach = le64_to_cpu(state->reach);

	if (le32_to_cpu(state->flags) & ~TESS_VSLICE_KICKED)
		return -EINVAL;
	if (le32_to_cpu(state->engines) & ~vs->setup.engines)
		return tess_refuse(vgpu->gpu, vgpu->name, reason, -EOPNOTSUPP,
				   "slice %u has not all engines of vslice %u", vs->slice->index,
				   vs->index);
	if (reach & ~READ_ONCE(vs->reach))
		return tess_refuse(vgpu->gpu, vgpu->name, reason, -EOPNOTSUPP,
				   "vslice %u has not all links that it had", vs->index);
	return 0;
}

static int carry_adopt(struct tess_vslice *vs, const struct tess_vslice_state *state,
		       const void *image, size_t size)
{
	struct tess_fault fault;
	int rc;

	rc = tess_context_unpack(vs->context, image, size);
	if (rc)
		return rc;
	vs->sched.kicked = le32_to_cpu(state->flags) & TESS_VSLICE_KICKED;
	vs->sched.kick = le64_to_cpu(state->kick);
	vs->sched.has_work = tess_context_has_work(vs->context);
	vs->fault_told = false;
	/* It may be told once more than it has to be */
	vs->fault_owed = tess_context_fault(vs->context, &fault);
	return 0;
}

int tess_vslice_unpack(struct tess_vgpu *vgpu, unsigned int vslice, const void *buf, size_t size,
		       struct tess_reason *reason)
{
	struct tess_vslice_state state;
	struct tess_slice *slice;
	int idx, rc;

	if (size < sizeof(state))
		return -EINVAL;
	memcpy(&state, buf, sizeof(state));
	slice = carry_begin(vgpu, vslice, &idx);
	if (IS_ERR(slice))
		return PTR_ERR(slice);
	rc = carry_check(&vgpu->vslices[vslice], &state, reason);
	if (!rc)
		rc = carry_adopt(&vgpu->vslices[vslice], &state, buf + sizeof(state),
				 size - sizeof(state));
	tess_vslice_end(slice, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_vslice_unpack, TESS_NS);
