// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A client polls the counter blocks that TIMESTAMP writes, in another thread: when it sees the
 * time, all the other words of the block are there.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "rig.h"
#include "tap.h"

#define BLOCKS 65536u
#define ROUNDS 16u
#define BATCH 64u
#define WORDS (sizeof(struct tess_counter_block) / sizeof(uint64_t))
#define UNDONE UINT64_MAX /* no counter gets there */

/**
 * struct poll - the client's side
 * @blocks: memory of the blocks
 * @round: rounds that began
 * @seen: rounds of which all blocks were seen
 * @polls: looks at a time
 * @torn: blocks with a time and a word that was not there
 */
struct poll {
	uint64_t (*blocks)[WORDS];
	_Atomic unsigned int round;
	_Atomic unsigned int seen;
	uint64_t polls;
	uint64_t torn;
};

static void watch(struct poll *p, const uint64_t *block)
{
	unsigned int missing = 0;

	do
		p->polls++;
	while (__atomic_load_n(&block[0], __ATOMIC_ACQUIRE) == UNDONE);
	for (size_t i = 1; i < WORDS; i++)
		missing += __atomic_load_n(&block[i], __ATOMIC_RELAXED) == UNDONE;
	p->torn += missing != 0;
}

static void *client(void *arg)
{
	struct poll *p = arg;

	for (unsigned int round = 1; round <= ROUNDS; round++) {
		while (atomic_load(&p->round) < round)
			sched_yield();
		for (unsigned int i = 0; i < BLOCKS; i++)
			watch(p, p->blocks[i]);
		atomic_store(&p->seen, round);
	}
	return NULL;
}

static void write_blocks(struct rig *r)
{
	for (unsigned int i = 0; i < BLOCKS; i++) {
		struct tess_pkt_timestamp t =
			pkt_timestamp(RIG_DATA + (uint64_t)i * WORDS * sizeof(uint64_t),
				      DRM_TESSERA_TIMESTAMP_COUNTERS);

		rig_push(r, 0, &t);
		if (i % BATCH == BATCH - 1) {
			rig_doorbell(r, 0);
			rig_run(r, 1000);
		}
	}
}

int main(void)
{
	struct rig *r = rig_new();
	struct poll p = { .blocks = rig_mem(r, RIG_DATA) };
	pthread_t thread;

	if (!ok(!pthread_create(&thread, NULL, client, &p), "a client that polls"))
		return done();
	for (unsigned int round = 1; round <= ROUNDS; round++) {
		memset(p.blocks, 0xff, BLOCKS * sizeof(p.blocks[0]));
		atomic_store(&p.round, round);
		write_blocks(r);
		while (atomic_load(&p.seen) < round)
			sched_yield();
	}
	pthread_join(thread, NULL);
	ok(p.polls >= 1000000, "a million polls and more: %llu", (unsigned long long)p.polls);
	ok(!p.torn, "torn blocks: %llu of %u", (unsigned long long)p.torn, BLOCKS * ROUNDS);
	rig_free(r);
	return done();
}
