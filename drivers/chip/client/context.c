// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: what a client has on a slice while it is on none.
 *
 * DOC: Contexts
 *
 * A context is an image in memory that the GPU writes and reads
 * (Documentation/hw/context.rst), in a buffer that has room for the largest one. Each
 * vslice has its own for life: a save can then not fail for want of memory.
 *
 * The host needs of an image only the registers of the client page, to answer the
 * client's reads. They are copied and checked once, after the save, and all reads are
 * answered from the copy. The image itself is not looked at again: the GPU, which may be
 * broken or worse, can change it between a check and a use. An image whose beginning is
 * not what it must be is bad: it cannot be read nor restored. The checksum is not
 * computed here, which would take longer than the save; the GPU checks it when it
 * restores.
 *
 * Images are made by the host, too: for a ring of the host's own that is about to start, or that
 * is to leave a packet out; and for a client that cannot be saved (capture.c).
 */
#include <linux/crc32c.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include <tessera/hw/tess_mem.h>

#include "base/chip.h"
#include "client.h"
#include "context.h"
#include "counters.h"

static_assert(sizeof(struct tess_chip_context_start) == TESS_CTX_IDLE_SIZE);
static_assert(TESS_CTX_PAGE_BYTES == TESS_SREG_COUNTERS);
static_assert(ARRAY_SIZE(((struct tess_ctx_counters *)NULL)->counter) == TESS_COUNTER_COUNT);

/* Registers of 64 bits below the counters, a bit for each 8 bytes */
#define WIDE_REGS							\
	(BIT(TESS_SREG_RING_BASE / 8) | BIT(TESS_SREG_RPTR / 8) |	\
	 BIT(TESS_SREG_WPTR / 8) | BIT(TESS_SREG_COMPLETION / 8) |	\
	 BIT(TESS_SREG_FAULT_ADDR / 8) | BIT(TESS_SREG_FAULT_PC / 8) |	\
	 BIT(TESS_SREG_FAULT_PACKET / 8) | BIT(TESS_SREG_FENCE_SEQ / 8))

/* ---- registers ---- */

static void regs_reset(struct tess_chip_context *ctx)
{
	memset(ctx->regs, 0, sizeof(ctx->regs));
	put_unaligned_le32(TESS_RING_LOG2_MIN, ctx->regs + TESS_SREG_RING_LOG2);
}

/* What the slice was is no state of the client */
static void regs_set(struct tess_chip_context *ctx, const struct tess_chip_context_start *start)
{
	memcpy(ctx->regs, start->client.page, sizeof(start->client.page));
	memcpy(ctx->regs + TESS_SREG_COUNTERS, start->counters.counter,
	       sizeof(start->counters.counter));
	put_unaligned_le32(0, ctx->regs + TESS_SREG_KIND);
	put_unaligned_le32(0, ctx->regs + TESS_SREG_CORES);
	put_unaligned_le32(0, ctx->regs + TESS_SREG_ENGINES);
}

static bool is_wide(u32 off)
{
	return off >= TESS_SREG_COUNTERS || (WIDE_REGS & BIT(off / 8));
}

int tess_chip_context_read(struct tess_hw_context *hw, u32 off, unsigned int width, u64 *val)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);

	*val = 0;
	if (ctx->bad)
		return -EBADMSG;
	if (off >= sizeof(ctx->regs) || width > sizeof(ctx->regs) - off)
		return 0;
	if (width == 4)
		*val = get_unaligned_le32(ctx->regs + off);
	else if (is_wide(off))
		*val = get_unaligned_le64(ctx->regs + off);
	return 0;
}

/**
 * tess_chip_context_reg() - a register as it was saved
 * @ctx: context
 * @off: TESS_SREG_*
 * @width: its width
 *
 * Return: its value; 0 if the image is no good.
 */
u64 tess_chip_context_reg(struct tess_chip_context *ctx, u32 off, unsigned int width)
{
	u64 val;

	return tess_chip_context_read(&ctx->hw, off, width, &val) ? 0 : val;
}

