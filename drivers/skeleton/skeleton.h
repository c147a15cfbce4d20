/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_SKELETON_H_
#define _TESSERA_SKELETON_H_

#include <linux/irq_work.h>
#include <tessera/backend.h>

#define SKELETON_SLICES		4

/**
 * struct skeleton - a GPU that does nothing
 * @be: for the core
 * @irq: its completion interrupt
 * @masked: no interrupt is passed on
 */
struct skeleton {
	struct tess_backend be;
	struct irq_work irq;
	bool masked;
};

static inline struct skeleton *to_skeleton(struct tess_backend *be)
{
	return container_of(be, struct skeleton, be);
}

/* ring.c */
struct tess_hw_ring *skeleton_ring_alloc(struct tess_backend *be);
int skeleton_ring_start(struct tess_backend *be, struct tess_hw_ring *hw, unsigned int slice,
			struct tess_hw_context *ctx);
void skeleton_ring_destroy(struct tess_backend *be, struct tess_hw_ring *hw);
int skeleton_ring_submit(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq,
			 struct tess_hw_as *as, u64 cmd, u32 count);
void skeleton_ring_kick(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq);
u64 skeleton_ring_completed(const struct tess_hw_ring *hw);
u64 skeleton_ring_arm(struct tess_hw_ring *hw, u64 seq);
u64 skeleton_ring_job(const struct tess_hw_ring *hw, u64 packet);
int skeleton_ring_recover(struct tess_backend *be, struct tess_hw_ring *hw,
			  struct tess_hw_context *saved, u64 seq, u64 last,
			  bool (*cancel)(void *data, u64 seq), void *data);
u64 skeleton_ring_spent(const struct tess_hw_ring *hw, u64 seq, u64 busy);
u64 skeleton_ring_usage(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq);

/* as.c */
struct tess_hw_as *skeleton_as_create(struct tess_backend *be, enum tess_as_stage stage);
void skeleton_as_destroy(struct tess_hw_as *as);
int skeleton_as_map(struct tess_hw_as *as, u64 va, u64 pa, u64 size, u32 prot);
int skeleton_as_unmap(struct tess_hw_as *as, u64 va, u64 size, unsigned long *dirty);

#endif
