/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_COUNTERS_H_
#define _TESSERA_CHIP_COUNTERS_H_

#include <tessera/backend.h>

int tess_chip_counters(struct tess_backend *be, unsigned int slice, bool total,
		       u64 counters[TESS_COUNTER_COUNT]);
int tess_chip_vgpu_counters(struct tess_backend *be, unsigned int slice, bool total,
			    u64 counters[TESS_COUNTER_COUNT]);

#endif
