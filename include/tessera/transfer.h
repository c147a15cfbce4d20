/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for front-ends: a client goes to another GPU.
 *
 * What gpu.h says of contexts, of lifetime and of error pointers holds here, too.
 *
 * A vGPU is of one GPU for life. Its client is moved to another GPU in this way, by whoever
 * owns both: compose a vGPU there that continues the first, freeze the first, copy its state
 * and memory, give the client the second instead, thaw that, destroy the first. Until the
 * client is given the second, the second can be destroyed and the first thawed instead, and
 * nothing has happened.
 */
#ifndef _TESSERA_TRANSFER_H_
#define _TESSERA_TRANSFER_H_

#include <linux/bits.h>
#include <linux/types.h>

struct tess_reason;
struct tess_vgpu;

/**
 * tess_vgpu_can_freeze() - does it make sense to try it?
 * @vgpu: vGPU with parked() and resumed()
 * @reason: filled if not; may be NULL
 *
 * Return: 0; -EOPNOTSUPP the GPU or the client cannot, and never will.
 */
int tess_vgpu_can_freeze(const struct tess_vgpu *vgpu, struct tess_reason *reason);

/**
 * tess_vgpu_freeze() - no vslice runs from now on
 * @vgpu: vGPU with parked() and resumed()
 * @reason: filled if it is refused; may be NULL
 *
 * Parks all vslices with all their work: the GPU makes no access for the client. What it
 * stores to doorbells is caught and is not acted upon, writes to registers wait. It is not
 * composed anew, and its vslices are not moved, until it is settled or thawed.
 *
 * Return: 0; -EOPNOTSUPP the GPU or the client cannot; -EBUSY it is frozen; -ENOMEM, -ENODEV.
 * It runs on then.
 */
int tess_vgpu_freeze(struct tess_vgpu *vgpu, struct tess_reason *reason);

/**
 * tess_vgpu_settle() - a vGPU stays frozen, for as long as its owner likes
 * @vgpu: vGPU that is frozen
 *
 * From then on it can be composed anew, and another can continue it without being frozen anew. If
 * it continues another itself, that one is not needed any longer.
 */
void tess_vgpu_settle(struct tess_vgpu *vgpu);

/**
 * tess_vgpu_thaw() - vslices run again
 * @vgpu: vGPU, frozen or not
 */
void tess_vgpu_thaw(struct tess_vgpu *vgpu);

/**
 * tess_vgpu_copy_state() - what the vslices of a vGPU are about to do, for its continuation
 * @to: made with tess_vgpu_params.continues, has its stage 2
 * @from: frozen; the caller makes no other call for its vslices
 * @reason: filled if it is refused; may be NULL
 *
 * All but completion records, and stores to doorbells that the owner caught: those it tells
 * by tess_vslice_set_record() and tess_vslice_wake(), when the client has @to.
 *
 * Return: 0; -EOPNOTSUPP slices of @to lack engines; -EBUSY @from was composed anew
 * meanwhile; -EINVAL, -ENOMEM, -ENODEV.
 */
int tess_vgpu_copy_state(struct tess_vgpu *to, struct tess_vgpu *from, struct tess_reason *reason);

/**
 * tess_vgpu_copy_memory() - the memory that the blueprint reserved, for its continuation
 * @to: made with tess_vgpu_params.continues
 * @from: frozen or not; what is written to meanwhile is to be copied again (tess_vgpu_written())
 * @blocks: bitmap: blocks to be copied; those that were are cleared
 * @blank: these blocks of @to are zero, so that nothing is written where zero is copied
 *
 * Takes no lock of a slice.
 *
 * Return: 0; -EINVAL, -ENOMEM, -ENODEV.
 */
int tess_vgpu_copy_memory(struct tess_vgpu *to, struct tess_vgpu *from, unsigned long *blocks,
			  bool blank);

/* ---- another machine ---- */

#define TESS_VSLICE_KICKED		BIT(0)	/* @kick is of a doorbell that waits */

/**
 * struct tess_vslice_state - what tess_vslice_pack() begins with
 * @engines: TESS_ENGINE_* that its work may use
 * @flags: TESS_VSLICE_*
 * @reach: vslices whose memory it reaches
 * @kick: write index that was stored while it was parked, of a store that trapped
 *
 * Then what the back-end knows of its client: for the GPU on PCI, little endian as all of it, the
 * counters of the host page that a context image does not have, 64 bits each, and the image
 * (tessera/hw/tess_context.h), or nothing after a reset of the client.
 */
struct tess_vslice_state {
	__le32 engines;
	__le32 flags;
	__le64 reach;
	__le64 kick;
};

/* Bytes of tess_vslice_pack() are never more */
#define TESS_VSLICE_PACK_MAX		0x186000

/**
 * tess_vslice_pack() - what a vslice is about to do, as bytes
 * @vgpu: frozen
 * @vslice: index
 * @buf: for them; NULL: only say how many
 * @size: of @buf
 *
 * All but completion records, and stores to doorbells that the owner caught.
 *
 * Return: bytes; -EINVAL bad index, or it is not frozen; -ENOSPC they are more than @size;
 * -EBADMSG what the GPU saved is damaged; -ENODEV.
 */
ssize_t tess_vslice_pack(struct tess_vgpu *vgpu, unsigned int vslice, void *buf, size_t size);

/**
 * tess_vslice_unpack() - what a vslice of another machine was about to do
 * @vgpu: frozen
 * @vslice: index
 * @buf: from tess_vslice_pack(), not trusted
 * @size: bytes
 * @reason: filled if it is refused; may be NULL
 *
 * What the GPU finds wrong with it when the vslice comes to a slice is a lost context: a fault of
 * the client.
 *
 * Return: 0; -EINVAL bad index, it is not frozen, or @buf is something else; -EOPNOTSUPP the slice
 * lacks engines or links; -ENODEV.
 */
int tess_vslice_unpack(struct tess_vgpu *vgpu, unsigned int vslice, const void *buf, size_t size,
		       struct tess_reason *reason);

#endif
