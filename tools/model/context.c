// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Context operations
 *
 * An operation has its effect when CTX_OP is written, on a state that cannot
 * change meanwhile: registers are written between steps, when all slices are at
 * an instruction boundary, and nothing runs while one is in progress. Then the
 * time passes that moving the image takes, and the end is reported. What fails
 * ends at once.
 *
 * An image is moved to and from a buffer of the model's own in one go: nobody
 * can change it between a check and a use.
 */
#include "context.h"

#include <endian.h>
#include <string.h>

#include "events.h"
#include "gpu_priv.h"
#include "log.h"

static uint64_t page_rest(uint64_t pa, uint64_t left)
{
	uint64_t n = TESS_PAGE_SIZE - (pa & (TESS_PAGE_SIZE - 1));

	return n < left ? n : left;
}

bool context_present(struct slice *s, uint64_t pa, uint64_t size, bool write)
{
	for (uint64_t off = 0; off < size; off += page_rest(pa + off, size - off))
		if (!mmu_phys(s, pa + off, write))
			return false;
	return true;
}

bool context_move(struct slice *s, uint64_t pa, void *buf, uint64_t size, bool write)
{
	uint64_t n;

	if (!context_present(s, pa, size, write))
		return false;
	for (uint64_t off = 0; off < size; off += n) {
		uint8_t *page = mmu_phys(s, pa + off, write);
		uint8_t *at = (uint8_t *)buf + off;

		n = page_rest(pa + off, size - off);
		if (!page)
			return false;
		page += (pa + off) & (TESS_PAGE_SIZE - 1);
		if (write)
			memcpy(page, at, n);
		else
			memcpy(at, page, n);
	}
	return true;
}

uint64_t context_cycles(uint64_t bytes)
{
	return CYCLES_CTX + (bytes + CTX_BYTES_PER_CYCLE - 1) / CTX_BYTES_PER_CYCLE;
}

static bool page_aligned(uint64_t pa)
{
	return !(pa & (TESS_PAGE_SIZE - 1));
}

uint32_t context_save_check(struct slice *s, uint64_t pa, uint64_t space, uint64_t *used)
{
	uint64_t size = context_size(s);

	if (size > space) {
		*used = size;
		return TESS_CTX_ERR_SPACE;
	}
	if (!page_aligned(pa) || !context_present(s, pa, size, true))
		return TESS_CTX_ERR_ADDRESS;
	*used = size;
	return TESS_CTX_DONE;
}

/* Injected fault: a bit in the middle of the image is wrong. */
static void damage(struct slice *s)
{
	uint8_t *image = s->gpu->ctx_saved;

	if (!s->damage || !context_has_packet(&s->client))
		return;
	if (s->damage != UINT32_MAX)
		s->damage--;
	image[context_size(s) / 2] ^= 1;
	log_event(s->gpu->desc.log, LOG_INFO, "slice %u damages a context", s->id);
}

uint32_t context_save(struct slice *s, uint64_t pa)
{
	context_encode(s, s->gpu->ctx_saved);
	damage(s);
	return context_move(s, pa, s->gpu->ctx_saved, context_size(s), true) ? TESS_CTX_DONE :
									       TESS_CTX_ERR_ADDRESS;
}

/* Look at the header alone: is it an image, and how large? */
static uint32_t check_header(const struct tess_ctx_header *h, uint64_t space, uint64_t *used)
{
	uint64_t size = le64toh(h->size);

	if (le32toh(h->magic) != TESS_CTX_MAGIC)
		return TESS_CTX_ERR_MAGIC;
	if (le16toh(h->version) != TESS_CTX_VERSION)
		return TESS_CTX_ERR_VERSION;
	if (size < TESS_CTX_IDLE_SIZE || size > TESS_CTX_MAX_SIZE || size % 8)
		return TESS_CTX_ERR_CONTENT;
	if (size <= space)
		return TESS_CTX_DONE;
	*used = size;
	return TESS_CTX_ERR_SPACE;
}