int tess_chip_context_get(struct tess_hw_context *hw, enum tess_client_value what, u64 *val)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);

	switch (what) {
	case TESS_CLIENT_HAS_WORK:
		*val = tess_chip_client_has_work(tess_chip_context_reg(ctx, TESS_SREG_STATUS, 4));
		break;
	case TESS_CLIENT_QUEUE:
		*val = tess_chip_client_queue(tess_chip_context_reg(ctx, TESS_SREG_RPTR, 8),
					      tess_chip_context_reg(ctx, TESS_SREG_WPTR, 8));
		break;
	case TESS_CLIENT_BUSY:
		*val = tess_chip_context_reg(ctx, TESS_SREG_COUNTERS + TESS_COUNTER_BUSY, 8);
		break;
	case TESS_CLIENT_FENCE:
		*val = tess_chip_context_reg(ctx, TESS_SREG_FENCE_SEQ, 8);
		break;
	}
	return ctx->bad ? -EBADMSG : 0;
}

int tess_chip_context_counters(struct tess_hw_context *hw, u64 counters[TESS_COUNTS])
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < TESS_CHIP_CLIENT_COUNTS; i++)
		rc = tess_chip_context_read(hw, TESS_SREG_COUNTERS + tess_chip_counter_reg(i), 8,
					    &counters[i]);
	memcpy(counters + TESS_CHIP_CLIENT_COUNTS, to_tess_chip_context(hw)->counts,
	       sizeof(to_tess_chip_context(hw)->counts));
	return rc;
}

bool tess_chip_context_fault(struct tess_hw_context *hw, struct tess_fault *fault)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);

	if (!(tess_chip_context_reg(ctx, TESS_SREG_STATUS, 4) & TESS_STATUS_FAULTED))
		return false;
	*fault = (struct tess_fault){
		.cause = tess_chip_context_reg(ctx, TESS_SREG_FAULT_CAUSE, 4),
		.info = tess_chip_context_reg(ctx, TESS_SREG_FAULT_INFO, 4),
		.addr = tess_chip_context_reg(ctx, TESS_SREG_FAULT_ADDR, 8),
		.pc = tess_chip_context_reg(ctx, TESS_SREG_FAULT_PC, 8),
		.packet = tess_chip_context_reg(ctx, TESS_SREG_FAULT_PACKET, 8),
		.indirect = tess_chip_context_reg(ctx, TESS_SREG_FAULT_INDIRECT, 4),
		.asid = tess_chip_context_reg(ctx, TESS_SREG_FAULT_ASID, 4),
	};
	return true;
}

/* ---- images ---- */

static bool section_is(const struct tess_ctx_section *s, enum tess_ctx_type type, size_t size)
{
	return le32_to_cpu(s->type) == type && !s->flags && le64_to_cpu(s->size) == size;
}

static bool start_is_valid(const struct tess_chip_context_start *start, u64 used)
{
	const struct tess_ctx_header *h = &start->header;

	return le32_to_cpu(h->magic) == TESS_CTX_MAGIC &&
	       le16_to_cpu(h->version) == TESS_CTX_VERSION &&
	       le16_to_cpu(h->header_size) == sizeof(*h) &&
	       le64_to_cpu(h->size) == used && le32_to_cpu(h->sections) >= 3 &&
	       section_is(&start->client.section, TESS_CTX_CLIENT, sizeof(start->client)) &&
	       section_is(&start->counters.section, TESS_CTX_COUNTERS,
			  sizeof(start->counters)) &&
	       section_is(&start->processor.section, TESS_CTX_PROCESSOR,
			  sizeof(start->processor));
}

static bool size_is_valid(u64 used)
{
	return used >= TESS_CTX_IDLE_SIZE && used <= TESS_CTX_MAX_SIZE && !(used % 8);
}

/**
 * tess_chip_context_is_valid() - is it what an image begins with?
 * @start: beginning of the image
 * @used: bytes of all of it
 */
bool tess_chip_context_is_valid(const struct tess_chip_context_start *start, u64 used)
{
	return size_is_valid(used) && start_is_valid(start, used);
}

