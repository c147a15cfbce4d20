// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Context operations
 *
 * SAVE and RESTORE have their effect when CTX_OP is written, on a state that
 * cannot change meanwhile: the slice is halted. Then the time passes that moving
 * the image takes, and the end is reported. What fails ends at once.
 *
 * An image is moved to and from a buffer of the model's own in one go: nobody
 * can change it between a check and a use.
 */
#include "context.h"

#include <endian.h>
#include <string.h>

#include "gpu_priv.h"
#include "log.h"

/* Is there memory at physical address @pa for @size bytes? */
static bool buffer_present(struct slice *s, uint64_t pa, uint64_t size, bool write)
{
	for (uint64_t off = 0; off < size; off += TESS_PAGE_SIZE)
		if (!mmu_phys(s, pa + off, write))
			return false;
	return true;
}

/* Move the first @size bytes of the buffer; false, before anything moved, if it is not memory. */
static bool buffer_move(struct slice *s, uint8_t *image, uint64_t size, bool write)
{
	uint64_t pa = s->host.ctx_addr;

	if (!buffer_present(s, pa, size, write))
		return false;
	for (uint64_t off = 0; off < size; off += TESS_PAGE_SIZE) {
		uint64_t n = size - off < TESS_PAGE_SIZE ? size - off : TESS_PAGE_SIZE;
		void *page = mmu_phys(s, pa + off, write);

		if (!page)
			return false;
		if (write)
			memcpy(page, image + off, n);
		else
			memcpy(image + off, page, n);
	}
	return true;
}

static uint32_t save(struct slice *s, uint64_t *used)
{
	uint64_t size = context_size(s);

	if (size > s->host.ctx_size) {
		*used = size;
		return TESS_CTX_ERR_SPACE;
	}
	context_encode(s, s->gpu->ctx_image);
	if (!buffer_move(s, s->gpu->ctx_image, size, true))
		return TESS_CTX_ERR_ADDRESS;
	*used = size;
	return TESS_CTX_DONE;
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

static uint32_t restore(struct slice *s, uint64_t *used)
{
	uint8_t *image = s->gpu->ctx_image;
	struct tess_ctx_header h;
	uint32_t status;

	if (s->host.ctx_size < sizeof(h)) {
		*used = sizeof(h);
		return TESS_CTX_ERR_SPACE;
	}
	if (!buffer_move(s, image, sizeof(h), false))
		return TESS_CTX_ERR_ADDRESS;
	memcpy(&h, image, sizeof(h));
	status = check_header(&h, s->host.ctx_size, used);
	if (status != TESS_CTX_DONE)
		return status;
	if (!buffer_move(s, image, le64toh(h.size), false))
		return TESS_CTX_ERR_ADDRESS;
	/* [1] The header may be another one by now: the size that was checked counts. */
	memcpy(image, &h, sizeof(h));
	status = context_decode(s, image, le64toh(h.size));
	if (status == TESS_CTX_DONE)
		*used = le64toh(h.size);
	return status;
}

static void report(struct slice *s, uint32_t status, uint64_t used)
{
	struct gpu *g = s->gpu;

	s->host.ctx_status = status;
	s->host.ctx_used = used;
	g->event_pending |= BIT_ULL(s->id);
	gpu_irq(g, TESS_IRQ_EVENT);
}

/* What happened while the client was away, or just before, is reported again. */
static void report_pending(struct slice *s)
{
	if (s->client.faulted || s->hfault.pending)
		gpu_irq(s->gpu, TESS_IRQ_FAULT);
	if (s->client.irq_status & TESS_IRQ_STATUS_COMPLETION)
		gpu_irq(s->gpu, TESS_IRQ_COMPLETION);
}

static uint32_t run_op(struct slice *s, uint32_t op, uint64_t *used)
{
	if (op != TESS_CTX_SAVE && op != TESS_CTX_RESTORE)
		return TESS_CTX_ERR_UNSUPPORTED;
	if (s->host.control & TESS_HCONTROL_RUN)
		return TESS_CTX_ERR_STATE;
	return op == TESS_CTX_SAVE ? save(s, used) : restore(s, used);
}

void context_start(struct slice *s, uint32_t op)
{
	uint64_t used = 0;
	uint32_t status;

	if (s->ctx.left)
		return;
	status = run_op(s, op, &used);
	log_event(s->gpu->desc.log, LOG_DEBUG, "slice %u: context operation %u: %u, %llu bytes",
		  s->id, op, status, (unsigned long long)used);
	if (status != TESS_CTX_DONE) {
		report(s, status, used);
		return;
	}
	s->host.ctx_status = TESS_CTX_BUSY;
	s->ctx.left = CYCLES_CTX + (used + CTX_BYTES_PER_CYCLE - 1) / CTX_BYTES_PER_CYCLE;
	s->ctx.used = used;
	s->ctx.restored = op == TESS_CTX_RESTORE;
}

void context_step(struct slice *s, uint64_t cycles)
{
	if (cycles < s->ctx.left) {
		s->ctx.left -= cycles;
		return;
	}
	s->ctx.left = 0;
	report(s, TESS_CTX_DONE, s->ctx.used);
	if (s->ctx.restored)
		report_pending(s);
}
