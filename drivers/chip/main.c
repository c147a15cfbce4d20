// SPDX-License-Identifier: GPL-2.0-only
/*
 * tessera_chip.ko: what back-ends for GPUs with the registers of Documentation/hw share.
 *
 * DOC: Chips
 *
 * A chip lasts as long as its driver is bound. In between it can be started and stopped any number
 * of times: what happens to a device (a reset, a bus error, loss of power) is a stop followed by a
 * start. Starting brings the GPU to a known state and into the pool, stopping takes it out and
 * leaves it silent.
 *
 * How a GPU is reached is its back-end's business, and all that a back-end has to know of it.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <tessera/compat.h>

#include "base/chip.h"
#include "client/switch.h"
#include "composition.h"
#include "display.h"
#include "hw.h"
#include "mem/vram.h"
#include "sleep.h"

static void chip_release(void *data)
{
	struct tess_chip *chip = data;

	ida_destroy(&chip->asids);
}

struct tess_chip *tess_chip_create(const struct tess_chip_params *params)
{
	struct tess_chip *chip;
	int rc;

	chip = devm_kzalloc(params->dev, sizeof(*chip), GFP_KERNEL);
	if (!chip)
		return ERR_PTR(-ENOMEM);
	chip->params = *params;
	chip->be.dev = params->dev;
	spin_lock_init(&chip->stage2_lock);
	mutex_init(&chip->composition_lock);
	xa_init(&chip->saved);
	ida_init(&chip->asids);
	rc = devm_add_action_or_reset(params->dev, chip_release, chip);
	return rc ? ERR_PTR(rc) : chip;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_create, TESS_NS);

void *tess_chip_priv(const struct tess_chip *chip)
{
	return chip->params.priv;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_priv, TESS_NS);

struct tess_backend *tess_chip_backend(struct tess_chip *chip)
{
	return &chip->be;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_backend, TESS_NS);

const struct tess_gpu_info *tess_chip_info(const struct tess_chip *chip)
{
	return &chip->info;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_info, TESS_NS);

u64 tess_chip_generation(const struct tess_chip *chip)
{
	return READ_ONCE(chip->generation);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_generation, TESS_NS);

bool tess_chip_is_dead(const struct tess_chip *chip)
{
	return READ_ONCE(chip->dead);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_is_dead, TESS_NS);

/* ---- start and stop ---- */

/* Reset before it may access memory: nobody knows what it was doing */
int tess_chip_prepare(struct tess_chip *chip)
{
	int rc;

	WRITE_ONCE(chip->dead, false);
	WRITE_ONCE(chip->be.asleep, false);
	tess_chip_reset(chip);
	rc = tess_chip_identify(chip);
	if (rc)
		return rc;
	rc = tess_chip_vram_init(chip);
	if (rc)
		return rc;
	rc = tess_chip_switcher_init(chip);
	if (rc)
		tess_chip_vram_fini(chip);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_prepare, TESS_NS);

void tess_chip_finish(struct tess_chip *chip)
{
	tess_chip_switcher_fini(chip);
	tess_chip_vram_fini(chip);
	tess_chip_sleep_forget(chip);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_finish, TESS_NS);

int tess_chip_add(struct tess_chip *chip)
{
	int rc = tess_gpu_register(&chip->be, &chip->info, chip->slices);

	/* What changed since it was read told nobody */
	if (!rc && chip->info.is_vgpu)
		tess_chip_composition_changed(chip);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_chip_add, TESS_NS);

void tess_chip_remove(struct tess_chip *chip)
{
	tess_gpu_unregister(&chip->be);
	tess_chip_display_stop(chip);
}
EXPORT_SYMBOL_NS_GPL(tess_chip_remove, TESS_NS);

MODULE_AUTHOR("Tessera developers");
MODULE_DESCRIPTION("Common part of back-ends for Tessera GPUs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(TESS_NS);
