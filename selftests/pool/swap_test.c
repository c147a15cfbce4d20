// SPDX-License-Identifier: GPL-2.0-or-later
/* What the swapper decides is a pure function: the kernel's source, compiled here. */
#include "../../drivers/core/algo/swap.c"

#include "harness.h"

#define C TESS_KIND_COMPUTE
#define R TESS_KIND_RENDER
#define M TESS_KIND_MIXED
#define SLICES 16
#define SHARERS 8
#define MEMBERS (SLICES * SHARERS)

/**
 * struct world - a pool, and what the mechanism would remember of it
 * @pool: snapshot
 * @slices: of it
 * @members: of it
 * @memory: of the members
 * @period: now
 */
struct world {
	struct tess_swap_pool pool;
	struct tess_swap_slice slices[SLICES];
	struct tess_swap_member members[MEMBERS];
	struct tess_swap_memory memory[MEMBERS];
	u64 period;
};

static void world_init(struct world *w, unsigned int nr_slices)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->pool.slices = w->slices;
	w->pool.members = w->members;
	w->pool.nr_slices = nr_slices;
	for (i = 0; i < nr_slices; i++)
		w->slices[i] = (struct tess_swap_slice){
			.kind = C,
			.cores = 4,
			.engines = 3,
			.room = SHARERS,
		};
}

static struct tess_swap_member *add(struct world *w, unsigned int slice, u32 demand)
{
	struct tess_swap_member *m = &w->members[w->pool.nr_members];

	*m = (struct tess_swap_member){
		.slice = slice,
		.owner = w->pool.nr_members++,
		.demand = demand,
		.kind = C,
		.engines = 3,
		.automatic = true,
		.avoid = { -1, -1, -1, -1 },
	};
	w->slices[slice].use = TESS_SWAP_SHARED;
	w->slices[slice].room--;
	return m;
}

/* Demand without a slice for it, counted here and not with the code under test */
static u64 pool_unmet(const struct tess_swap_pool *pool)
{
	u64 sum = 0, load;
	unsigned int i, j;

	for (i = 0; i < pool->nr_slices; i++) {
		for (load = 0, j = 0; j < pool->nr_members; j++)
			if (pool->members[j].slice == i)
				load += pool->members[j].demand;
		sum += load > 1000 ? load - 1000 : 0;
	}
	return sum;
}

static unsigned int sharers(const struct world *w, unsigned int slice)
{
	unsigned int i, n = 0;

	for (i = 0; i < w->pool.nr_members; i++)
		n += w->members[i].slice == slice;
	return n;
}

/* A period as the mechanism does it; at most one move */
static bool period(struct world *w, struct tess_swap_decision *d)
{
	unsigned int i;
	bool move;

	w->period++;
	for (i = 0; i < w->pool.nr_members; i++)
		tess_swap_recall(&w->memory[i], w->period, &w->members[i]);
	tess_swap_look(&w->pool);
	move = tess_swap_decide(&w->pool, d);
	if (move) {
		tess_swap_remember(&w->memory[d->member], w->period, w->members[d->member].slice);
		tess_swap_apply(&w->pool, d);
	}
	return move;
}

/* What is decided if it has been like this for long */
static struct tess_swap_decision decide(struct world *w)
{
	struct tess_swap_decision d;
	unsigned int i;

	for (i = 0; i < TESS_SWAP_PATIENCE; i++)
		tess_swap_look(&w->pool);
	if (tess_swap_decide(&w->pool, &d) != (d.to >= 0))
		d.reason = -1;
	return d;
}

TEST(nothing_to_do)
{
	struct world w;

	world_init(&w, 4);
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_BALANCED);
	add(&w, 0, 1000);
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_BALANCED);
	add(&w, 0, 0);
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_BALANCED);
	EXPECT_EQ(decide(&w).member, -1);
	EXPECT_EQ(decide(&w).to, -1);
}

