/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_SWITCH_H_
#define _TESSERA_CHIP_SWITCH_H_

#include <linux/completion.h>
#include <tessera/backend.h>

struct tess_ctx_switch;
struct tess_chip;

/**
 * struct tess_chip_switch - exchanges the client of a slice
 * @done: signalled when a context operation may have ended
 * @ready: the slice knows where its descriptor is
 * @stuck: an operation did not end; until the slice is reset
 */
struct tess_chip_switch {
	struct completion done;
	bool ready;
	bool stuck;
};

/**
 * struct tess_chip_switcher - of all slices
 * @desc: descriptors, by slice; NULL: the GPU has no SWITCH
 * @dma: their bus address
 * @slice: by slice; @ready and @stuck under its calls' serialization
 */
struct tess_chip_switcher {
	struct tess_ctx_switch *desc;
	dma_addr_t dma;
	struct tess_chip_switch slice[TESS_MAX_SLICES];
};

int tess_chip_switcher_init(struct tess_chip *chip);
void tess_chip_switcher_fini(struct tess_chip *chip);
void tess_chip_switch_irq(struct tess_chip *chip);
void tess_chip_switch_reset(struct tess_chip *chip, unsigned int slice);
bool tess_chip_switch_came_late(struct tess_chip *chip, unsigned int slice);

int tess_chip_context_switch(struct tess_backend *be, unsigned int slice,
			     struct tess_hw_switch *sw);
void tess_chip_slice_notify(struct tess_backend *be, unsigned int slice, u64 timer, bool idle);

#endif
