/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for front-ends: vslices of a client that drives the registers itself (a VM).
 *
 * What gpu.h says of contexts, of lifetime and of error pointers holds here, too. An elastic
 * vGPU has rings (ring.h) and none of this: -EOPNOTSUPP.
 *
 * A vslice of a shared vGPU is resident on its slice, or parked. Reads of a parked one
 * come from its saved context; RESET and TLB_INVALIDATE take effect there; what else is
 * written waits until it is its turn, which takes bounded time.
 */
#ifndef _TESSERA_VSLICE_H_
#define _TESSERA_VSLICE_H_

#include <linux/types.h>

struct tess_completion_record;
struct tess_vgpu;

/**
 * tess_vslice_reg_read() - read a register of the client page
 * @vgpu: vGPU
 * @vslice: index
 * @off: TESS_SREG_*
 * @width: 4 or 8 bytes
 * @val: result; 0 for what is no register
 *
 * Return: 0, -EINVAL bad index or width, -ENODEV.
 */
int tess_vslice_reg_read(struct tess_vgpu *vgpu, unsigned int vslice, u32 off, unsigned int width,
			 u64 *val);

/**
 * tess_vslice_reg_write() - write a register of the client page
 * @vgpu: vGPU
 * @vslice: index
 * @off: TESS_SREG_*
 * @width: 4 or 8 bytes
 * @val: what the hardware ignores is ignored
 *
 * Return: 0, -EINVAL bad index or width, -ENXIO no slice runs it now, -ENODEV.
 */
int tess_vslice_reg_write(struct tess_vgpu *vgpu, unsigned int vslice, u32 off,
			  unsigned int width, u64 val);

/**
 * tess_vslice_reset() - client reset of a vslice, as TESS_SREG_RESET
 * @vgpu: vGPU
 * @vslice: index
 *
 * Return: as tess_vslice_reg_write().
 */
int tess_vslice_reset(struct tess_vgpu *vgpu, unsigned int vslice);

/**
 * tess_vslice_kick() - a new write index, as a store to the doorbell
 * @vgpu: vGPU
 * @vslice: index
 * @wptr: packets ever written
 *
 * Return: as tess_vslice_reg_write().
 */
int tess_vslice_kick(struct tess_vgpu *vgpu, unsigned int vslice, u64 wptr);

/**
 * tess_vslice_wake() - a parked vslice has work: its client stored to a doorbell
 * @vgpu: vGPU
 * @vslice: index
 *
 * Any context; does no harm if it is resident. resumed() follows when it is its turn.
 */
void tess_vslice_wake(struct tess_vgpu *vgpu, unsigned int vslice);

/**
 * tess_vslice_forward() - pass a store on that was caught while a vslice was parked
 * @vgpu: vGPU
 * @vslice: index
 * @wptr: value of the last one
 *
 * Only from resumed(), for an owner whose client could reach the slice's doorbell, and
 * store a newer value, before resumed() has returned. Takes no lock.
 */
void tess_vslice_forward(struct tess_vgpu *vgpu, unsigned int vslice, u64 wptr);

/**
 * tess_vslice_doorbell_phys() - where a client's stores reach the slice directly
 * @vgpu: vGPU
 * @vslice: index
 *
 * Does not sleep and takes no lock that is held around call-backs. The answer holds
 * until parked(), or until config() if the vslice leaves its slice for good.
 *
 * Return: CPU physical address of the doorbell page of the slice that runs the vslice
 * now; 0 if none does.
 */
phys_addr_t tess_vslice_doorbell_phys(struct tess_vgpu *vgpu, unsigned int vslice);

/**
 * tess_vslice_set_record() - tell the completion router where to look
 * @vgpu: vGPU
 * @vslice: index
 * @rec: kernel address of the completion record, valid until replaced; NULL: none
 *
 * On return the router looks at the old record no more, whatever is returned. The
 * contents are hostile: they only decide whether complete() of this very vGPU is called.
 * A client must zero its record before it uses a ring that was reset.
 *
 * Return: 0, -EINVAL bad index, or the vGPU has no complete(); -ENXIO, -ENODEV.
 */
int tess_vslice_set_record(struct tess_vgpu *vgpu, unsigned int vslice,
			   struct tess_completion_record *rec);

#endif