TEST(to_a_free_slice)
{
	struct tess_swap_decision d;
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 1000);
	add(&w, 0, 1000);
	d = decide(&w);
	EXPECT_EQ(d.reason, TESS_SWAP_CROWDED);
	EXPECT_EQ(d.to, 1);
	EXPECT_EQ(d.gain, 1000U);
}

/* Idle ones stay where they are and are no reason to move */
TEST(idle_neighbours)
{
	struct tess_swap_decision d;
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 0);
	add(&w, 0, 0);
	add(&w, 0, 950);
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_BALANCED);
	add(&w, 0, 900);
	d = decide(&w);
	EXPECT_EQ(d.reason, TESS_SWAP_CROWDED);
	EXPECT_GE(d.member, 2);
}

TEST(to_a_slice_with_time_left)
{
	struct tess_swap_decision d;
	struct world w;

	world_init(&w, 3);
	add(&w, 0, 1000);
	add(&w, 0, 800);
	add(&w, 1, 900);
	add(&w, 2, 300);
	d = decide(&w);
	EXPECT_EQ(d.reason, TESS_SWAP_CROWDED);
	EXPECT_EQ(d.to, 2);
	EXPECT_EQ(d.gain, 700U);
}

TEST(small_gain)
{
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 550);
	add(&w, 0, 549);
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_GAIN);
	w.members[1].demand = 550;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_CROWDED);
	EXPECT_EQ(decide(&w).gain, 100U);
}

TEST(patience_of_slices)
{
	struct tess_swap_decision d;
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 1000);
	add(&w, 0, 1000);
	EXPECT_EQ(period(&w, &d), false);
	EXPECT_EQ(d.reason, TESS_SWAP_HELD);
	w.members[0].demand = 0; /* crowded no more: it starts again */
	EXPECT_EQ(period(&w, &d), false);
	EXPECT_EQ(d.reason, TESS_SWAP_BALANCED);
	w.members[0].demand = 1000;
	EXPECT_EQ(period(&w, &d), false);
	EXPECT_EQ(period(&w, &d), true);
}

TEST(only_automatic_ones)
{
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 1000)->automatic = false;
	add(&w, 0, 1000)->automatic = false;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_BALANCED);
	w.members[1].automatic = true;
	EXPECT_EQ(decide(&w).member, 1);
}

TEST(where_it_can_be)
{
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 1000);
	add(&w, 0, 1000);

	w.slices[1].use = TESS_SWAP_OTHER;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_NOWHERE);
	w.slices[1].use = TESS_SWAP_ELASTIC;
	EXPECT_EQ(decide(&w).to, 1);

	w.slices[1].kind = R;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_NOWHERE);
	w.members[1].kind = TESS_KIND_NONE;
	EXPECT_EQ(decide(&w).member, 1);

	w.slices[1].engines = 1; /* lacks one that the vslice has now */
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_NOWHERE);
	w.slices[0].engines = 1; /* which did not have it either */
	EXPECT_EQ(decide(&w).to, 1);

	w.slices[1].room = 0;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_NOWHERE);
}

/* Their client expects the vslices of a vGPU to run at the same time */
TEST(one_owner)
{
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 1000);
	add(&w, 0, 1000)->automatic = false;
	add(&w, 1, 0)->owner = 0;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_NOWHERE);
	w.members[2].owner = 7;
	EXPECT_EQ(decide(&w).to, 1);
}

TEST(best_place)
{
	struct world w;

	world_init(&w, 4);
	add(&w, 0, 1000);
	add(&w, 0, 1000);
	add(&w, 2, 0);
	w.slices[1].use = TESS_SWAP_ELASTIC;
	EXPECT_EQ(decide(&w).to, 3); /* free */
	w.slices[3].use = TESS_SWAP_OTHER;
	EXPECT_EQ(decide(&w).to, 2); /* shared, with idle ones */
	w.slices[2].use = TESS_SWAP_OTHER;
	EXPECT_EQ(decide(&w).to, 1); /* the host's */
}

