// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: lives of processes
 *
 * A process works on the slices that no virtual machine has, and knows that they come and go:
 * work on one that goes may be dropped, with the error for it. What is not dropped is right.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "soak.h"
#include "tess_ctx.h"

#define ITEMS 256u

/* Results of one job, or one that has to fault: 0, what was wrong as a negative errno */
static int job(struct tess_ctx *ctx, bool faults)
{
	uint32_t *out = (uint32_t *)ctx->data;
	unsigned int i;
	int rc;

	memset(out, 0, ITEMS * sizeof(*out));
	tess_begin(ctx);
	tess_dispatch(ctx, faults ? TESS_K_ILLEGAL : TESS_K_IDS, 4, ITEMS / 4, TESS_DATA_VA, 0);
	rc = __tess_ctx_submit(ctx);
	if (!rc)
		rc = __tess_syncobj_wait(ctx->fd, ctx->done, 0, TESS_WAIT_MS) ?:
			     tess_syncobj_status(ctx->fd, ctx->done);
	if (faults)
		return rc == -EFAULT || rc == -ENXIO ? 0 : -EBADE;
	for (i = 0; !rc && i < ITEMS; i++)
		rc = out[i] == 3 * i ? 0 : -EBADMSG;
	return rc == -ENXIO ? 0 : rc;
}

static int next_queue(struct tess_ctx *ctx, unsigned int slice)
{
	if (ctx->queue)
		__tess_queue_destroy(ctx->fd, ctx->queue);
	ctx->queue = 0;
	return __tess_queue_create(ctx->fd, ctx->vm, slice, 0, &ctx->queue);
}

static int work(struct life *l, struct tess_ctx *ctx, unsigned int slices)
{
	bool faults;
	int rc = 0;

	while (!rc && !life_is_over(l)) {
		rc = next_queue(ctx, pick(slices));
		if (rc == -ENXIO) {
			rc = 0;
			sleep_ms(5);
			continue;
		}
		faults = !pick(6);
		rc = rc ? rc : job(ctx, faults);
		atomic_fetch_add(&l->seat->operations, 1);
		atomic_fetch_add(&l->seat->faults, faults);
	}
	return rc;
}

int life_of_process(struct life *l)
{
	struct drm_tessera_query_gpu gpu;
	struct tess_ctx ctx;
	int fd = __tess_open(), rc;

	if (fd < 0)
		return END_GONE;
	if (__tess_query(fd, DRM_TESSERA_QUERY_GPU, &gpu, sizeof(gpu)) || !gpu.slice_mask)
		return END_REFUSED;
	tess_ctx_open_on(&ctx, fd, __builtin_ctzll(gpu.slice_mask));
	rc = work(l, &ctx, gpu.slice_count);
	if (atomic_load(&l->board->epoch) != l->epoch)
		return END_GONE;
	if (!rc)
		return END_WELL;
	printf("# process: wrong: %s\n", strerror(-rc));
	atomic_fetch_add(&l->seat->wrong, 1);
	return END_WRONG;
}
