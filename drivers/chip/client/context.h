/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CHIP_CONTEXT_H_
#define _TESSERA_CHIP_CONTEXT_H_

#include <tessera/backend.h>
#include <tessera/hw/tess_context.h>

#include "state.h"

struct tess_chip;

/* Client page up to its last register */
#define TESS_CHIP_CONTEXT_REGS	(TESS_SREG_COUNTERS + TESS_COUNTER_COUNT * sizeof(u64))

/**
 * struct tess_chip_context_start - what every image begins with
 * @header: header
 * @client: registers of the client page
 * @counters: counters of the client page
 * @processor: address space
 */
struct tess_chip_context_start {
	struct tess_ctx_header header;
	struct tess_ctx_client client;
	struct tess_ctx_counters counters;
	struct tess_ctx_processor processor;
};

/**
 * struct tess_chip_context - saved state of a client
 * @hw: for the core
 * @image: what the GPU wrote and will read; it may change at any time
 * @dma: its bus address
 * @bad: the GPU wrote something that is no image
 * @captured: the host made @start, which goes into the image before it is restored
 * @lost: for want of what the GPU had saved
 * @start: image of the host's
 * @regs: the host's copy of the registers, little endian as they read
 * @known: @regs are those of the last save, or of an image of the host's
 * @counts: the client's part of the counters that only the host page has, when it was saved
 */
struct tess_chip_context {
	struct tess_hw_context hw;
	void *image;
	dma_addr_t dma;
	bool bad;
	bool captured;
	bool lost;
	struct tess_chip_context_start start;
	u8 regs[TESS_CHIP_CONTEXT_REGS];
	bool known;
	u64 counts[TESS_CHIP_HOST_COUNTS];
};

static inline struct tess_chip_context *to_tess_chip_context(struct tess_hw_context *hw)
{
	return container_of(hw, struct tess_chip_context, hw);
}

struct tess_hw_context *tess_chip_context_alloc(struct tess_backend *be);
void tess_chip_context_free(struct tess_hw_context *hw);
void tess_chip_context_clear(struct tess_hw_context *hw);
void tess_chip_context_copy(struct tess_hw_context *hw, const struct tess_hw_context *from);
int tess_chip_context_read(struct tess_hw_context *hw, u32 off, unsigned int width, u64 *val);
int tess_chip_context_get(struct tess_hw_context *hw, enum tess_client_value what, u64 *val);
int tess_chip_context_counters(struct tess_hw_context *hw, u64 counters[TESS_COUNTS]);
bool tess_chip_context_fault(struct tess_hw_context *hw, struct tess_fault *fault);
bool tess_chip_context_is_valid(const struct tess_chip_context_start *start, u64 used);
void tess_chip_context_adopt(struct tess_chip_context *ctx,
			     const struct tess_chip_context_start *start, u64 used);
void tess_chip_context_saved(struct tess_chip_context *ctx, u64 used);
void tess_chip_context_put(struct tess_chip_context *ctx);
void tess_chip_context_regs(struct tess_chip *chip, unsigned int slice,
			    const struct tess_chip_context *saved, u8 *page);
void tess_chip_context_put_start(struct tess_chip *chip, unsigned int slice,
				 struct tess_chip_context_start *start);
void tess_chip_context_set(struct tess_chip_context *ctx,
			   const struct tess_chip_context_start *start);
void tess_chip_context_start(struct tess_chip *chip, unsigned int slice,
			     struct tess_chip_context *ctx, u64 base, u32 log2, u64 rec);
void tess_chip_context_begin(struct tess_chip_context *ctx);
void tess_chip_context_put_ring(struct tess_chip_context *ctx, u64 base, u32 log2, u64 rec);
void tess_chip_context_restart(struct tess_chip *chip, unsigned int slice,
			       struct tess_chip_context *ctx, u64 rptr, u64 wptr);
u64 tess_chip_context_reg(struct tess_chip_context *ctx, u32 off, unsigned int width);

#endif
