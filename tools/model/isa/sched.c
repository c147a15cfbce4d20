// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: order of execution
 *
 * Harts run 16 at a time, in lockstep while they agree. What runs next depends
 * on the registers and on struct isa_sched only, and changes only at points of
 * the program (an instruction that all lanes of a set have executed, a control
 * transfer that ends a turn), never at points of a run. So cutting a run into
 * budgets changes nothing.
 *
 * - Waves take turns of ISA_QUANTUM instructions.
 * - In a diverged wave the lanes with the lowest pc go first: those ahead
 *   wait where the paths meet again. That alone could starve a lane for which
 *   the others wait in a loop. So when a turn ends in divergence, one lane
 *   from another set leads the wave's next turn, and every lane's chance comes.
 */
#include <limits.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "sched.h"

#define LEADER_ACTIVE 0x80u

static struct isa_wave *cur_wave(struct isa_group *g)
{
	return &g->waves[g->sched.wave];
}

void isa_sched_check(struct isa_group *g)
{
	struct isa_sched *s = &g->sched;
	struct isa_wave *w;
	uint32_t keep = 0;
	uint64_t pc;

	if (s->wave >= g->nr_waves) {
		s->wave = 0;
		s->pending = 0;
	}
	if (s->quantum < 0)
		s->quantum = 0;
	if (s->quantum > ISA_QUANTUM)
		s->quantum = ISA_QUANTUM;
	w = cur_wave(g);
	s->pending &= w->running;
	if (!s->pending)
		return;
	pc = w->pc[__builtin_ctz(s->pending)];
	ISA_FOR_MASK(l, s->pending)
		keep |= (uint32_t)(w->pc[l] == pc) << l;
	s->pending = (uint16_t)keep;
}

static void next_wave(struct isa_group *g)
{
	unsigned int n, wave = g->sched.wave;

	for (n = 0; n < g->nr_waves; n++) {
		wave = wave + 1 == g->nr_waves ? 0 : wave + 1;
		if (g->waves[wave].running)
			break;
	}
	g->sched.wave = (uint16_t)wave;
	g->sched.quantum = ISA_QUANTUM;
}

static bool open_barrier(struct isa_group *g)
{
	bool any = false;
	unsigned int n;

	for (n = 0; n < g->nr_waves; n++) {
		struct isa_wave *w = &g->waves[n];

		any |= !!w->barrier;
		w->running |= w->barrier;
		w->barrier = 0;
	}
	return any;
}

bool isa_sched_wave(struct isa_group *g)
{
	if (cur_wave(g)->running)
		return true;
	next_wave(g);
	if (cur_wave(g)->running)
		return true;
	if (!open_barrier(g))
		return false;
	g->sched.wave = 0;
	if (!cur_wave(g)->running)
		next_wave(g);
	return true;
}

#ifdef __AVX2__
#define VECTOR_LANES 4
#define VECTORS (ISA_LANES / VECTOR_LANES)

ISA_INLINE __m256i pc_vector(const struct isa_wave *w, unsigned int n)
{
	return _mm256_loadu_si256((const __m256i *)(w->pc + VECTOR_LANES * n));
}

/* Lanes of the wave that are at @pc, running or not */
static uint32_t lanes_at(const struct isa_wave *w, uint64_t pc)
{
	__m256i at = _mm256_set1_epi64x((long long)pc);
	uint32_t lanes = 0;

	for (unsigned int n = 0; n < VECTORS; n++) {
		__m256i same = _mm256_cmpeq_epi64(pc_vector(w, n), at);

		lanes |= (uint32_t)_mm256_movemask_pd((__m256d)same) << VECTOR_LANES * n;
	}
	return lanes;
}

