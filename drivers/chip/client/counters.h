/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_COUNTERS_H_
#define _TESSERA_CHIP_COUNTERS_H_

#include <tessera/backend.h>

#include "state.h"

struct tess_chip;
struct tess_chip_context;

/* Those of the client page and of contexts come first */
#define TESS_CHIP_CLIENT_COUNTS	(TESS_COUNT_FAULTS + 1)

u32 tess_chip_counter_reg(enum tess_count what);
int tess_chip_counters(struct tess_backend *be, unsigned int slice, bool total,
		       u64 counters[TESS_COUNTS]);
int tess_chip_vgpu_counters(struct tess_backend *be, unsigned int slice, bool total,
			    u64 counters[TESS_COUNTS]);
void tess_chip_counters_exchanged(struct tess_chip *chip, unsigned int slice,
				  const struct tess_ctx_switch *desc,
				  struct tess_chip_context *out,
				  const struct tess_chip_context *in);
void tess_chip_counters_reset(struct tess_chip *chip, unsigned int slice);

#endif