/**
 * tess_chip_context_adopt() - the image in the buffer is the context of a client
 * @ctx: context
 * @start: what it begins with, valid
 * @used: its bytes
 */
void tess_chip_context_adopt(struct tess_chip_context *ctx,
			     const struct tess_chip_context_start *start, u64 used)
{
	regs_set(ctx, start);
	ctx->hw.used = used;
	ctx->known = true;
	ctx->bad = false;
	ctx->captured = false;
	ctx->lost = false;
}

/**
 * tess_chip_context_begin() - the GPU is about to write an image
 * @ctx: context
 *
 * Whatever becomes of the buffer, it is no image until the GPU says so. What the registers were at
 * the last save is kept.
 */
void tess_chip_context_begin(struct tess_chip_context *ctx)
{
	ctx->hw.used = 0;
	ctx->bad = false;
	ctx->captured = false;
	ctx->lost = false;
}

/**
 * tess_chip_context_saved() - the GPU has written an image
 * @ctx: context
 * @used: bytes of the image, as the GPU says
 */
void tess_chip_context_saved(struct tess_chip_context *ctx, u64 used)
{
	struct tess_chip_context_start start;

	ctx->captured = false;
	ctx->lost = false;
	/* Not empty in any case: that would be a client without work */
	ctx->hw.used = size_is_valid(used) ? used : TESS_CTX_IDLE_SIZE;
	memcpy(&start, ctx->image, sizeof(start));
	ctx->bad = !tess_chip_context_is_valid(&start, used);
	if (ctx->bad)
		dev_err_ratelimited(ctx->hw.be->dev, "saved context of %llu bytes is damaged\n",
				    used);
	else
		regs_set(ctx, &start);
	ctx->known = !ctx->bad;
}

/* ---- images of the host ---- */

/**
 * struct captured_reg - register that goes into an image
 * @off: offset
 * @width: 4 or 8
 * @mask: bits that can be set
 */
struct captured_reg {
	u16 off;
	u8 width;
	u64 mask;
};

static const struct captured_reg captured_regs[] = {
	{ TESS_SREG_RING_BASE, 8, GENMASK_ULL(TESS_PA_BITS - 1, 12) },
	{ TESS_SREG_RING_LOG2, 4, U32_MAX },
	{ TESS_SREG_IRQ_STATUS, 4, TESS_IRQ_STATUS_COMPLETION | TESS_IRQ_STATUS_FAULT },
	{ TESS_SREG_RPTR, 8, U64_MAX },
	{ TESS_SREG_WPTR, 8, U64_MAX },
	{ TESS_SREG_COMPLETION, 8, GENMASK_ULL(TESS_PA_BITS - 1, 6) },
	{ TESS_SREG_FENCE_SEQ, 8, U64_MAX },
};

static u64 context_reg_live(struct tess_chip *chip, u32 at, const struct captured_reg *reg)
{
	return reg->width == 8 ? tess_chip_read64(chip, at, reg->off) :
				 tess_chip_read32(chip, at, reg->off);
}

static u64 context_reg_saved(const struct tess_chip_context *ctx, const struct captured_reg *reg)
{
	return reg->width == 8 ? get_unaligned_le64(ctx->regs + reg->off) :
				 get_unaligned_le32(ctx->regs + reg->off);
}

/**
 * tess_chip_context_regs() - registers that go into an image of the host's
 * @chip: device
 * @slice: number
 * @saved: take them from what was saved here; NULL: from the slice
 * @page: client page of the image
 */
