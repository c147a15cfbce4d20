// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of slices.
 *
 * DOC: Counters
 *
 * The client page counts for the client, the host page over all clients. A vGPU has no
 * host page: what it knows of its past is its client's count.
 */
#include <linux/string.h>

#include "base/chip.h"
#include "counters.h"

static int counters_read(struct tess_chip *chip, u32 first, u64 counters[TESS_COUNTER_COUNT])
{
	unsigned int i;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	/* Nobody is on a slice, and the slices were reset */
	if (READ_ONCE(chip->be.asleep)) {
		memset(counters, 0, TESS_COUNTER_COUNT * sizeof(*counters));
		return 0;
	}
	for (i = 0; i < TESS_COUNTER_COUNT; i++)
		counters[i] = tess_chip_read64(chip, first, i * sizeof(u64));
	return counters[0] == U64_MAX && !tess_chip_is_alive(chip) ? -ENODEV : 0;
}

int tess_chip_vgpu_counters(struct tess_backend *be, unsigned int slice, bool total,
			    u64 counters[TESS_COUNTER_COUNT])
{
	return counters_read(to_tess_chip(be), TESS_CLIENT_PAGE(slice) + TESS_SREG_COUNTERS,
			     counters);
}

int tess_chip_counters(struct tess_backend *be, unsigned int slice, bool total,
		       u64 counters[TESS_COUNTER_COUNT])
{
	if (!total)
		return tess_chip_vgpu_counters(be, slice, total, counters);
	return counters_read(to_tess_chip(be), TESS_HOST_PAGE(slice) + TESS_HREG_COUNTERS,
			     counters);
}
