// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of slices.
 *
 * DOC: Counters
 *
 * The client page counts for the client, the host page over all clients. A vGPU has no
 * host page: what it knows of its past is its client's count.
 *
 * Some counters are on the host page only, and a context has no room for them. What a client has of
 * them is what they grew by while it was on slices: the GPU tells them with each exchange of
 * clients, in memory, so that this costs no access to a register.
 */
#include <linux/string.h>

#include "base/chip.h"
#include "context.h"
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
	[TESS_COUNT_RAYS] = TESS_COUNTER_RAYS,
	[TESS_COUNT_GLOBAL_BYTES] = TESS_COUNTER_GLOBAL_BYTES,
	[TESS_COUNT_PRIVATE_BYTES] = TESS_COUNTER_PRIVATE_BYTES,
	[TESS_COUNT_UNIT_CYCLES] = TESS_COUNTER_UNIT_CYCLES,
};

static_assert(TESS_CHIP_CLIENT_COUNTS == TESS_COUNTER_COUNT);
static_assert(TESS_COUNTS == TESS_HCOUNTER_COUNT);
static_assert(TESS_CTX_SWITCH_NR_COUNTS + 1 == TESS_CHIP_HOST_COUNTS);

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

/* The first @nr of them; the others are 0 */
static int counters_read(struct tess_chip *chip, u32 first, unsigned int nr,
			 u64 counters[TESS_COUNTS])
{
	unsigned int i;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	memset(counters, 0, TESS_COUNTS * sizeof(*counters));
	/* Nobody is on a slice, and the slices were reset */
	if (READ_ONCE(chip->be.asleep))
		return 0;
	for (i = 0; i < nr; i++)
		counters[i] = tess_chip_read64(chip, first, counter_regs[i]);
	return counters[0] == U64_MAX && !tess_chip_is_alive(chip) ? -ENODEV : 0;
}

static u32 client_counters(unsigned int slice)
{
	return TESS_CLIENT_PAGE(slice) + TESS_SREG_COUNTERS;
}

static u32 host_counters(unsigned int slice)
{
	return TESS_HOST_PAGE(slice) + TESS_HREG_COUNTERS;
}

/* Where the counters end that the host page has */
static unsigned int host_nr(const struct tess_chip *chip)
{
	if (!(chip->info.caps & TESS_CAPS_RAY))
		return TESS_CHIP_CLIENT_COUNTS;
	if (!(chip->info.caps & TESS_CAPS_TRAFFIC))
		return TESS_COUNT_RAYS + 1;
	return chip->info.caps & TESS_CAPS_UNIT_CYCLES ? TESS_COUNTS : TESS_COUNT_UNIT_CYCLES;
}

static bool counts_clients(const struct tess_chip *chip)
{
	return !chip->info.is_vgpu && (chip->info.caps & TESS_CAPS_TRAFFIC);
}

int tess_chip_vgpu_counters(struct tess_backend *be, unsigned int slice, bool total,
			    u64 counters[TESS_COUNTS])
{
	return counters_read(to_tess_chip(be), client_counters(slice), TESS_CHIP_CLIENT_COUNTS,
			     counters);
}

/* Counters that only the host page has */
static void host_only_read(struct tess_chip *chip, unsigned int slice,
			   u64 counts[TESS_CHIP_HOST_COUNTS])
{
	unsigned int nr = host_nr(chip) - TESS_CHIP_CLIENT_COUNTS, i;

	memset(counts, 0, TESS_CHIP_HOST_COUNTS * sizeof(*counts));
	for (i = 0; i < nr; i++)
		counts[i] = tess_chip_read64(chip, host_counters(slice),
					     counter_regs[TESS_CHIP_CLIENT_COUNTS + i]);
}

int tess_chip_counters(struct tess_backend *be, unsigned int slice, bool total,
		       u64 counters[TESS_COUNTS])
{
	struct tess_chip *chip = to_tess_chip(be);
	const u64 *others = chip->switcher.slice[slice].others;
	u64 *own = counters + TESS_CHIP_CLIENT_COUNTS;
	unsigned int i;
	int rc;

	if (total)
		return counters_read(chip, host_counters(slice), host_nr(chip), counters);
	rc = tess_chip_vgpu_counters(be, slice, total, counters);
	if (rc || !counts_clients(chip) || READ_ONCE(chip->be.asleep))
		return rc;
	host_only_read(chip, slice, own);
	for (i = 0; i < TESS_CHIP_HOST_COUNTS; i++)
		own[i] -= others[i];
	return 0;
}

static const __le64 *count_in(const struct tess_ctx_switch *desc, unsigned int i)
{
	return i < TESS_CTX_SWITCH_NR_COUNTS ? &desc->counts[i] : &desc->unit_cycles;
}

/**
 * tess_chip_counters_exchanged() - the client of a slice is another one
 * @chip: device
 * @slice: number
 * @desc: of the exchange, with counters that only the host page has, at that time; the GPU's
 * @out: context of the client that leaves the slice; NULL: that client is gone
 * @in: context of the client that comes; NULL: no client, or a new one, which begins at 0
 *
 * Under the slice's hw mutex, as all that reads or changes what is kept here. Whatever the GPU
 * tells, nothing but counters depends on it: they are modulo 2^64, and who averages them takes any.
 */
void tess_chip_counters_exchanged(struct tess_chip *chip, unsigned int slice,
				  const struct tess_ctx_switch *desc,
				  struct tess_chip_context *out,
				  const struct tess_chip_context *in)
{
	u64 *others = chip->switcher.slice[slice].others;
	unsigned int i;

	if (!counts_clients(chip))
		return;
	for (i = 0; i < TESS_CHIP_HOST_COUNTS; i++) {
		/* Once: it is memory of the GPU's, which may say something else the next time */
		u64 count = le64_to_cpu(READ_ONCE(*count_in(desc, i)));

		if (out)
			out->counts[i] = count - others[i];
		others[i] = count - (in ? in->counts[i] : 0);
	}
}

/**
 * tess_chip_counters_reset() - the client of a slice begins anew
 * @chip: device
 * @slice: number
 */
void tess_chip_counters_reset(struct tess_chip *chip, unsigned int slice)
{
	if (counts_clients(chip))
		host_only_read(chip, slice, chip->switcher.slice[slice].others);
}
