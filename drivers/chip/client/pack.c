// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts that go to another machine, and those that come from one.
 *
 * What is written are the counters that no image has, and the image
 * (Documentation/hw/context.rst), which is empty for a client that was reset. It comes back by way
 * of whoever moves virtual machines, and is not trusted: the beginning and the checksum
 * are looked at here, because an image that was damaged on its way is to be refused before the
 * virtual machine runs, and the GPU looks at all of it when it restores.
 */
#include <linux/crc32c.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "context.h"
#include "pack.h"

/* Bytes ahead of the image */
#define PACK_START	(TESS_CHIP_HOST_COUNTS * sizeof(__le64))

/* What the host made is in the buffer only when it is about to be restored */
static const void *pack_image(const struct tess_chip_context *ctx)
{
	return ctx->captured ? (const void *)&ctx->start : ctx->image;
}

ssize_t tess_chip_context_pack(struct tess_hw_context *hw, void *buf, size_t size)
{
	const struct tess_chip_context *ctx = to_tess_chip_context(hw);
	__le64 *counts = buf;
	unsigned int i;

	if (ctx->bad)
		return -EBADMSG;
	if (!buf)
		return PACK_START + hw->used;
	if (size < PACK_START + hw->used)
		return -ENOSPC;
	for (i = 0; i < TESS_CHIP_HOST_COUNTS; i++)
		counts[i] = cpu_to_le64(ctx->counts[i]);
	memcpy(buf + PACK_START, pack_image(ctx), hw->used);
	return PACK_START + hw->used;
}

static bool checksum_is_right(const void *image, size_t size)
{
	const size_t at = offsetof(struct tess_ctx_header, checksum);
	const struct tess_ctx_header *h = image;
	u32 crc, none = 0;

	crc = crc32c(~0, image, at);
	crc = crc32c(crc, &none, sizeof(none));
	crc = crc32c(crc, image + at + sizeof(none), size - at - sizeof(none));
	return get_unaligned_le32(&h->checksum) == ~crc;
}

static bool unpack_image(struct tess_chip_context *ctx, const void *image, size_t size)
{
	struct tess_chip_context_start start;

	if (!size)
		return true;
	if (size < sizeof(start))
		return false;
	memcpy(&start, image, sizeof(start));
	if (!tess_chip_context_is_valid(&start, size) || !checksum_is_right(image, size))
		return false;
	memcpy(ctx->image, image, size);
	tess_chip_context_adopt(ctx, &start, size);
	return true;
}

int tess_chip_context_unpack(struct tess_hw_context *hw, const void *buf, size_t size)
{
	struct tess_chip_context *ctx = to_tess_chip_context(hw);
	unsigned int i;

	tess_chip_context_clear(hw);
	if (size < PACK_START || !unpack_image(ctx, buf + PACK_START, size - PACK_START))
		return -EINVAL;
	for (i = 0; i < TESS_CHIP_HOST_COUNTS; i++)
		ctx->counts[i] = get_unaligned_le64((const __le64 *)buf + i);
	return 0;
}