/* Of those with the same gain, the one that leaves the most room on both sides */
TEST(best_member)
{
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 500);
	add(&w, 0, 100);
	add(&w, 0, 900);
	EXPECT_EQ(decide(&w).member, 2); /* 600 and 900; the first leaves 1000 and 500 */
	w.members[0].demand = 900;
	w.members[1].demand = 300;
	w.members[2].demand = 500;
	EXPECT_EQ(decide(&w).member, 0); /* 800 and 900; the third leaves 200 unmet */
}

TEST(applied)
{
	struct tess_swap_decision d;
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 1000);
	add(&w, 0, 1000);
	add(&w, 0, 1000);
	add(&w, 0, 1000);
	w.slices[1].room = 1;
	d = decide(&w);
	tess_swap_apply(&w.pool, &d);
	EXPECT_EQ(w.slices[0].load, 3000U);
	EXPECT_EQ(w.slices[0].room, SHARERS - 3U);
	EXPECT_EQ(w.slices[1].load, 1000U);
	EXPECT_EQ(w.slices[1].use, TESS_SWAP_SHARED);
	EXPECT_EQ(w.members[d.member].slice, 1U);
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_NOWHERE); /* no room */
}

/* A slice with fewer cores has more to do with the same work */
TEST(fewer_cores)
{
	struct world w;

	world_init(&w, 2);
	add(&w, 0, 900);
	add(&w, 0, 300);
	w.slices[1].cores = 1;
	EXPECT_EQ(decide(&w).gain, 200U);
	add(&w, 1, 800)->automatic = false;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_GAIN);
	w.slices[1].cores = 4;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_CROWDED);
}

TEST(rebalance)
{
	struct tess_swap_decision d;
	struct world w;
	unsigned int i;

	world_init(&w, 2);
	for (i = 0; i < 8; i++)
		add(&w, i < 3, 1000); /* 5 and 3 */
	d = decide(&w);
	EXPECT_EQ(d.reason, TESS_SWAP_REBALANCE);
	EXPECT_EQ(d.to, 1);
	EXPECT_EQ(d.gain, 1000U);
	tess_swap_apply(&w.pool, &d);
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_GAIN); /* 4 and 4 */
	w.members[3].demand = 0;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_GAIN); /* 4 and 3 */
}

/* Another GPU is for what its own cannot do, and has to pay more */
TEST(other_gpu)
{
	struct world w;

	world_init(&w, 3);
	add(&w, 0, 1000);
	add(&w, 0, 250);
	w.slices[1].gpu = 1;
	w.slices[2].gpu = 1;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_NOWHERE);
	w.members[0].roams = true;
	w.members[1].roams = true;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_GAIN);
	w.members[1].demand = 400;
	EXPECT_EQ(decide(&w).reason, TESS_SWAP_CROWDED);
	w.slices[2].gpu = 0;
	w.members[1].demand = 250;
	EXPECT_EQ(decide(&w).to, 2);
}

TEST(hold_and_avoid)
{
	struct tess_swap_memory memory = { 0 };
	struct tess_swap_member m;

	tess_swap_recall(&memory, 1, &m);
	EXPECT_EQ(m.held, false);
	EXPECT_EQ(m.avoid[0], -1);
	tess_swap_remember(&memory, 5, 3);
	tess_swap_recall(&memory, 5, &m);
	EXPECT_EQ(m.held, true);
	tess_swap_recall(&memory, 5 + TESS_SWAP_HOLD - 1, &m);
	EXPECT_EQ(m.held, true);
	EXPECT_EQ(m.avoid[0], 3);
	tess_swap_recall(&memory, 5 + TESS_SWAP_HOLD, &m);
	EXPECT_EQ(m.held, false);
	EXPECT_EQ(m.avoid[0], 3);
	tess_swap_recall(&memory, 5 + TESS_SWAP_AVOID, &m);
	EXPECT_EQ(m.avoid[0], -1);

	tess_swap_remember(&memory, 20, 4);
	tess_swap_recall(&memory, 20 + 2 * TESS_SWAP_HOLD - 1, &m);
	EXPECT_EQ(m.held, true);
	EXPECT_EQ(m.avoid[0], 4);
	EXPECT_EQ(m.avoid[1], 3);
	tess_swap_recall(&memory, 20 + 2 * TESS_SWAP_HOLD, &m);
	EXPECT_EQ(m.held, false);
}

