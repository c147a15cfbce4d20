/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_MEM_H_
#define _TESSERA_CORE_MEM_H_

#include <tessera/memory.h>

struct tess_hw_as;

/**
 * struct tess_vram_quota - VRAM that one client may have, and that is kept for it
 * @limit: bytes that it may have. Under tess_gpu.vram_lock, as the following
 * @reserved: bytes that nobody else gets; @limit, or more while that changes
 * @used: bytes that it has
 */
struct tess_vram_quota {
	u64 limit;
	u64 reserved;
	u64 used;
};

int tess_vram_quota_set(struct tess_gpu *gpu, struct tess_vram_quota *quota, u64 limit);
void tess_vram_quota_settle(struct tess_gpu *gpu, struct tess_vram_quota *quota, u64 limit);
u64 tess_vram_quota_left(struct tess_gpu *gpu, struct tess_vram_quota *quota);
u64 tess_vram_quota_excess(struct tess_gpu *gpu, struct tess_vram_quota *quota);

struct tess_vram *tess_vram_reserve_of(struct tess_gpu *gpu, struct tess_vram_quota *quota,
				       u64 size, int near_slice, bool contiguous);
u64 tess_vram_available(struct tess_gpu *gpu, u64 granule);
void tess_vram_get(struct tess_vram *vram);
void tess_vram_put(struct tess_vram *vram);
int tess_vram_clear(struct tess_vram *vram);
int tess_vram_zero(struct tess_gpu *gpu, const struct tess_vram *vram, u64 off, u64 size);

struct tess_hw_as *tess_as_hw(const struct tess_as *as);
struct tess_gpu *tess_as_gpu(const struct tess_as *as);
enum tess_as_stage tess_as_stage(const struct tess_as *as);

#endif
