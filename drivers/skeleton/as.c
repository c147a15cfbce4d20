// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces of a GPU that reaches no memory.
 *
 * DOC: Tables that are not there
 *
 * Nothing is ever read through the page tables, so there are none. A back-end that has tables puts
 * the range in them in as_map(), whole or not at all; as_unmap() takes it out and does not return
 * before all slices have dropped their translations. Who can tell which pages slices wrote to does
 * so there, too, if somebody asks.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/memory.h>

#include "skeleton.h"

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

int skeleton_as_unmap(struct tess_hw_as *as, u64 va, u64 size, unsigned long *dirty)
{
	return 0;
}
