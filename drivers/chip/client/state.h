/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_CLIENT_STATE_H_
#define _TESSERA_CHIP_CLIENT_STATE_H_

#include <linux/completion.h>
#include <linux/types.h>
#include <tessera/hw/tess_regs.h>

struct tess_ctx_switch;

/* Counters that the host page has and no context */
#define TESS_CHIP_HOST_COUNTS	(TESS_HCOUNTER_COUNT - TESS_COUNTER_COUNT)

/**
 * struct tess_chip_switch - exchanges the client of a slice
 * @done: signalled when a context operation may have ended
 * @ready: the slice knows where its descriptor is
 * @stuck: an operation did not end; until the slice is reset
 * @anew: the client made a ring since it came to the slice
 * @others: what counters of the host page have that is not the client's, modulo 2^64
 */
struct tess_chip_switch {
	struct completion done;
	bool ready;
	bool stuck;
	bool anew;
	u64 others[TESS_CHIP_HOST_COUNTS];
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

#endif