void tess_chip_context_regs(struct tess_chip *chip, unsigned int slice,
			    const struct tess_chip_context *saved, u8 *page)
{
	unsigned int i;
	u64 val;

	for (i = 0; i < ARRAY_SIZE(captured_regs); i++) {
		const struct captured_reg *reg = &captured_regs[i];

		val = saved ? context_reg_saved(saved, reg) :
			      context_reg_live(chip, TESS_CLIENT_PAGE(slice), reg);
		if (reg->width == 8)
			put_unaligned_le64(val & reg->mask, page + reg->off);
		else
			put_unaligned_le32(val & reg->mask, page + reg->off);
	}
	/* The one that not every value can be written to */
	put_unaligned_le32(clamp_t(u32, get_unaligned_le32(page + TESS_SREG_RING_LOG2),
				   TESS_RING_LOG2_MIN, TESS_RING_LOG2_MAX),
			   page + TESS_SREG_RING_LOG2);
}

static void put_section(struct tess_ctx_section *s, enum tess_ctx_type type, size_t size)
{
	s->type = cpu_to_le32(type);
	s->size = cpu_to_le64(size);
}

/**
 * tess_chip_context_put_start() - what every image begins with that the host makes
 * @chip: device
 * @slice: number, for information
 * @start: image; its registers, counters and address space are there
 */
void tess_chip_context_put_start(struct tess_chip *chip, unsigned int slice,
				 struct tess_chip_context_start *start)
{
	struct tess_ctx_header *h = &start->header;

	h->magic = cpu_to_le32(TESS_CTX_MAGIC);
	h->version = cpu_to_le16(TESS_CTX_VERSION);
	h->header_size = cpu_to_le16(sizeof(*h));
	h->size = cpu_to_le64(sizeof(*start));
	h->sections = cpu_to_le32(3);
	h->kind = cpu_to_le32(chip->slices[slice].kind);
	h->time = cpu_to_le64(chip->be.ops->time(&chip->be));
	put_section(&start->client.section, TESS_CTX_CLIENT, sizeof(start->client));
	put_section(&start->counters.section, TESS_CTX_COUNTERS, sizeof(start->counters));
	put_section(&start->processor.section, TESS_CTX_PROCESSOR, sizeof(start->processor));
	h->checksum = cpu_to_le32(~crc32c(~0, start, sizeof(*start)));
}

/**
 * tess_chip_context_set() - an image of the host's is the context of a client
 * @ctx: context
 * @start: image
 */
void tess_chip_context_set(struct tess_chip_context *ctx,
			   const struct tess_chip_context_start *start)
{
	ctx->start = *start;
	ctx->captured = true;
	ctx->lost = false;
	regs_set(ctx, start);
	ctx->hw.used = sizeof(*start);
	ctx->known = true;
	ctx->bad = false;
}

static void client_put32(struct tess_ctx_client *client, u32 off, u32 val)
{
	put_unaligned_le32(val, client->page + off);
}

static void client_put64(struct tess_ctx_client *client, u32 off, u64 val)
{
	put_unaligned_le64(val, client->page + off);
}

