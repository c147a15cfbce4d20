// SPDX-License-Identifier: GPL-2.0-only
/*
 * Is the GPU there?
 *
 * DOC: GPUs that are gone
 *
 * A device that was pulled answers all ones, one that was switched off perhaps zeroes.
 * Whoever reads ones, or depends on an answer, checks the identification; once that is
 * wrong, the device is dead: no register is touched any more and the core is told. A device
 * whose registers cannot be read may still reach memory, because a bridge lost a window or
 * its own decoding is off. So it is silenced first, by a PCI function switched off the bus: what
 * is taken from a dead device is not accessed any more.
 *
 * One that forgot what it had, and may come back, is not dead: what is asked meanwhile fails.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <tessera/compat.h>

#include "alive.h"
#include "chip.h"

void tess_chip_bury(struct tess_chip *chip)
{
	chip->params.io->silence(chip);
	/* Whoever finds it dead takes its memory: not before it is off the bus */
	smp_store_release(&chip->dead, true);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_bury, TESS_NS);

/**
 * tess_chip_answers() - does it look like a GPU?
 * @chip: device
 *
 * Any context. A register is read, whatever is known of the device.
 *
 * Return: true if it does.
 */
bool tess_chip_answers(struct tess_chip *chip)
{
	return tess_chip_read32(chip, TESS_GLOBAL_PAGE, TESS_REG_ID) == TESS_ID_VALUE;
}

/**
 * tess_chip_is_absent() - may it come back?
 * @chip: device that does not answer
 *
 * Any context.
 *
 * Return: true: tess_chip_crashed() or tess_chip_bury() follows.
 */
bool tess_chip_is_absent(struct tess_chip *chip)
{
	return chip->params.io->absent && chip->params.io->absent(chip);
}

bool tess_chip_is_alive(struct tess_chip *chip)
{
	struct tess_gpu *gpu = READ_ONCE(chip->be.gpu);

	if (READ_ONCE(chip->dead))
		return false;
	/* It is not asked, see sleep.c */
	if (READ_ONCE(chip->be.asleep) || tess_chip_answers(chip))
		return true;
	if (tess_chip_is_absent(chip))
		return false;
	tess_chip_bury(chip);
	if (gpu)
		tess_gpu_lost(gpu);
	return false;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_is_alive, TESS_NS);

/* In registers of 32 bits: two processors cannot get into each other's halves */
static void invalidate_masks(struct tess_chip *chip, u64 slices)
{
	u32 mask[] = { lower_32_bits(slices), upper_32_bits(slices) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mask); i++)
		if (mask[i])
			tess_chip_write32(chip, TESS_GLOBAL_PAGE, TESS_REG_TLB_INVALIDATE(i),
					  mask[i]);
}

/* A GPU without them */
static void invalidate_each(struct tess_chip *chip, u64 slices)
{
	unsigned int i;

	for (i = 0; i < chip->info.slice_count; i++) {
		if (!(slices & BIT_ULL(i)))
			continue;
		if (chip->info.is_vgpu)
			tess_chip_write32(chip, TESS_CLIENT_PAGE(i), TESS_SREG_TLB_INVALIDATE, 1);
		else
			tess_chip_write32(chip, TESS_HOST_PAGE(i), TESS_HREG_TLB_INVALIDATE, 1);
	}
}

/**
 * tess_chip_invalidate() - drop translations
 * @chip: device
 * @slices: in these slices
 *
 * On return they reach nothing through those; a dead device reaches nothing at all.
 */
void tess_chip_invalidate(struct tess_chip *chip, u64 slices)
{
	/* Pairs with tess_chip_bury(). One that sleeps wakes up without translations */
	if (!slices || smp_load_acquire(&chip->dead) || READ_ONCE(chip->be.asleep))
		return;
	if (chip->info.caps & TESS_CAPS_INVALIDATE)
		invalidate_masks(chip, slices);
	else
		invalidate_each(chip, slices);
	/* Writes are posted: an answer means that they have arrived */
	tess_chip_is_alive(chip);
}
