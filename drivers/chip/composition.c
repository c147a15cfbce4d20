// SPDX-License-Identifier: GPL-2.0-only
/*
 * The composition of a vGPU.
 *
 * DOC: composition
 *
 * The host changes a vGPU while it is in use: slices come and go, or become others. The
 * composition page says what there is, with a sequence number that is odd while the host
 * writes. What was read between two equal even numbers was all true at one time. Register
 * by register there is no such moment, and a slice that moves just then would look as if it
 * were gone.
 *
 * A page that never becomes whole changes nothing: what was known stays, and the host
 * raises the event again when it has finished.
 *
 * The driver core adds the files below when probing is over and removes them before the
 * device goes.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/sysfs.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_mem.h>

#include "base/chip.h"
#include "composition.h"

/* The host writes for microseconds, but its processor may be busy otherwise */
#define COMPOSITION_TRIES	2000
#define COMPOSITION_WAIT_US	50

static u32 page_read32(struct tess_chip *chip, size_t off)
{
	return tess_chip_read32(chip, TESS_COMPOSITION_PAGE, off);
}

static u64 page_read64(struct tess_chip *chip, size_t off)
{
	return tess_chip_read64(chip, TESS_COMPOSITION_PAGE, off);
}

static void read_slice(struct tess_chip *chip, unsigned int i, struct tess_slice_info *info)
{
	size_t at = offsetof(struct tess_composition, slice[i]);

	info->kind = page_read32(chip, at + offsetof(struct tess_composition_slice, kind));
	info->cores = page_read32(chip, at + offsetof(struct tess_composition_slice, cores));
	info->engines = page_read32(chip, at + offsetof(struct tess_composition_slice, engines)) &
			TESS_ENGINE_ALL;
	if (info->kind > TESS_KIND_MIXED)
		*info = (struct tess_slice_info){ .kind = TESS_KIND_NONE };
}

static void read_once(struct tess_chip *chip, struct tess_slice_info *slices, u64 *generation)
{
	u64 mask = page_read64(chip, offsetof(struct tess_composition, slice_mask));
	unsigned int i;

	*generation = page_read64(chip, offsetof(struct tess_composition, generation));
	for (i = 0; i < chip->info.slice_count; i++) {
		slices[i] = (struct tess_slice_info){ .kind = TESS_KIND_NONE };
		if (mask & BIT_ULL(i))
			read_slice(chip, i, &slices[i]);
	}
}

/* False: the host was writing */
static bool read_whole(struct tess_chip *chip, struct tess_slice_info *slices, u64 *generation)
{
	u64 seq = page_read64(chip, offsetof(struct tess_composition, seq));

	if (seq & 1)
		return false;
	/* The page may be memory: number, contents, number, in this order */
	virt_rmb();
	read_once(chip, slices, generation);
	/* As above */
	virt_rmb();
	return page_read64(chip, offsetof(struct tess_composition, seq)) == seq;
}

/**
 * tess_chip_composition_read() - what the slices of a vGPU are now
 * @chip: vGPU; fills @chip->slices and @chip->generation
 *
 * Before interrupts are on, or under @chip->composition_lock. May sleep.
 *
 * Return: 0; -EINVAL there is no composition page; -EAGAIN the host did not finish writing
 * it. Nothing is changed then.
 */
int tess_chip_composition_read(struct tess_chip *chip)
{
	struct tess_slice_info slices[TESS_MAX_SLICES];
	unsigned int tries;
	u64 generation;

	if (page_read32(chip, offsetof(struct tess_composition, magic)) != TESS_COMPOSITION_MAGIC)
		return -EINVAL;
	for (tries = 0; tries < COMPOSITION_TRIES; tries++) {
		if (read_whole(chip, slices, &generation)) {
			memcpy(chip->slices, slices, chip->info.slice_count * sizeof(*slices));
			WRITE_ONCE(chip->generation, generation);
			return 0;
		}
		fsleep(COMPOSITION_WAIT_US);
	}
	return -EAGAIN;
}

/**
 * tess_chip_composition_changed() - the composition may have changed
 * @chip: vGPU, does nothing if it is not in the pool
 *
 * Process context.
 */
void tess_chip_composition_changed(struct tess_chip *chip)
{
	struct tess_gpu *gpu;
	int rc;

	guard(mutex)(&chip->composition_lock);
	gpu = READ_ONCE(chip->be.gpu);
	if (!gpu)
		return;
	rc = tess_chip_composition_read(chip);
	if (!tess_chip_is_alive(chip))
		return;
	if (rc) {
		dev_warn_ratelimited(chip->be.dev, "no whole composition: %d\n", rc);
		return;
	}
	tess_gpu_reconfigure(gpu, chip->slices);
	sysfs_notify(&chip->be.dev->kobj, NULL, "generation");
}
