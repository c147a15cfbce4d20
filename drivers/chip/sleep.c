// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleep of the system.
 *
 * DOC: Sleep
 *
 * A sleep that may take the power away takes nothing from clients, if the GPU can exchange them:
 *
 * 1. The core parks all clients (tess_gpu_suspend()), so that what they have is in memory of the
 *    host: contexts, rings, page tables. No op touches a register from here on.
 * 2. Interrupts are masked, VRAM is copied to memory of the host, page by page, those that are
 *    not zero. If there is not enough memory the system does not sleep.
 * 3. The GPU is silenced.
 *
 * It comes back as after power-on, whether it had lost its power or not: nobody knows what a
 * firmware, or another kernel, did with it. A reset makes sure of that; VRAM is zero then, and
 * gets its pages back; TIME goes on where it stood. Then the core lets the clients go on.
 *
 * A GPU that forgot its clients without having been asked (tess_chip_crashed()) goes the same way,
 * with what the host knows of those that were on slices.
 *
 * A GPU that does not come back, because it was pulled, is lost to its clients as at any other
 * time. It may also be stopped in between, by an error of the bus. Whoever does that waits for
 * nothing that is frozen.
 */
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <tessera/compat.h>

#include "base/alive.h"
#include "base/chip.h"
#include "client/switch.h"
#include "mem/vram.h"
#include "sleep.h"

/* ---- VRAM ---- */

/**
 * tess_chip_sleep_forget() - copies of VRAM are not needed any more
 * @chip: device
 */
void tess_chip_sleep_forget(struct tess_chip *chip)
{
	unsigned long index;
	void *page;

	xa_for_each(&chip->saved, index, page)
		free_page((unsigned long)page);
	xa_destroy(&chip->saved);
}

static void __iomem *vram_page(const struct tess_chip *chip, unsigned long index)
{
	return chip->params.vram + ((u64)index << PAGE_SHIFT);
}

/* @page: to copy to; NULL afterwards if it was kept */
static int save_page(struct tess_chip *chip, unsigned long index, void **page)
{
	if (!*page)
		*page = (void *)__get_free_page(GFP_KERNEL | __GFP_NOWARN);
	if (!*page)
		return -ENOMEM;
	memcpy_fromio(*page, vram_page(chip, index), PAGE_SIZE);
	if (!memchr_inv(*page, 0, PAGE_SIZE))
		return 0;
	if (xa_err(xa_store(&chip->saved, index, *page, GFP_KERNEL | __GFP_NOWARN)))
		return -ENOMEM;
	*page = NULL;
	return 0;
}

/* All that is allocated; what else is in the same block of 2 MiB comes with it */
static int save_vram(struct tess_chip *chip)
{
	unsigned long i, pages = chip->info.vram_size >> PAGE_SHIFT;
	void *page = NULL;
	int rc = 0;

	for (i = 0; !rc && i < pages; i++) {
		if (tess_chip_vram_is_used(chip, (u64)i << PAGE_SHIFT))
			rc = save_page(chip, i, &page);
		cond_resched();
	}
	free_page((unsigned long)page);
	return rc;
}

static void restore_vram(struct tess_chip *chip)
{
	unsigned long index;
	void *page;

	xa_for_each(&chip->saved, index, page) {
		memcpy_toio(vram_page(chip, index), page, PAGE_SIZE);
		cond_resched();
	}
	/* Write-combined: out of the CPU before anybody runs */
	wmb();
}

/* ---- with the loss of power ---- */

static u64 sleep_read_time(struct tess_chip *chip)
{
	return tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_TIME);
}

int tess_chip_suspend(struct tess_chip *chip)
{
	const struct tess_chip_io *io = chip->params.io;
	int rc;

	/* For those who ask before it is known */
	WRITE_ONCE(chip->slept_at, sleep_read_time(chip));
	rc = tess_gpu_suspend(&chip->be);
	if (rc)
		return rc;
	WRITE_ONCE(chip->slept_at, sleep_read_time(chip));
	io->mask(chip, true);
	rc = save_vram(chip);
	if (!rc) {
		io->silence(chip);
		return 0;
	}
	dev_err(chip->be.dev, "no memory for what is in VRAM: the system does not sleep\n");
	tess_chip_sleep_forget(chip);
	io->mask(chip, false);
	tess_gpu_resume(&chip->be);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_suspend, TESS_NS);

int tess_chip_crashed(struct tess_chip *chip)
{
	unsigned int i;
	int rc;

	WRITE_ONCE(chip->slept_at, chip->be.ops->time(&chip->be));
	rc = tess_gpu_crashed(&chip->be);
	if (rc)
		return rc;
	chip->params.io->mask(chip, true);
	for (i = 0; i < chip->info.slice_count; i++)
		tess_chip_switch_reset(chip, i);
	return save_vram(chip);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_crashed, TESS_NS);

/* The same one as before, in the state after power-on */
static bool sleep_is_back(struct tess_chip *chip)
{
	if (!tess_chip_answers(chip))
		return false;
	tess_chip_write32(chip, TESS_GLOBAL_PAGE, TESS_REG_RESET, TESS_RESET_KEY);
	return tess_chip_answers(chip) &&
	       tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_SLICE_COUNT) ==
	       chip->info.slice_count &&
	       tess_chip_read64(chip, TESS_GLOBAL_PAGE, TESS_REG_VRAM_SIZE) == chip->info.vram_size;
}

void tess_chip_resume(struct tess_chip *chip, bool present)
{
	bool back = present && !READ_ONCE(chip->dead) && sleep_is_back(chip);

	if (back) {
		tess_chip_write64(chip, TESS_GLOBAL_PAGE, TESS_REG_TIME, chip->slept_at);
		restore_vram(chip);
		chip->params.io->unsilence(chip);
	} else {
		dev_err(chip->be.dev, "the GPU did not come back when the system woke up\n");
		tess_chip_bury(chip);
		tess_gpu_lost(chip->be.gpu);
	}
	tess_chip_sleep_forget(chip);
	chip->params.io->mask(chip, false);
	tess_gpu_resume(&chip->be);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_resume, TESS_NS);
