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

/**
 * tess_context_pack() - write a context for another machine
 * @ctx: context
 * @buf: for it; NULL: only say how many bytes
 * @size: of @buf
 *
 * Return: bytes; -ENOSPC, -EBADMSG the image is damaged.
 */
ssize_t tess_context_pack(const struct tess_context *ctx, void *buf, size_t size)
{
	return tess_gpu_switch_ops(ctx->obj.gpu)->pack(ctx->hw, buf, size);
}

/**
 * tess_context_unpack() - make a context what tess_context_pack() wrote elsewhere
 * @ctx: context
 * @buf: what it wrote, not trusted
 * @size: bytes
 *
 * Return: 0; -EINVAL it is something else, and the context is empty now.
 */
int tess_context_unpack(struct tess_context *ctx, const void *buf, size_t size)
{
	return tess_gpu_switch_ops(ctx->obj.gpu)->unpack(ctx->hw, buf, size);
}

/**
 * tess_context_read() - a register of the client page
 * @ctx: context of a GPU with registers for VMs
 * @off: offset
 * @width: 4 or 8
 * @val: result
 *
 * Return: 0; -EBADMSG the image is damaged.
 */
int tess_context_read(const struct tess_context *ctx, u32 off, unsigned int width, u64 *val)
{
	*val = 0;
	return tess_gpu_ops(ctx->obj.gpu)->regs->read_saved(ctx->hw, off, width, val);
}

/**
 * tess_context_get() - a value of the client
 * @ctx: context
 * @what: value
 * @val: result
 *
 * Return: 0; -EBADMSG the image is damaged.
 */
int tess_context_get(const struct tess_context *ctx, enum tess_client_value what, u64 *val)
{
	return tess_gpu_switch_ops(ctx->obj.gpu)->get(ctx->hw, what, val);
}

/**
 * tess_context_value() - a value of the client
 * @ctx: context
 * @what: value
 *
 * Return: the value; 0 if the image is damaged.
 */
u64 tess_context_value(const struct tess_context *ctx, enum tess_client_value what)
{
	u64 val;

	return tess_context_get(ctx, what, &val) ? 0 : val;
}

int tess_context_counters(const struct tess_context *ctx, u64 counters[TESS_COUNTS])
{
	return tess_gpu_switch_ops(ctx->obj.gpu)->counters(ctx->hw, counters);
}

/**
 * tess_context_has_work() - would it do anything on a slice?
 * @ctx: context
 *
 * Return: true if packets are left and nothing keeps it from running them.
 */
bool tess_context_has_work(const struct tess_context *ctx)
{
	return tess_context_value(ctx, TESS_CLIENT_HAS_WORK);
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
	return tess_gpu_switch_ops(ctx->obj.gpu)->fault(ctx->hw, fault);
}
