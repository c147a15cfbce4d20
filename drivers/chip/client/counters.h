/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_COUNTERS_H_
#define _TESSERA_CHIP_COUNTERS_H_

#include <tessera/backend.h>

u32 tess_chip_counter_reg(enum tess_count what);
int tess_chip_counters(struct tess_backend *be, unsigned int slice, bool total,
		       u64 counters[TESS_COUNTS]);
int tess_chip_vgpu_counters(struct tess_backend *be, unsigned int slice, bool total,
			    u64 counters[TESS_COUNTS]);

#endif
