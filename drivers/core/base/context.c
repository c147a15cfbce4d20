// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts: what a client has on a slice while it is on none.
 *
 * DOC: Contexts
 *
 * A vslice that can be parked has one context, made when that becomes possible and not
 * when it is needed: a slice must be taken from a client at any time, also when there is
 * no memory. While the vslice is parked the context is its state, and what a client
 * would read from the registers is read from there. The image is the back-end's; a
 * context is a shell around it, see "Objects".
 *
 * The functions below are called with the hw mutex of the home slice held, inside
 * tess_gpu_enter(), unless they say otherwise.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/compat.h>

#include "context.h"
#include "gpu.h"
#include "object.h"

/**
 * struct tess_context - shell of a saved state
 * @obj: object
 * @hw: of the back-end
 */
struct tess_context {
	struct tess_object obj;
	struct tess_hw_context *hw;
};

static void context_destroy(struct tess_object *obj)
{
	struct tess_context *ctx = container_of(obj, struct tess_context, obj);

	tess_gpu_switch_ops(obj->gpu)->free(ctx->hw);
	ctx->hw = NULL;
}

static void context_shell_free(struct tess_object *obj)
{
	kfree(container_of(obj, struct tess_context, obj));
}

static const struct tess_object_ops context_ops = {
	.destroy = context_destroy,
	.free = context_shell_free,
};

/**
 * tess_context_create() - make an empty context
 * @gpu: GPU that can switch; no lock is held
 *
 * Return: context or error pointer: -ENOMEM, -ENODEV.
 */
struct tess_context *tess_context_create(struct tess_gpu *gpu)
{
	struct tess_hw_context *hw;
	struct tess_context *ctx;
	int idx;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);
	if (!ctx)
		return ERR_PTR(-ENOMEM);
	if (!tess_gpu_enter(gpu, &idx)) {
		kfree(ctx);
		return ERR_PTR(-ENODEV);
	}
	hw = tess_gpu_switch_ops(gpu)->alloc(gpu->be);
	if (!IS_ERR(hw)) {
		ctx->hw = hw;
		tess_object_add(&ctx->obj, gpu, &context_ops);
	}
	tess_gpu_exit(gpu, idx);
	if (IS_ERR(hw)) {
		kfree(ctx);
		return ERR_CAST(hw);
	}
	return ctx;
}

/**
 * tess_context_destroy() - free a context
 * @ctx: context that nobody uses any more, or NULL; no lock is held
 */
void tess_context_destroy(struct tess_context *ctx)
{
	if (ctx)
		tess_object_put(&ctx->obj);
}

struct tess_hw_context *tess_context_hw(const struct tess_context *ctx)
{
	return ctx->hw;
}

/**
 * tess_context_clear() - what a client RESET does
 * @ctx: context
 */
void tess_context_clear(struct tess_context *ctx)
{
	tess_gpu_switch_ops(ctx->obj.gpu)->clear(ctx->hw);
}

/**
 * tess_context_copy() - make a context the same as one of another GPU
 * @to: context
 * @from: of a back-end with the same ops; nobody changes it, and its GPU is entered, too
 */
void tess_context_copy(struct tess_context *to, const struct tess_context *from)
{
	tess_gpu_switch_ops(to->obj.gpu)->copy(to->hw, from->hw);
}

int tess_context_read(const struct tess_context *ctx, u32 off, unsigned int width, u64 *val)
{
	*val = 0;
	return tess_gpu_switch_ops(ctx->obj.gpu)->read(ctx->hw, off, width, val);
}

/**
 * tess_context_reg() - a register of the client page
 * @ctx: context
 * @off: TESS_SREG_*
 * @width: its width
 *
 * Return: its value; 0 if the image is no good.
 */
u64 tess_context_reg(const struct tess_context *ctx, u32 off, unsigned int width)
{
	u64 val;

	return tess_context_read(ctx, off, width, &val) ? 0 : val;
}

int tess_context_counters(const struct tess_context *ctx, u64 counters[TESS_COUNTER_COUNT])
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < TESS_COUNTER_COUNT; i++)
		rc = tess_context_read(ctx, TESS_SREG_COUNTERS + i * sizeof(u64), 8, &counters[i]);
	return rc;
}

/**
 * tess_context_queue() - packets in the ring
 * @ctx: context
 *
 * Return: their number.
 */
u64 tess_context_queue(const struct tess_context *ctx)
{
	u64 wptr = tess_context_reg(ctx, TESS_SREG_WPTR, 8);
	u64 rptr = tess_context_reg(ctx, TESS_SREG_RPTR, 8);

	return wptr > rptr ? wptr - rptr : 0;
}

/**
 * tess_context_has_work() - would it do anything on a slice?
 * @ctx: context
 *
 * Return: true if packets are left and nothing keeps it from running them.
 */
bool tess_context_has_work(const struct tess_context *ctx)
{
	u64 status = tess_context_reg(ctx, TESS_SREG_STATUS, 4);

	return (status & TESS_STATUS_ENABLED) && (status & TESS_STATUS_BUSY) &&
	       !(status & TESS_STATUS_FAULTED);
}

/**
 * tess_context_fault() - client fault that is not acknowledged
 * @ctx: context
 * @fault: result
 *
 * Return: false if there is none.
 */
bool tess_context_fault(const struct tess_context *ctx, struct tess_fault *fault)
{
	if (!(tess_context_reg(ctx, TESS_SREG_STATUS, 4) & TESS_STATUS_FAULTED))
		return false;
	*fault = (struct tess_fault){
		.cause = tess_context_reg(ctx, TESS_SREG_FAULT_CAUSE, 4),
		.info = tess_context_reg(ctx, TESS_SREG_FAULT_INFO, 4),
		.addr = tess_context_reg(ctx, TESS_SREG_FAULT_ADDR, 8),
		.pc = tess_context_reg(ctx, TESS_SREG_FAULT_PC, 8),
		.packet = tess_context_reg(ctx, TESS_SREG_FAULT_PACKET, 8),
		.indirect = tess_context_reg(ctx, TESS_SREG_FAULT_INDIRECT, 4),
		.asid = tess_context_reg(ctx, TESS_SREG_FAULT_ASID, 4),
	};
	return true;
}