/* Any number of busy ones on one slice beside free ones: the first moves within 3 periods */
TEST(crowded_beside_free)
{
	unsigned int n, i, first, moves;
	struct tess_swap_decision d;
	struct world w;

	for (n = 2; n <= SHARERS; n++) {
		world_init(&w, n);
		for (i = 0; i < n; i++)
			add(&w, 0, 1000);
		first = moves = 0;
		for (i = 1; i <= 100; i++)
			if (period(&w, &d)) {
				first = first ?: i;
				moves++;
			}
		EXPECT_GE(first, 1U);
		EXPECT_LE(first, 3U);
		EXPECT_EQ(moves, n - 1);
		for (i = 0; i < n; i++)
			EXPECT_EQ(sharers(&w, i), 1U);
	}
}

/* ---- random pools ---- */

static void random_world(struct world *w)
{
	static const u32 kinds[] = { C, C, C, R, R, M };
	static const u32 cores[] = { [C] = 4, [R] = 2, [M] = 3 };
	unsigned int gpus = 1 + rand() % 2, i, n;

	world_init(w, 2 + rand() % (SLICES - 1));
	for (i = 0; i < w->pool.nr_slices; i++) {
		struct tess_swap_slice *s = &w->slices[i];

		s->gpu = i * gpus / w->pool.nr_slices;
		s->kind = kinds[rand() % 6];
		s->cores = rand() % 8 ? cores[s->kind] : 1 + (u32)rand() % 8;
		s->engines = rand() % 4 ? 3 : 7;
		s->use = rand() % 4;
	}
	n = rand() % (w->pool.nr_slices * 4);
	while (n--) {
		unsigned int at = rand() % w->pool.nr_slices;
		struct tess_swap_member *m;

		if (w->slices[at].use == TESS_SWAP_OTHER || !w->slices[at].room)
			continue;
		m = add(w, at, rand() % 3 ? rand() % 1001 : 1000);
		m->automatic = rand() % 5;
		m->roams = rand() % 2;
		m->kind = rand() % 4 ? w->slices[at].kind : TESS_KIND_NONE;
		m->engines = 7;
		m->owner = rand() % 3 ? m->owner : (unsigned int)rand() % 8;
	}
}

/* Is there a move left that would pay? By brute force, from the rules in the documentation */
static bool could_gain(const struct world *w)
{
	unsigned int i, to, j;

	for (i = 0; i < w->pool.nr_members; i++) {
		for (to = 0; to < w->pool.nr_slices; to++) {
			struct world after = *w;
			struct tess_swap_member *m = &after.members[i];
			const struct tess_swap_slice *s = &w->slices[m->slice];
			const struct tess_swap_slice *t = &w->slices[to];
			bool met = false;

			for (j = 0; j < w->pool.nr_members; j++)
				met |= w->members[j].slice == to && w->members[j].owner == m->owner;
			if (to == m->slice || met || !m->automatic || !t->room ||
			    t->use == TESS_SWAP_OTHER || (t->gpu != s->gpu && !m->roams) ||
			    (m->kind && t->kind != m->kind) ||
			    (m->engines & s->engines & ~t->engines))
				continue;
			after.pool.members = after.members;
			if (t->cores < s->cores)
				m->demand = m->demand * s->cores / t->cores > 1000 ?
						    1000 :
						    m->demand * s->cores / t->cores;
			m->slice = to;
			if (pool_unmet(&w->pool) >=
			    pool_unmet(&after.pool) + (t->gpu != s->gpu ? 300 : 100))
				return true;
		}
	}
	return false;
}

