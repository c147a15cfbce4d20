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

/* Behind TESS_SREG_COUNTERS and TESS_HREG_COUNTERS */
static const u8 counter_regs[TESS_COUNTS] = {
	[TESS_COUNT_CYCLES] = TESS_COUNTER_CYCLES,
	[TESS_COUNT_BUSY] = TESS_COUNTER_BUSY,
	[TESS_COUNT_STALL] = TESS_COUNTER_STALL,
	[TESS_COUNT_INSTRUCTIONS] = TESS_COUNTER_INSTRUCTIONS,
	[TESS_COUNT_FLOPS] = TESS_COUNTER_FLOPS,
	[TESS_COUNT_TEXELS] = TESS_COUNTER_TEXELS,
	[TESS_COUNT_PIXELS] = TESS_COUNTER_PIXELS,
	[TESS_COUNT_BYTES] = TESS_COUNTER_BYTES,
	[TESS_COUNT_LINK_BYTES] = TESS_COUNTER_LINK_BYTES,
	[TESS_COUNT_LINK_HOPS] = TESS_COUNTER_LINK_HOPS,
	[TESS_COUNT_GROUPS] = TESS_COUNTER_GROUPS,
	[TESS_COUNT_PACKETS] = TESS_COUNTER_PACKETS,
	[TESS_COUNT_DISPATCHES] = TESS_COUNTER_DISPATCHES,
	[TESS_COUNT_SWITCHES] = TESS_COUNTER_SWITCHES,
	[TESS_COUNT_FAULTS] = TESS_COUNTER_FAULTS,
};

/**
 * tess_chip_counter_reg() - register of a counter
 * @what: counter, below TESS_COUNTS
 *
 * Return: offset behind the first counter of a page or an image.
 */
u32 tess_chip_counter_reg(enum tess_count what)
{
	return counter_regs[what];
}

static int counters_read(struct tess_chip *chip, u32 first, u64 counters[TESS_COUNTS])
{
	unsigned int i;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	/* Nobody is on a slice, and the slices were reset */
	if (READ_ONCE(chip->be.asleep)) {
		memset(counters, 0, TESS_COUNTS * sizeof(*counters));
		return 0;
	}
	for (i = 0; i < TESS_COUNTS; i++)
		counters[i] = tess_chip_read64(chip, first, counter_regs[i]);
	return counters[0] == U64_MAX && !tess_chip_is_alive(chip) ? -ENODEV : 0;
}

int tess_chip_vgpu_counters(struct tess_backend *be, unsigned int slice, bool total,
			    u64 counters[TESS_COUNTS])
{
	return counters_read(to_tess_chip(be), TESS_CLIENT_PAGE(slice) + TESS_SREG_COUNTERS,
			     counters);
}

int tess_chip_counters(struct tess_backend *be, unsigned int slice, bool total,
		       u64 counters[TESS_COUNTS])
{
	if (!total)
		return tess_chip_vgpu_counters(be, slice, total, counters);
	return counters_read(to_tess_chip(be), TESS_HOST_PAGE(slice) + TESS_HREG_COUNTERS,
			     counters);
}
