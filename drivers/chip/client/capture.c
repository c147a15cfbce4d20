// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of clients that cannot be saved.
 *
 * DOC: Captured contexts
 *
 * The host makes the image of a client that cannot be saved because it does not stop, or
 * whose saved image the GPU refuses. What the packet in progress needs is not known then, so that
 * packet is lost, and so is the VM that it ran in: the ring is left disabled, as after an abort,
 * with the fault in its registers. A client that repeated the packet instead would run it without
 * its VM.
 *
 * Of a client that was on a slice which forgot everything, the last image may be known, and what it
 * did since is not. Its ring stands at or behind the packet of the fault; what it completed is in
 * its completion record.
 */
#include <linux/string.h>
#include <linux/unaligned.h>

#include "base/chip.h"
#include "capture.h"
#include "context.h"
#include "counters.h"
#include "switch.h"

/* Disabled, with a fault of the packet where the ring stands */
static void capture_fault(u8 *page, u32 cause)
{
	u64 rptr = get_unaligned_le64(page + TESS_SREG_RPTR);
	u32 irqs = get_unaligned_le32(page + TESS_SREG_IRQ_STATUS);
	u32 status = TESS_STATUS_FAULTED;

	if (rptr != get_unaligned_le64(page + TESS_SREG_WPTR))
		status |= TESS_STATUS_BUSY;
	put_unaligned_le32(status, page + TESS_SREG_STATUS);
	put_unaligned_le32(irqs | TESS_IRQ_STATUS_FAULT, page + TESS_SREG_IRQ_STATUS);
	put_unaligned_le32(cause, page + TESS_SREG_FAULT_CAUSE);
	put_unaligned_le64(rptr, page + TESS_SREG_FAULT_PACKET);
}

int tess_chip_context_capture(struct tess_backend *be, unsigned int slice,
			      struct tess_hw_context *hw, u32 cause)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);
	struct tess_chip *chip = to_tess_chip(be);
	u64 counters[TESS_COUNTS];
	struct tess_chip_context_start start = {};
	unsigned int i;
	int rc;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	tess_chip_context_regs(chip, slice, NULL, start.client.page);
	capture_fault(start.client.page, cause);
	rc = tess_chip_counters(be, slice, false, counters);
	if (rc)
		return rc;
	for (i = 0; i < TESS_CHIP_CLIENT_COUNTS; i++)
		start.counters.counter[tess_chip_counter_reg(i) / sizeof(u64)] =
			cpu_to_le64(counters[i]);
	if (!tess_chip_is_alive(chip))
		return -ENODEV;
	/* The present client may have become the next one meanwhile */
	if (tess_chip_switch_came_late(chip, slice))
		return -EALREADY;
	tess_chip_context_put_start(chip, slice, &start);
	tess_chip_context_set(ctx, &start);
	memcpy(ctx->counts, counters + TESS_CHIP_CLIENT_COUNTS, sizeof(ctx->counts));
	return 0;
}

/* Of what its registers said when it was saved */
static void capture_saved(struct tess_chip *chip, unsigned int slice,
			  struct tess_chip_context *ctx, u32 cause)
{
	struct tess_chip_context_start start = {};

	tess_chip_context_regs(NULL, slice, ctx, start.client.page);
	capture_fault(start.client.page, cause);
	memcpy(start.counters.counter, ctx->regs + TESS_SREG_COUNTERS,
	       sizeof(start.counters.counter));
	tess_chip_context_put_start(chip, slice, &start);
	tess_chip_context_set(ctx, &start);
}

int tess_chip_context_lose(struct tess_backend *be, unsigned int slice,
			   struct tess_hw_context *hw, u32 cause)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);

	if (ctx->lost)
		return -EBADMSG;
	capture_saved(to_tess_chip(be), slice, ctx, cause);
	ctx->lost = true;
	return 0;
}

/* A ring that is not known is one that does not run: all registers as after a reset */
static void capture_unknown(struct tess_chip *chip, unsigned int slice,
			    struct tess_chip_context *ctx, u32 cause)
{
	struct tess_chip_context_start start = {};

	put_unaligned_le32(TESS_RING_LOG2_MIN, start.client.page + TESS_SREG_RING_LOG2);
	capture_fault(start.client.page, cause);
	put_unaligned_le64(U64_MAX, start.client.page + TESS_SREG_FAULT_PACKET);
	tess_chip_context_put_start(chip, slice, &start);
	tess_chip_context_set(ctx, &start);
}

void tess_chip_context_forget(struct tess_backend *be, unsigned int slice,
			      struct tess_hw_context *hw, u32 cause)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);
	struct tess_chip *chip = to_tess_chip(be);

	if (ctx->known && !chip->switcher.slice[slice].anew)
		capture_saved(chip, slice, ctx, cause);
	else
		capture_unknown(chip, slice, ctx, cause);
}