/* Lowest pc of @lanes; all ones without any. AVX2 compares signed numbers. */
static uint64_t lowest_pc(const struct isa_wave *w, uint32_t lanes)
{
	const __m256i sign = _mm256_set1_epi64x(LLONG_MIN);
	const __m256i none = _mm256_set1_epi64x(LLONG_MAX);
	__m256i bit = _mm256_setr_epi64x(1, 2, 4, 8), low = none;
	__m256i set = _mm256_set1_epi64x(lanes);
	__m128i half;
	long long a, b;

	for (unsigned int n = 0; n < VECTORS; n++) {
		__m256i in = _mm256_cmpeq_epi64(_mm256_and_si256(set, bit), bit);
		__m256i pc = _mm256_xor_si256(pc_vector(w, n), sign);

		pc = _mm256_blendv_epi8(none, pc, in);
		low = _mm256_blendv_epi8(low, pc, _mm256_cmpgt_epi64(low, pc));
		bit = _mm256_slli_epi64(bit, VECTOR_LANES);
	}
	half = _mm256_extracti128_si256(low, 1);
	half = _mm_blendv_epi8(_mm256_castsi256_si128(low), half,
			       _mm_cmpgt_epi64(_mm256_castsi256_si128(low), half));
	a = _mm_cvtsi128_si64(half);
	b = _mm_extract_epi64(half, 1);
	return (uint64_t)(a < b ? a : b) ^ 1ull << 63;
}
#else
static uint32_t lanes_at(const struct isa_wave *w, uint64_t pc)
{
	uint32_t lanes = 0;

	for (unsigned int l = 0; l < ISA_LANES; l++)
		lanes |= (uint32_t)(w->pc[l] == pc) << l;
	return lanes;
}

static uint64_t lowest_pc(const struct isa_wave *w, uint32_t lanes)
{
	uint64_t pc = ~0ull;

	ISA_FOR_MASK(l, lanes)
		if (w->pc[l] < pc)
			pc = w->pc[l];
	return pc;
}
#endif

static uint32_t lanes_above(const struct isa_wave *w, uint64_t pc, uint32_t lanes)
{
	uint32_t above = 0;

	ISA_FOR_MASK(l, lanes)
		above |= (uint32_t)(w->pc[l] > pc) << l;
	return above;
}

void isa_sched_set(struct isa_group *g, struct isa_set *set)
{
	struct isa_wave *w = cur_wave(g);
	uint8_t *leader = &g->sched.leader[g->sched.wave];
	uint32_t others;

	set->limit = ~0ull;
	set->once = !!g->sched.pending;
	if (unlikely(set->once)) {
		set->mask = g->sched.pending;
		set->pc = w->pc[__builtin_ctz(set->mask)];
		set->alone = false;
		return;
	}
	if (!(w->running >> (*leader % ISA_LANES) & 1))
		*leader &= (uint8_t)~LEADER_ACTIVE;
	set->alone = true;
	set->pc = w->pc[__builtin_ctz(w->running)];
	set->mask = lanes_at(w, set->pc) & w->running;
	if (likely(set->mask == w->running))
		return;
	set->alone = !(*leader & LEADER_ACTIVE);
	set->pc = set->alone ? lowest_pc(w, w->running) : w->pc[*leader % ISA_LANES];
	set->mask = lanes_at(w, set->pc) & w->running;
	others = w->running & ~set->mask;
	set->limit = lowest_pc(w, set->alone ? others : lanes_above(w, set->pc, others));
}

/* Next lane in turn to lead that the lowest-pc rule would not have chosen. */
static void choose_leader(struct isa_group *g)
{
	struct isa_wave *w = cur_wave(g);
	uint8_t *leader = &g->sched.leader[g->sched.wave];
	uint64_t low = lowest_pc(w, w->running);
	unsigned int n, lane;

	if (*leader & LEADER_ACTIVE) {
		*leader &= (uint8_t)~LEADER_ACTIVE;
		return;
	}
	for (n = 1; n <= ISA_LANES; n++) {
		lane = (*leader + n) % ISA_LANES;
		if ((w->running >> lane & 1) && w->pc[lane] != low) {
			*leader = (uint8_t)(lane | LEADER_ACTIVE);
			return;
		}
	}
}

void isa_sched_rotate(struct isa_group *g)
{
	if (cur_wave(g)->running)
		choose_leader(g);
	next_wave(g);
}
