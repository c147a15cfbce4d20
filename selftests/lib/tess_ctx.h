/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A context to run packets in: a VM with code, commands and data mapped, a queue, and a
 * syncobj that its jobs signal.
 */
#ifndef _TESS_CTX_H_
#define _TESS_CTX_H_

#include "tess_drm.h"
#include "tess_kernels.h"

#define TESS_CMD_VA 0x100000ull
#define TESS_CMD_BYTES 0x10000ull
#define TESS_CODE_VA 0x200000ull
#define TESS_DATA_VA 0x400000ull
#define TESS_DATA_BYTES 0x100000ull
/* Nothing is ever mapped there by tess_ctx_open() */
#define TESS_FREE_VA 0x10000000ull

#define TESS_WAIT_MS 20000

/**
 * struct tess_ctx - context
 * @fd: render node, owned if @owns_fd
 * @vm: VM
 * @queue: queue
 * @slice: of the queue
 * @cmd: command buffer, at TESS_CMD_VA
 * @count: packets in it
 * @data_bo: handle of the data
 * @data: TESS_DATA_BYTES of system memory, at TESS_DATA_VA
 * @done: syncobj
 */
struct tess_ctx {
	int fd;
	bool owns_fd;
	uint32_t vm;
	uint32_t queue;
	uint32_t slice;
	uint8_t *cmd;
	unsigned int count;
	uint32_t data_bo;
	uint8_t *data;
	uint32_t done;
};

/* On a new file, on any available slice */
void tess_ctx_open(struct tess_ctx *ctx);
/* On a file that stays the caller's */
void tess_ctx_open_on(struct tess_ctx *ctx, int fd, uint32_t slice);
/* Without the rest of the objects, if the file is closed */
void tess_ctx_close(struct tess_ctx *ctx);
/* Put a new queue in the place of a dead one */
void tess_ctx_new_queue(struct tess_ctx *ctx);

/* Begin a new command buffer */
void tess_begin(struct tess_ctx *ctx);
/* Add a packet with this header and all else zero */
void *tess_packet(struct tess_ctx *ctx, uint16_t header);
void tess_nop(struct tess_ctx *ctx);
void tess_fill(struct tess_ctx *ctx, uint64_t va, uint64_t bytes, uint32_t pattern);
void tess_copy(struct tess_ctx *ctx, uint64_t dst, uint64_t src, uint64_t bytes);
void tess_timestamp(struct tess_ctx *ctx, uint64_t va, uint16_t flags);
void tess_signal(struct tess_ctx *ctx, uint64_t va, uint16_t op, uint64_t value);
void tess_wait(struct tess_ctx *ctx, uint64_t va, uint16_t op, uint64_t value);
/* @groups work-groups of @items work-items in x; @arg and @arg2 become the kernarg */
void tess_dispatch(struct tess_ctx *ctx, enum tess_kernel kernel, uint32_t groups, uint32_t items,
		   uint64_t arg, uint64_t arg2);

/* @count packets at @va */
int __tess_submit_at(struct tess_ctx *ctx, uint64_t va, uint32_t count,
		     const struct drm_tessera_sync *in, uint32_t in_count,
		     const struct drm_tessera_sync *out, uint32_t out_count);
/* The command buffer */
int __tess_submit(struct tess_ctx *ctx, const struct drm_tessera_sync *in, uint32_t in_count,
		  const struct drm_tessera_sync *out, uint32_t out_count);
/* Submit the command buffer with @done to signal */
int __tess_ctx_submit(struct tess_ctx *ctx);
void tess_ctx_submit(struct tess_ctx *ctx);
/* Wait for @done: what its fence says, -ETIME if it does not come */
int tess_ctx_wait(struct tess_ctx *ctx);
/* Both */
int tess_ctx_run(struct tess_ctx *ctx);

#endif
