/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_SKELETON_H_
#define _TESSERA_SKELETON_H_

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <tessera/backend.h>

#define SKELETON_SLICES		4

/**
 * struct skeleton - a GPU that does nothing
 * @be: for the core
 * @irq: its completion interrupt
 * @masked: no interrupt is passed on
 * @raised: bit i: a job of slice i completed, and completion_take() did not ask yet
 */
struct skeleton {
	struct tess_backend be;
	struct irq_work irq;
	bool masked;
	atomic_t raised;
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
void skeleton_ring_submit(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq,
			  struct tess_hw_as *as, u64 cmd, u32 count);
void skeleton_ring_kick(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq);
u64 skeleton_ring_job(const struct tess_hw_ring *hw, u64 packet);
int skeleton_ring_recover(struct tess_backend *be, struct tess_hw_ring *hw,
			  struct tess_hw_context *saved, u64 seq, u64 last,
			  bool (*cancel)(void *data, u64 seq), void *data);
u64 skeleton_ring_spent(const struct tess_hw_ring *hw, u64 seq, u64 busy);
u64 skeleton_ring_usage(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq);

/* nothing.c */
struct tess_hw_vram *skeleton_vram_alloc(struct tess_backend *be, u64 size, int near_slice,
					 bool contiguous);
void skeleton_vram_free(struct tess_backend *be, struct tess_hw_vram *vram);
int skeleton_vram_clear(struct tess_backend *be, struct tess_hw_vram *vram);
int skeleton_vram_zero(struct tess_backend *be, u64 offset, u64 size);
int skeleton_vram_read(struct tess_backend *be, u64 offset, void *buf, size_t len);
int skeleton_vram_write(struct tess_backend *be, u64 offset, const void *buf, size_t len);
u64 skeleton_vram_free_bytes(struct tess_backend *be, u64 granule);
struct tess_hw_as *skeleton_as_create(struct tess_backend *be, enum tess_as_stage stage);
void skeleton_as_destroy(struct tess_hw_as *as);
int skeleton_as_map(struct tess_hw_as *as, u64 va, u64 pa, u64 size, u32 prot);
int skeleton_as_unmap(struct tess_hw_as *as, u64 va, u64 size);

#endif
