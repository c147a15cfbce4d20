// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of a GPU that reaches none.
 *
 * DOC: No memory
 *
 * The GPU has no VRAM: the core says so to whoever wants some, and asks here for none. Its page
 * tables are not there, because nothing is ever read through them. A back-end that has tables puts
 * the range in them in as_map(), whole or not at all; as_unmap() takes it out and does not return
 * before all slices have dropped their translations.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/memory.h>

#include "skeleton.h"

struct tess_hw_vram *skeleton_vram_alloc(struct tess_backend *be, u64 size, int near_slice,
					 bool contiguous)
{
	return ERR_PTR(-ENOSPC);
}

void skeleton_vram_free(struct tess_backend *be, struct tess_hw_vram *vram)
{
}

int skeleton_vram_clear(struct tess_backend *be, struct tess_hw_vram *vram)
{
	return 0;
}

int skeleton_vram_zero(struct tess_backend *be, u64 offset, u64 size)
{
	return -ENODEV;
}

int skeleton_vram_read(struct tess_backend *be, u64 offset, void *buf, size_t len)
{
	return -ENODEV;
}

int skeleton_vram_write(struct tess_backend *be, u64 offset, const void *buf, size_t len)
{
	return -ENODEV;
}

u64 skeleton_vram_free_bytes(struct tess_backend *be, u64 granule)
{
	return 0;
}

struct tess_hw_as *skeleton_as_create(struct tess_backend *be, enum tess_as_stage stage)
{
	struct tess_hw_as *as;

	as = kzalloc(sizeof(*as), GFP_KERNEL_ACCOUNT);
	if (!as)
		return ERR_PTR(-ENOMEM);
	as->be = be;
	as->stage = stage;
	return as;
}

void skeleton_as_destroy(struct tess_hw_as *as)
{
	kfree(as);
}

int skeleton_as_map(struct tess_hw_as *as, u64 va, u64 pa, u64 size, u32 prot)
{
	return 0;
}

int skeleton_as_unmap(struct tess_hw_as *as, u64 va, u64 size)
{
	return 0;
}