uint32_t context_restore_check(struct ctx_load *l, struct slice *s, const struct host_regs *host,
			       uint64_t pa, uint64_t space, uint64_t *used)
{
	uint8_t *image = s->gpu->ctx_image;
	struct tess_ctx_header h;
	uint32_t status;

	if (space < sizeof(h)) {
		*used = sizeof(h);
		return TESS_CTX_ERR_SPACE;
	}
	if (!page_aligned(pa) || !context_move(s, pa, image, sizeof(h), false))
		return TESS_CTX_ERR_ADDRESS;
	memcpy(&h, image, sizeof(h));
	status = check_header(&h, space, used);
	if (status != TESS_CTX_DONE)
		return status;
	if (!context_move(s, pa, image, le64toh(h.size), false))
		return TESS_CTX_ERR_ADDRESS;
	/* [1] The header may be another one by now: the size that was checked counts. */
	memcpy(image, &h, sizeof(h));
	status = context_decode(l, s, host, image, le64toh(h.size));
	if (status == TESS_CTX_DONE)
		*used = le64toh(h.size);
	return status;
}

static uint32_t save(struct slice *s, struct ctx_op *op)
{
	uint64_t pa = s->host.ctx_addr;
	uint32_t status = context_save_check(s, pa, s->host.ctx_size, &op->used);

	if (status == TESS_CTX_DONE)
		status = context_save(s, pa);
	op->left = context_cycles(op->used);
	return status;
}

static uint32_t restore(struct slice *s, struct ctx_op *op)
{
	struct ctx_load l;
	uint32_t status;

	status = context_restore_check(&l, s, &s->host, s->host.ctx_addr, s->host.ctx_size,
				       &op->used);
	if (status != TESS_CTX_DONE)
		return status;
	context_apply(s, &l);
	op->restored = true;
	op->left = context_cycles(op->used);
	return TESS_CTX_DONE;
}

static uint32_t run_op(struct slice *s, struct ctx_op *op)
{
	switch (op->op) {
	case TESS_CTX_SAVE:
		return slice_is_halted(s) ? save(s, op) : TESS_CTX_ERR_STATE;
	case TESS_CTX_RESTORE:
		return slice_is_halted(s) ? restore(s, op) : TESS_CTX_ERR_STATE;
	case TESS_CTX_SWITCH:
		return context_switch(s, op);
	default:
		return TESS_CTX_ERR_UNSUPPORTED;
	}
}

static void report(struct slice *s, const struct ctx_op *op, uint32_t status, uint64_t time)
{
	s->host.ctx_status = status;
	s->host.ctx_used = op->used;
	if (op->answer)
		context_switch_answer(s, op, status, time);
	events_raise(s, TESS_EVENTS_CONTEXT);
}

/* What happened while the client was away, or just before, is reported again. */
static void report_pending(struct slice *s)
{
	if (s->client.faulted || s->hfault.pending)
		gpu_irq(s->gpu, TESS_IRQ_FAULT);
	if (s->client.irq_status & TESS_IRQ_STATUS_COMPLETION)
		gpu_irq(s->gpu, TESS_IRQ_COMPLETION);
}

void context_start(struct slice *s, uint32_t op_nr)
{
	struct ctx_op op = { .op = op_nr };
	uint32_t status;

	if (slice_is_busy(s))
		return;
	if (op_nr == TESS_CTX_SWITCH && s->stuck.now) {
		s->host.ctx_status = TESS_CTX_BUSY;
		s->stuck.switching = true;
		return;
	}
	status = run_op(s, &op);
	log_event(s->gpu->desc.log, LOG_DEBUG, "slice %u: context operation %u: %u, %llu bytes",
		  s->id, op_nr, status, (unsigned long long)op.used);
	if (status != TESS_CTX_DONE) {
		report(s, &op, status, slice_time(s));
		return;
	}
	s->host.ctx_status = TESS_CTX_BUSY;
	s->ctx = op;
}

void context_step(struct slice *s, uint64_t cycles)
{
	if (cycles < s->ctx.left) {
		s->ctx.left -= cycles;
		return;
	}
	s->ctx.left = 0;
	report(s, &s->ctx, TESS_CTX_DONE, slice_time(s) + cycles);
	if (s->ctx.restored)
		report_pending(s);
}