/* Enabled, at @rptr, without a fault */
static void client_enable(struct tess_ctx_client *client, u64 rptr)
{
	u32 status = TESS_STATUS_ENABLED;

	if (rptr != get_unaligned_le64(client->page + TESS_SREG_WPTR))
		status |= TESS_STATUS_BUSY;
	client_put64(client, TESS_SREG_RPTR, rptr);
	client_put32(client, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	client_put32(client, TESS_SREG_STATUS, status);
}

/**
 * tess_chip_context_start() - make the context of a client that has a ring and no work
 * @chip: device
 * @slice: number, for information
 * @ctx: empty context
 * @base: bus address of the ring
 * @log2: its size
 * @rec: bus address of the completion record
 */
void tess_chip_context_start(struct tess_chip *chip, unsigned int slice,
			     struct tess_chip_context *ctx, u64 base, u32 log2, u64 rec)
{
	struct tess_chip_context_start start = {};

	client_put64(&start.client, TESS_SREG_RING_BASE, base);
	client_put32(&start.client, TESS_SREG_RING_LOG2, log2);
	client_put64(&start.client, TESS_SREG_COMPLETION, rec);
	client_enable(&start.client, 0);
	tess_chip_context_put_start(chip, slice, &start);
	tess_chip_context_set(ctx, &start);
}

/**
 * tess_chip_context_put_ring() - what ring the client of a context has
 * @ctx: saved context of a client that owns its ring
 * @base: bus address of the ring
 * @log2: its size
 * @rec: bus address of the completion record
 *
 * Before tess_chip_context_restart(), if the context may not know.
 */
void tess_chip_context_put_ring(struct tess_chip_context *ctx, u64 base, u32 log2, u64 rec)
{
	put_unaligned_le64(base, ctx->regs + TESS_SREG_RING_BASE);
	put_unaligned_le32(log2, ctx->regs + TESS_SREG_RING_LOG2);
	put_unaligned_le64(rec, ctx->regs + TESS_SREG_COMPLETION);
}

/**
 * tess_chip_context_restart() - drop the packet in progress, and go on somewhere else
 * @chip: device
 * @slice: number, for information
 * @ctx: saved context of a client that owns its ring
 * @rptr: where it goes on
 * @wptr: end of what is in the ring
 *
 * The VM that the packet ran in is lost with it, as by an abort.
 */
void tess_chip_context_restart(struct tess_chip *chip, unsigned int slice,
			       struct tess_chip_context *ctx, u64 rptr, u64 wptr)
{
	struct tess_chip_context_start start = {};
	u32 irqs;

	tess_chip_context_regs(NULL, slice, ctx, start.client.page);
	irqs = get_unaligned_le32(start.client.page + TESS_SREG_IRQ_STATUS);
	client_put32(&start.client, TESS_SREG_IRQ_STATUS, irqs & ~TESS_IRQ_STATUS_FAULT);
	client_put64(&start.client, TESS_SREG_WPTR, wptr);
	client_enable(&start.client, rptr);
	memcpy(start.counters.counter, ctx->regs + TESS_SREG_COUNTERS,
	       sizeof(start.counters.counter));
	tess_chip_context_put_start(chip, slice, &start);
	tess_chip_context_set(ctx, &start);
}

/**
 * tess_chip_context_put() - an image is about to be restored
 * @ctx: context
 *
 * One that the host made goes into memory only now: while the slice was not reset, the GPU
 * could still have written what it was asked to save over it.
 */
void tess_chip_context_put(struct tess_chip_context *ctx)
{
	if (ctx->captured)
		memcpy(ctx->image, &ctx->start, sizeof(ctx->start));
	ctx->captured = false;
}

/* ---- life ---- */

struct tess_hw_context *tess_chip_context_alloc(struct tess_backend *be)
{
	struct tess_chip_context *ctx;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	ctx->image = dma_alloc_coherent(be->dev, TESS_CTX_MAX_SIZE, &ctx->dma,
					GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!ctx->image) {
		kfree(ctx);
		return ERR_PTR(-ENOMEM);
	}
	ctx->hw.be = be;
	regs_reset(ctx);
	return &ctx->hw;
}

void tess_chip_context_free(struct tess_hw_context *hw)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);

	dma_free_coherent(hw->be->dev, TESS_CTX_MAX_SIZE, ctx->image, ctx->dma);
	kfree(ctx);
}

void tess_chip_context_copy(struct tess_hw_context *hw, const struct tess_hw_context *from_hw)
{
	const struct tess_chip_context *from =
		container_of(from_hw, struct tess_chip_context, hw);
	struct tess_chip_context *ctx = to_tess_chip_context(hw);

	/* Never more than there is room for: tess_chip_context_saved() */
	memcpy(ctx->image, from->image, from->hw.used);
	memcpy(ctx->regs, from->regs, sizeof(ctx->regs));
	memcpy(ctx->counts, from->counts, sizeof(ctx->counts));
	ctx->start = from->start;
	ctx->hw.used = from->hw.used;
	ctx->known = from->known;
	ctx->bad = from->bad;
	ctx->captured = from->captured;
	ctx->lost = from->lost;
}

void tess_chip_context_clear(struct tess_hw_context *hw)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);

	regs_reset(ctx);
	memset(ctx->counts, 0, sizeof(ctx->counts));
	tess_chip_context_begin(ctx);
	ctx->known = false;
}
