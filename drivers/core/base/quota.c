// SPDX-License-Identifier: GPL-2.0-only
/*
 * VRAM that is kept for a client.
 *
 * DOC: Quotas of VRAM
 *
 * A client that allocates as it needs may have a quota: it gets no more, and what it has not
 * allocated yet nobody else gets (tess_gpu.vram_kept). Which VRAM that is does not matter: the
 * GPU translates by page. To change a quota takes two steps, because what else has to change with
 * it may fail: both the old and the new one are kept between tess_vram_quota_set() and
 * tess_vram_quota_settle(), and the client gets the smaller one.
 */
#include <linux/sizes.h>
#include <tessera/compat.h>

#include "gpu.h"
#include "mem.h"

static u64 quota_free_bytes(struct tess_gpu *gpu, u64 granule)
{
	u64 bytes;
	int idx;

	lockdep_assert_held(&gpu->vram_lock);
	if (!gpu->info.vram_size || !tess_gpu_enter(gpu, &idx))
		return 0;
	bytes = tess_gpu_ops(gpu)->vram_free_bytes(gpu->be, granule);
	tess_gpu_exit(gpu, idx);
	return bytes > gpu->vram_kept ? bytes - gpu->vram_kept : 0;
}

/**
 * tess_vram_available() - VRAM that is free in whole blocks, and kept for nobody
 * @gpu: GPU
 * @granule: bytes of a block: 4 KiB or 2 MiB
 *
 * Return: bytes; 0 if the GPU has no VRAM, or is gone.
 */
u64 tess_vram_available(struct tess_gpu *gpu, u64 granule)
{
	u64 bytes;

	mutex_lock(&gpu->vram_lock);
	bytes = quota_free_bytes(gpu, granule);
	mutex_unlock(&gpu->vram_lock);
	return bytes;
}

/**
 * tess_vram_quota_set() - begin to change a quota
 * @gpu: GPU
 * @quota: quota; one caller at a time
 * @limit: what it is to be, in bytes; may be less than is used
 *
 * If it succeeds tess_vram_quota_settle() has to follow.
 *
 * Return: 0, -ENOSPC not so much is free.
 */
int tess_vram_quota_set(struct tess_gpu *gpu, struct tess_vram_quota *quota, u64 limit)
{
	u64 more = limit > quota->reserved ? limit - quota->reserved : 0;
	int rc = 0;

	mutex_lock(&gpu->vram_lock);
	if (more && quota_free_bytes(gpu, SZ_4K) < more)
		rc = -ENOSPC;
	if (!rc) {
		gpu->vram_kept += more;
		quota->reserved += more;
		quota->limit = min(quota->limit, limit);
	}
	mutex_unlock(&gpu->vram_lock);
	return rc;
}

/**
 * tess_vram_quota_settle() - end a change
 * @gpu: GPU
 * @quota: quota
 * @limit: that of tess_vram_quota_set() or the one before, not less than is used
 */
void tess_vram_quota_settle(struct tess_gpu *gpu, struct tess_vram_quota *quota, u64 limit)
{
	mutex_lock(&gpu->vram_lock);
	gpu->vram_kept -= quota->reserved - limit;
	quota->reserved = limit;
	quota->limit = limit;
	mutex_unlock(&gpu->vram_lock);
}

/**
 * tess_vram_quota_left() - what its owner can allocate
 * @gpu: GPU
 * @quota: quota
 *
 * Return: bytes.
 */
u64 tess_vram_quota_left(struct tess_gpu *gpu, struct tess_vram_quota *quota)
{
	u64 left;

	mutex_lock(&gpu->vram_lock);
	left = quota->limit > quota->used ? quota->limit - quota->used : 0;
	mutex_unlock(&gpu->vram_lock);
	return left;
}

/**
 * tess_vram_quota_excess() - what its owner has too much
 * @gpu: GPU
 * @quota: quota that is to be less
 *
 * Return: bytes.
 */
u64 tess_vram_quota_excess(struct tess_gpu *gpu, struct tess_vram_quota *quota)
{
	u64 excess;

	mutex_lock(&gpu->vram_lock);
	excess = quota->used > quota->limit ? quota->used - quota->limit : 0;
	mutex_unlock(&gpu->vram_lock);
	return excess;
}
