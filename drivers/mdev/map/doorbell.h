/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_DOORBELL_H_
#define _TESS_MDEV_DOORBELL_H_

#include <linux/mm_types.h>
#include <linux/types.h>

struct tess_mdev;
struct tess_vgpu;

/* Have pages for so many vslices at least, or at most */
int tess_mdev_doorbells_grow(struct tess_mdev *tm, unsigned int count);
void tess_mdev_doorbells_trim(struct tess_mdev *tm, unsigned int count);
/* Forget what was stored to parked doorbells and zero their pages */
void tess_mdev_doorbells_reset(struct tess_mdev *tm);
void tess_mdev_doorbell_forget(struct tess_mdev *tm, unsigned int vslice);
/* A value that was stored elsewhere while it was parked, as now */
void tess_mdev_doorbell_store(struct tess_mdev *tm, unsigned int vslice, u64 value);
/* Withdraw all that is mapped; the next access faults it in again */
void tess_mdev_doorbells_zap(struct tess_mdev *tm);

/*
 * The vGPU is another: withdraw all, and let it know of what was stored to parked doorbells; holds
 * doorbell_lock
 */
void tess_mdev_doorbells_follow(struct tess_mdev *tm);

/* Page fault */
vm_fault_t tess_mdev_doorbell_fault(struct tess_mdev *tm, struct vm_fault *vmf,
				    unsigned int vslice);
/* Value that was stored while parked and not delivered yet; 0: none */
u64 tess_mdev_doorbell_parked(const struct tess_mdev *tm, unsigned int vslice);

/* Call-backs of the core */
void tess_mdev_parked(struct tess_vgpu *vgpu, unsigned int vslice);
bool tess_mdev_resumed(struct tess_vgpu *vgpu, unsigned int vslice, u64 *wptr);

#endif
