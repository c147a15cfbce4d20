/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_RING_H_
#define _TESSERA_CHIP_RING_H_

#include <tessera/backend.h>

struct tess_hw_ring *tess_chip_ring_alloc(struct tess_backend *be);
int tess_chip_ring_start(struct tess_backend *be, struct tess_hw_ring *ring, unsigned int slice,
			 struct tess_hw_context *ctx);
void tess_chip_ring_destroy(struct tess_backend *be, struct tess_hw_ring *ring);
void tess_chip_ring_hint(struct tess_hw_ring *ring, u32 frames, u64 operations);
int tess_chip_ring_submit(struct tess_backend *be, struct tess_hw_ring *ring, u64 seq,
			  struct tess_hw_as *as, u64 cmd, u32 count);
int tess_chip_ring_recover(struct tess_backend *be, struct tess_hw_ring *ring,
			   struct tess_hw_context *saved, u64 seq, u64 last,
			  bool (*cancel)(void *data, u64 seq), void *data);
void tess_chip_ring_kick(struct tess_backend *be, struct tess_hw_ring *ring, u64 seq);
u64 tess_chip_ring_completed(const struct tess_hw_ring *ring);
u64 tess_chip_ring_arm(struct tess_hw_ring *ring, u64 seq);
u64 tess_chip_ring_job(const struct tess_hw_ring *ring, u64 packet);
u64 tess_chip_ring_spent(const struct tess_hw_ring *ring, u64 seq, u64 busy);
u64 tess_chip_ring_usage(struct tess_backend *be, struct tess_hw_ring *ring, u64 seq);

#endif
