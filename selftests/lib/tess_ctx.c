// SPDX-License-Identifier: GPL-2.0-or-later
#include "tess_ctx.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The last page of the command buffer holds the kernargs */
#define ARGS_OFFSET (TESS_CMD_BYTES - TESS_PAGE)
#define MAX_PACKETS (ARGS_OFFSET / DRM_TESSERA_PKT_SIZE)

static void *map_bo(struct tess_ctx *ctx, uint64_t va, uint64_t size, uint32_t *handle)
{
	*handle = tess_bo_create(ctx->fd, size, 0);
	tess_vm_map(ctx->fd, ctx->vm, *handle, 0, va, size);
	return tess_bo_mmap(ctx->fd, *handle, size);
}

void tess_ctx_open_on(struct tess_ctx *ctx, int fd, uint32_t slice)
{
	uint32_t handle;
	void *code;

	*ctx = (struct tess_ctx){ .fd = fd, .slice = slice };
	ctx->vm = tess_vm_create(fd);
	ctx->cmd = map_bo(ctx, TESS_CMD_VA, TESS_CMD_BYTES, &handle);
	__tess_bo_close(fd, handle);
	code = map_bo(ctx, TESS_CODE_VA, TESS_PAGE, &handle);
	tess_kernels_write(code);
	munmap(code, TESS_PAGE);
	__tess_bo_close(fd, handle);
	ctx->data = map_bo(ctx, TESS_DATA_VA, TESS_DATA_BYTES, &ctx->data_bo);
	ctx->queue = tess_queue_create(fd, ctx->vm, slice);
	ctx->done = tess_syncobj_create(fd);
}

void tess_ctx_open(struct tess_ctx *ctx)
{
	int fd = tess_open();
	int slice = tess_find_slice(fd, 0);

	if (slice < 0)
		tess_die("no slice is available");
	tess_ctx_open_on(ctx, fd, slice);
	ctx->owns_fd = true;
}

void tess_ctx_close(struct tess_ctx *ctx)
{
	munmap(ctx->cmd, TESS_CMD_BYTES);
	munmap(ctx->data, TESS_DATA_BYTES);
	if (ctx->owns_fd) {
		close(ctx->fd);
		return;
	}
	__tess_queue_destroy(ctx->fd, ctx->queue);
	__tess_vm_destroy(ctx->fd, ctx->vm);
	__tess_bo_close(ctx->fd, ctx->data_bo);
	tess_syncobj_destroy(ctx->fd, ctx->done);
}

void tess_ctx_new_queue(struct tess_ctx *ctx)
{
	__tess_queue_destroy(ctx->fd, ctx->queue);
	ctx->queue = tess_queue_create(ctx->fd, ctx->vm, ctx->slice);
}

void tess_begin(struct tess_ctx *ctx)
{
	ctx->count = 0;
}

void *tess_packet(struct tess_ctx *ctx, uint16_t header)
{
	uint8_t *packet = ctx->cmd + (size_t)ctx->count * DRM_TESSERA_PKT_SIZE;

	if (ctx->count == MAX_PACKETS)
		tess_die("command buffer is full");
	ctx->count++;
	memset(packet, 0, DRM_TESSERA_PKT_SIZE);
	memcpy(packet, &header, sizeof(header));
	return packet;
}

void tess_nop(struct tess_ctx *ctx)
{
	tess_packet(ctx, DRM_TESSERA_PKT_NOP);
}

void tess_fill(struct tess_ctx *ctx, uint64_t va, uint64_t bytes, uint32_t pattern)
{
	struct tess_pkt_fill *fill = tess_packet(ctx, DRM_TESSERA_PKT_FILL);

	fill->rows = 1;
	fill->dst = va;
	fill->row_bytes = bytes;
	fill->pattern = pattern;
}

void tess_copy(struct tess_ctx *ctx, uint64_t dst, uint64_t src, uint64_t bytes)
{
	struct tess_pkt_copy *copy = tess_packet(ctx, DRM_TESSERA_PKT_COPY);

	copy->rows = 1;
	copy->src = src;
	copy->dst = dst;
	copy->row_bytes = bytes;
}

