// SPDX-License-Identifier: GPL-2.0-or-later
/* Counter blocks that TIMESTAMP writes, polled: where the time is, all the rest is */
#include "harness.h"
#include "tess_ctx.h"

#define BLOCKS 65536u /* and packets of a job, the most that one has */
#define ROUNDS 16u
#define BYTES (BLOCKS * 64ull)
#define CMD_VA TESS_FREE_VA
#define BLOCKS_VA (TESS_FREE_VA + BYTES)
#define WORDS (sizeof(struct tess_counter_block) / sizeof(uint64_t))
#define UNDONE UINT64_MAX /* no counter gets there */
#define NEVER (1ull << 32) /* looks at one block */

typedef uint64_t block[WORDS];

static void *map(struct tess_ctx *ctx, uint64_t va)
{
	uint32_t handle = tess_bo_create(ctx->fd, BYTES, 0);

	tess_vm_map(ctx->fd, ctx->vm, handle, 0, va, BYTES);
	return tess_bo_mmap(ctx->fd, handle, BYTES);
}

static void write_packets(struct tess_pkt_timestamp *packets)
{
	unsigned int i;

	for (i = 0; i < BLOCKS; i++)
		packets[i] = (struct tess_pkt_timestamp){
			.header = DRM_TESSERA_PKT_TIMESTAMP,
			.flags = DRM_TESSERA_TIMESTAMP_COUNTERS,
			.address = BLOCKS_VA + i * sizeof(block),
		};
}

/* Looks at @b until the time is there. Are other words missing then? */
static bool torn(const uint64_t *b, uint64_t *looks)
{
	unsigned int missing = 0, i;
	uint64_t end = *looks + NEVER;

	do
		++*looks;
	while (__atomic_load_n(&b[0], __ATOMIC_ACQUIRE) == UNDONE && *looks < end);
	for (i = 1; i < WORDS; i++)
		missing += __atomic_load_n(&b[i], __ATOMIC_RELAXED) == UNDONE;
	return missing;
}

TEST(no_torn_block_in_a_million)
{
	struct drm_tessera_sync out;
	unsigned int round, i;
	uint64_t looks = 0, bad = 0;
	struct tess_ctx ctx;
	block *blocks;

	tess_ctx_open(&ctx);
	write_packets(map(&ctx, CMD_VA));
	blocks = map(&ctx, BLOCKS_VA);
	out = (struct drm_tessera_sync){ .handle = ctx.done };
	for (round = 0; round < ROUNDS; round++) {
		memset(blocks, 0xff, BYTES);
		ASSERT_EQ(0, __tess_submit_at(&ctx, CMD_VA, BLOCKS, NULL, 0, &out, 1));
		for (i = 0; i < BLOCKS; i++)
			bad += torn(blocks[i], &looks);
		ASSERT_EQ(0, tess_ctx_wait(&ctx));
	}
	printf("# %llu looks at %u blocks, %llu torn\n", (unsigned long long)looks, BLOCKS * ROUNDS,
	       (unsigned long long)bad);
	EXPECT_EQ(true, looks >= 1000000);
	EXPECT_EQ(0u, bad);
	tess_ctx_close(&ctx);
}

TEST_HARNESS_MAIN
