// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clients of slices: what the core asks of them, and their registers.
 *
 * DOC: Client page
 *
 * The client page is what a VM sees of a slice. The registers of this GPU are those of the
 * interface, so accesses go through as they are; only their meaning is told to the core.
 */
#include "base/alive.h"
#include "base/chip.h"
#include "client.h"
#include "context.h"
#include "counters.h"

/* Accesses fail: why? */
static int client_error(struct tess_chip *chip)
{
	return tess_chip_is_absent(chip) ? -EAGAIN : -ENODEV;
}

static int client_read(struct tess_backend *be, unsigned int slice, u32 off, unsigned int width,
		       u64 *val)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	if (width == 8)
		*val = tess_chip_read64(chip, TESS_CLIENT_PAGE(slice), off);
	else
		*val = tess_chip_read32(chip, TESS_CLIENT_PAGE(slice), off);
	if (*val == GENMASK_ULL(width * 8 - 1, 0) && !tess_chip_is_alive(chip)) {
		*val = 0;
		return client_error(chip);
	}
	return 0;
}

/* What was saved before says nothing of the ring that is made now */
static bool client_makes_ring(u32 off)
{
	return off == TESS_SREG_RESET || off == TESS_SREG_RING_BASE ||
	       off == TESS_SREG_RING_LOG2 || off == TESS_SREG_COMPLETION;
}

static int client_write(struct tess_backend *be, unsigned int slice, u32 off, unsigned int width,
			u64 val)
{
	struct tess_chip *chip = to_tess_chip(be);

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	if (width == 8)
		tess_chip_write64(chip, TESS_CLIENT_PAGE(slice), off, val);
	else
		tess_chip_write32(chip, TESS_CLIENT_PAGE(slice), off, val);
	/* It may have been in time: whoever repeats it finds a client with a fault */
	if (tess_chip_is_absent(chip))
		return -EAGAIN;
	if (off == TESS_SREG_RESET && val == 1)
		tess_chip_counters_reset(chip, slice);
	if (client_makes_ring(off))
		chip->switcher.slice[slice].anew = true;
	return 0;
}

static int client_reset(struct tess_backend *be, unsigned int slice)
{
	return client_write(be, slice, TESS_SREG_RESET, 4, 1);
}

/* Registers of 32 bits all; the GPU ignores accesses of another width */
static enum tess_reg_role client_role(u32 off, unsigned int width, bool write, u64 val)
{
	if (width != 4)
		return TESS_ROLE_PLAIN;
	switch (off) {
	case TESS_SREG_KIND:
		return write ? TESS_ROLE_PLAIN : TESS_ROLE_KIND;
	case TESS_SREG_CORES:
		return write ? TESS_ROLE_PLAIN : TESS_ROLE_CORES;
	case TESS_SREG_ENGINES:
		return write ? TESS_ROLE_PLAIN : TESS_ROLE_ENGINES;
	case TESS_SREG_RESET:
		return write && val == 1 ? TESS_ROLE_RESET : TESS_ROLE_PLAIN;
	case TESS_SREG_FAULT_ACK:
		return write ? TESS_ROLE_FAULT_ACK : TESS_ROLE_PLAIN;
	case TESS_SREG_TLB_INVALIDATE:
		return write ? TESS_ROLE_INVALIDATE : TESS_ROLE_PLAIN;
	default:
		return TESS_ROLE_PLAIN;
	}
}

const struct tess_reg_ops tess_chip_reg_ops = {
	.role = client_role,
	.read = client_read,
	.write = client_write,
	.reset = client_reset,
	.read_saved = tess_chip_context_read,
};

int tess_chip_client_get(struct tess_backend *be, unsigned int slice, enum tess_client_value what,
			 u64 *val)
{
	u64 rptr;
	int rc;

	switch (what) {
	case TESS_CLIENT_HAS_WORK:
		rc = client_read(be, slice, TESS_SREG_STATUS, 4, val);
		*val = tess_chip_client_has_work(*val);
		return rc;
	case TESS_CLIENT_QUEUE:
		rc = client_read(be, slice, TESS_SREG_RPTR, 8, &rptr);
		if (!rc)
			rc = client_read(be, slice, TESS_SREG_WPTR, 8, val);
		*val = rc ? 0 : tess_chip_client_queue(rptr, *val);
		return rc;
	case TESS_CLIENT_BUSY:
		return client_read(be, slice, TESS_SREG_COUNTERS + TESS_COUNTER_BUSY, 8, val);
	case TESS_CLIENT_FENCE:
		return client_read(be, slice, TESS_SREG_FENCE_SEQ, 8, val);
	}
	return -EINVAL;
}
