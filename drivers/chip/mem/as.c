// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces, and which slices use them.
 *
 * DOC: Address spaces
 *
 * Who takes an entry out of page tables (pt.c) has to invalidate the slices that may hold its
 * translation. Which these are is in &tess_chip_as.slices. A slice's bit is set before the slice
 * is told to use the address space, and cleared after it has stopped using it and has
 * dropped its translations. So an unmap that runs while a slice is switched finds the
 * bit, or it has cleared the entries before the slice begins to look: the bit is set and
 * then, behind a full barrier, the slice told; entries are cleared and then, behind a
 * full barrier, the bit is read. Invalidating a slice that has left meanwhile costs its
 * present client some fills, and nothing else.
 *
 * An address space of stage 1 has an id (ASID), so that slices keep translations of several.
 * There are more address spaces than ids if somebody wants it so: those that come when all
 * ids are taken have the last one together, and drop its translations before each job.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/idr.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "as.h"
#include "base/chip.h"
#include "pt.h"

#define ASID_MIN	1
#define ASID_MAX	(U16_MAX - 1)
#define ASID_SHARED	U16_MAX

static atomic64_t as_number;

/* Without an id of its own it is slower, and works */
static int asid_get(struct tess_chip *chip, struct tess_chip_as *as)
{
	int rc = ida_alloc_range(&chip->asids, ASID_MIN, ASID_MAX, GFP_KERNEL);

	if (rc < 0 && rc != -ENOSPC)
		return rc;
	as->asid = rc < 0 ? ASID_SHARED : rc;
	return 0;
}

static void asid_put(struct tess_chip *chip, struct tess_chip_as *as)
{
	if (as->asid && as->asid != ASID_SHARED)
		ida_free(&chip->asids, as->asid);
}

/**
 * tess_chip_as_use() - a job of an address space is about to be sent to a slice
 * @as: of stage 1
 * @slice: number
 *
 * From here on, unmapping invalidates the slice. Any context.
 *
 * Return: true if translations of its id have to be dropped before the job.
 */
bool tess_chip_as_use(struct tess_chip_as *as, unsigned int slice)
{
	u64 bit = BIT_ULL(slice);

	/* First: an unmap that starts now must invalidate this slice */
	if (!(atomic64_read(&as->slices) & bit))
		atomic64_or(bit, &as->slices);
	return (atomic64_fetch_andnot(bit, &as->stale) & bit) || as->asid == ASID_SHARED;
}

struct tess_hw_as *tess_chip_as_create(struct tess_backend *be, enum tess_as_stage stage)
{
	struct tess_chip *chip = to_tess_chip(be);
	struct tess_chip_as *as;
	int rc;

	as = kzalloc(sizeof(*as), GFP_KERNEL_ACCOUNT);
	if (!as)
		return ERR_PTR(-ENOMEM);
	as->hw.be = be;
	as->hw.stage = stage;
	as->number = atomic64_inc_return(&as_number);
	atomic64_set(&as->stale, -1);
	rc = stage == TESS_AS_STAGE1 ? asid_get(chip, as) : 0;
	if (rc)
		goto err_free;
	as->root = tess_chip_pt_alloc(chip, stage);
	if (!as->root) {
		rc = -ENOMEM;
		goto err_asid;
	}
	return &as->hw;

err_asid:
	asid_put(chip, as);
err_free:
	kfree(as);
	return ERR_PTR(rc);
}

/* ---- slices of stage 2 ---- */

/**
 * tess_chip_stage2_begin() - a slice is about to use another stage 2
 * @chip: device
 * @slice: number; its calls are serialized
 * @as: what it will use, NULL: none
 *
 * From here on, unmapping invalidates the slice.
 */
void tess_chip_stage2_begin(struct tess_chip *chip, unsigned int slice, struct tess_chip_as *as)
{
	spin_lock(&chip->stage2_lock);
	chip->stage2[slice].next = as;
	if (as)
		atomic64_or(BIT_ULL(slice), &as->slices);
	spin_unlock(&chip->stage2_lock);
	/* Pairs with tess_chip_as_unmap() */
	mb();
}

static void stage2_leave(unsigned int slice, struct tess_chip_as *as, struct tess_chip_as *stay)
{
	if (as && as != stay)
		atomic64_andnot(BIT_ULL(slice), &as->slices);
}

/**
 * tess_chip_stage2_end() - a slice uses this stage 2 and no other any more
 * @chip: device
 * @slice: number; its calls are serialized. It has dropped other translations
 * @as: what it uses, NULL: none
 */
void tess_chip_stage2_end(struct tess_chip *chip, unsigned int slice, struct tess_chip_as *as)
{
	struct tess_chip_stage2 *s2 = &chip->stage2[slice];

	spin_lock(&chip->stage2_lock);
	stage2_leave(slice, s2->now, as);
	stage2_leave(slice, s2->next, as);
	s2->now = as;
	s2->next = NULL;
	spin_unlock(&chip->stage2_lock);
}

/**
 * tess_chip_stage2_cancel() - a slice stays with what it uses
 * @chip: device
 * @slice: number; its calls are serialized. It has not used what was begun
 */
void tess_chip_stage2_cancel(struct tess_chip *chip, unsigned int slice)
{
	struct tess_chip_stage2 *s2 = &chip->stage2[slice];

	spin_lock(&chip->stage2_lock);
	stage2_leave(slice, s2->next, s2->now);
	s2->next = NULL;
	spin_unlock(&chip->stage2_lock);
}

/* Nobody uses it: but a GPU that is gone was not told so */
static void stage2_forget(struct tess_chip *chip, const struct tess_chip_as *as)
{
	unsigned int i;

	spin_lock(&chip->stage2_lock);
	for (i = 0; i < TESS_MAX_SLICES; i++) {
		if (chip->stage2[i].now == as)
			chip->stage2[i].now = NULL;
		if (chip->stage2[i].next == as)
			chip->stage2[i].next = NULL;
	}
	spin_unlock(&chip->stage2_lock);
}

void tess_chip_as_destroy(struct tess_hw_as *hw)
{
	struct tess_chip_as *as = to_tess_chip_as(hw);
	struct tess_chip *chip = to_tess_chip(hw->be);

	stage2_forget(chip, as);
	tess_chip_pt_free(as);
	asid_put(chip, as);
	kfree(as);
}