/*
 * With constant demands: no move raises the unmet demand, moving ends, and nobody who can
 * be helped is left behind.
 */
TEST_TIMEOUT(constant_demands, 240)
{
	unsigned int round, moves, last, settled = 0, i;
	struct tess_swap_decision d;
	struct world w;

	srand(11);
	for (round = 0; round < 3000; round++) {
		random_world(&w);
		moves = last = 0;
		for (i = 1; i <= 120; i++) {
			u64 before = pool_unmet(&w.pool), after;

			if (!period(&w, &d))
				continue;
			after = pool_unmet(&w.pool);
			ASSERT_LE(after, before);
			if (d.reason == TESS_SWAP_CROWDED)
				ASSERT_EQ(before - after, d.gain);
			ASSERT_EQ(w.memory[d.member].moved[0], i);
			last = i;
			moves++;
		}
		ASSERT_LE(moves, 3 * w.pool.nr_members);
		ASSERT_LE(last, 3 * w.pool.nr_members + 8 * TESS_SWAP_HOLD);
		settled += !could_gain(&w);
	}
	/* The rest waits for the time to be over in which it does not return */
	EXPECT_GE(settled, 2990U);
}

/* The same with demands that change and are measured badly; several moves a period */
TEST_TIMEOUT(changing_demands, 240)
{
	int left_at[MEMBERS][SLICES];
	unsigned int round, i, p, n;
	struct tess_swap_decision d;
	u32 base[MEMBERS];
	struct world w;

	srand(12);
	for (round = 0; round < 500; round++) {
		random_world(&w);
		memset(left_at, 0, sizeof(left_at));
		for (i = 0; i < w.pool.nr_members; i++)
			base[i] = w.members[i].demand;
		for (p = 1; p <= 300; p++) {
			for (i = 0; i < w.pool.nr_members; i++) {
				if (rand() % 20 == 0)
					base[i] = rand() % 2 ? 1000 : rand() % 1001;
				n = base[i] + rand() % 300;
				w.members[i].demand = n < 150 ? 0 : n > 1150 ? 1000 : n - 150;
			}
			for (n = 0; n < 2; n++) {
				unsigned int from, to;
				u64 before = pool_unmet(&w.pool);

				w.period = p - 1; /* two moves in the same period */
				if (!period(&w, &d))
					continue;
				ASSERT_LE(pool_unmet(&w.pool), before);
				from = w.memory[d.member].from[0];
				to = w.members[d.member].slice;
				ASSERT_EQ((int)to, d.to);
				left_at[d.member][from] = p;
				if (left_at[d.member][to])
					ASSERT_GE((int)p - left_at[d.member][to], 100);
			}
		}
	}
}

/* All work stops and starts again in the worst rhythm: the number of moves is bounded */
TEST(rhythms)
{
	unsigned int on, off, i, moves;
	struct tess_swap_decision d;
	struct world w;

	for (on = 1; on <= 12; on++) {
		for (off = 1; off <= 12; off++) {
			world_init(&w, 3);
			for (i = 0; i < 4; i++)
				add(&w, i % 2, 0);
			moves = 0;
			for (i = 0; i < 1000; i++) {
				unsigned int j;

				for (j = 0; j < 4; j++)
					w.members[j].demand = (i + j * 7) % (on + off) < on ? 1000 :
											      0;
				moves += period(&w, &d);
			}
			ASSERT_LE(moves, 4 * (1000U / TESS_SWAP_AVOID + 1) * TESS_SWAP_MOVES);
		}
	}
}

TEST_HARNESS_MAIN
