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
	s->pending &= (uint16_t)isa_lanes_at(w, w->pc[__builtin_ctz(s->pending)]);
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

/*
 * Program counters of @lanes as signed numbers, which is what AVX2 compares: with the sign turned
 * over, and all ones, which is no pc of an instruction, for other lanes.
 */
#ifdef __AVX2__
#define NONE LLONG_MAX

ISA_INLINE void signed_pcs(const struct isa_wave *w, uint32_t lanes, __m256i *pc)
{
	const __m256i sign = _mm256_set1_epi64x(LLONG_MIN);
	const __m256i none = _mm256_set1_epi64x(NONE);
	__m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
	__m256i set = _mm256_set1_epi64x(lanes);

	for (unsigned int n = 0; n < ISA_VECTORS; n++) {
		__m256i in = _mm256_cmpeq_epi64(_mm256_and_si256(set, bit), bit);

		pc[n] = _mm256_blendv_epi8(none, _mm256_xor_si256(isa_pc_vector(w, n), sign), in);
		bit = _mm256_slli_epi64(bit, ISA_VECTOR_LANES);
	}
}

ISA_INLINE __m256i lower(__m256i a, __m256i b)
{
	return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}

/* Lowest of all, in each lane of a vector */
ISA_INLINE __m256i lowest(const __m256i *pc)
{
	__m256i low = lower(lower(pc[0], pc[1]), lower(pc[2], pc[3]));

	low = lower(low, _mm256_permute4x64_epi64(low, 0x4e));
	return lower(low, _mm256_shuffle_epi32(low, 0x4e));
}

ISA_INLINE uint64_t unsigned_pc(__m256i pc)
{
	return (uint64_t)_mm_cvtsi128_si64(_mm256_castsi256_si128(pc)) ^ 1ull << 63;
}

/* Lowest pc of @lanes; all ones without any. */
static uint64_t lowest_pc(const struct isa_wave *w, uint32_t lanes)
{
	__m256i pc[ISA_VECTORS];

	signed_pcs(w, lanes, pc);
	return unsigned_pc(lowest(pc));
}

/* Lowest pc of @lanes above @pc; all ones without any. */
static uint64_t next_pc(const struct isa_wave *w, uint32_t lanes, uint64_t pc)
{
	const __m256i none = _mm256_set1_epi64x(NONE);
	const __m256i at = _mm256_set1_epi64x((long long)(pc ^ 1ull << 63));
	__m256i all[ISA_VECTORS];

	signed_pcs(w, lanes, all);
	for (unsigned int n = 0; n < ISA_VECTORS; n++)
		all[n] = _mm256_blendv_epi8(none, all[n], _mm256_cmpgt_epi64(all[n], at));
	return unsigned_pc(lowest(all));
}

/* Those of @lanes that have the lowest pc, and the next one above it. Not all have the same. */
ISA_INLINE void lowest_set(const struct isa_wave *w, uint32_t lanes, struct isa_set *set)
{
	const __m256i none = _mm256_set1_epi64x(NONE);
	__m256i pc[ISA_VECTORS], low;

	signed_pcs(w, lanes, pc);
	low = lowest(pc);
	set->pc = unsigned_pc(low);
	set->mask = 0;
	for (unsigned int n = 0; n < ISA_VECTORS; n++) {
		__m256i same = _mm256_cmpeq_epi64(pc[n], low);

		set->mask |= (uint32_t)_mm256_movemask_pd((__m256d)same) << ISA_VECTOR_LANES * n;
		pc[n] = _mm256_blendv_epi8(pc[n], none, same);
	}
	set->limit = unsigned_pc(lowest(pc));
}
#else
static uint64_t lowest_pc(const struct isa_wave *w, uint32_t lanes)
{
	uint64_t pc = ~0ull;

	ISA_FOR_MASK(l, lanes)
		if (w->pc[l] < pc)
			pc = w->pc[l];
	return pc;
}

static uint64_t next_pc(const struct isa_wave *w, uint32_t lanes, uint64_t pc)
{
	uint64_t next = ~0ull;

	ISA_FOR_MASK(l, lanes)
		if (w->pc[l] > pc && w->pc[l] < next)
			next = w->pc[l];
	return next;
}

static void lowest_set(const struct isa_wave *w, uint32_t lanes, struct isa_set *set)
{
	set->pc = lowest_pc(w, lanes);
	set->mask = isa_lanes_at(w, set->pc) & lanes;
	set->limit = lowest_pc(w, lanes & ~set->mask);
}
#endif

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
	set->mask = isa_lanes_at(w, set->pc) & w->running;
	if (likely(set->mask == w->running))
		return;
	set->alone = !(*leader & LEADER_ACTIVE);
	if (likely(set->alone)) {
		lowest_set(w, w->running, set);
		return;
	}
	set->pc = w->pc[*leader % ISA_LANES];
	set->mask = isa_lanes_at(w, set->pc) & w->running;
	others = w->running & ~set->mask;
	set->limit = next_pc(w, others, set->pc);
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