void tess_timestamp(struct tess_ctx *ctx, uint64_t va, uint16_t flags)
{
	struct tess_pkt_timestamp *stamp = tess_packet(ctx, DRM_TESSERA_PKT_TIMESTAMP);

	stamp->flags = flags;
	stamp->address = va;
}

void tess_signal(struct tess_ctx *ctx, uint64_t va, uint16_t op, uint64_t value)
{
	struct tess_pkt_signal *signal = tess_packet(ctx, DRM_TESSERA_PKT_SIGNAL);

	signal->op = op;
	signal->address = va;
	signal->value = value;
}

void tess_wait(struct tess_ctx *ctx, uint64_t va, uint16_t op, uint64_t value)
{
	struct tess_pkt_wait *wait = tess_packet(ctx, DRM_TESSERA_PKT_WAIT);

	wait->op = op;
	wait->address = va;
	wait->value = value;
	wait->mask = ~0ull;
}

void tess_dispatch(struct tess_ctx *ctx, enum tess_kernel kernel, uint32_t groups, uint32_t items,
		   uint64_t arg, uint64_t arg2)
{
	uint64_t offset = ARGS_OFFSET + ctx->count % 256 * 16;
	uint64_t args[2] = { arg, arg2 };
	struct tess_pkt_dispatch *dispatch =
		tess_packet(ctx, DRM_TESSERA_PKT_DISPATCH | DRM_TESSERA_PKT_ACQUIRE_SYSTEM);

	memcpy(ctx->cmd + offset, args, sizeof(args));
	dispatch->setup = 1;
	dispatch->wg_size[0] = items;
	dispatch->wg_size[1] = 1;
	dispatch->wg_size[2] = 1;
	dispatch->grid_size[0] = groups * items;
	dispatch->grid_size[1] = 1;
	dispatch->grid_size[2] = 1;
	dispatch->kernel_object = TESS_CODE_VA + kernel * TESS_K_BYTES;
	dispatch->kernarg_address = TESS_CMD_VA + offset;
}

int __tess_submit_at(struct tess_ctx *ctx, uint64_t va, uint32_t count,
		     const struct drm_tessera_sync *in, uint32_t in_count,
		     const struct drm_tessera_sync *out, uint32_t out_count)
{
	struct drm_tessera_cmd cmd = { .va = va, .count = count };
	struct drm_tessera_submit args = {
		.queue = ctx->queue,
		.cmds = TESS_ARRAY(&cmd, 1),
		.in_syncs = TESS_ARRAY(in, in_count),
		.out_syncs = TESS_ARRAY(out, out_count),
	};

	return tess_ioctl(ctx->fd, DRM_IOCTL_TESSERA_SUBMIT, &args);
}

int __tess_submit(struct tess_ctx *ctx, const struct drm_tessera_sync *in, uint32_t in_count,
		  const struct drm_tessera_sync *out, uint32_t out_count)
{
	return __tess_submit_at(ctx, TESS_CMD_VA, ctx->count, in, in_count, out, out_count);
}

int __tess_ctx_submit(struct tess_ctx *ctx)
{
	struct drm_tessera_sync out = { .handle = ctx->done };

	return __tess_submit(ctx, NULL, 0, &out, 1);
}

void tess_ctx_submit(struct tess_ctx *ctx)
{
	int rc = __tess_ctx_submit(ctx);

	if (rc)
		tess_die("submit: %s", strerror(-rc));
}

int tess_ctx_wait(struct tess_ctx *ctx)
{
	int rc = __tess_syncobj_wait(ctx->fd, ctx->done, 0, TESS_WAIT_MS);

	return rc ? rc : tess_syncobj_status(ctx->fd, ctx->done);
}

int tess_ctx_run(struct tess_ctx *ctx)
{
	tess_ctx_submit(ctx);
	return tess_ctx_wait(ctx);
}
