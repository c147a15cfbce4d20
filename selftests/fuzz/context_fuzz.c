// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Context images
 *
 * An image is restored on a slice. If it is refused, the slice still has the context that it
 * had. If it is accepted, saving it at once gives the same image, bit by bit, and letting it
 * run does no harm. The mutator changes sections, and sets sizes, numbers and the checksum
 * right afterwards, most of the time; so most images fail for what they say.
 */
#include <string.h>

#include "context.h"
#include "ctx_job.h"
#include "ctx_rig.h"
#include "fuzz.h"
#include "rig.h"

#define SLICE 1u
#define STEPS 12
#define IMAGE_MAX 0x8000u

static struct rig *rig;
static uint8_t own[TESS_CTX_IDLE_SIZE];

/* The header may say less than there is, or more: what lies behind is the buffer's zeros */
static void put_image(struct rig *r, const uint8_t *data, size_t size)
{
	uint8_t *image = ctx_image(r);

	memset(image, 0, IMAGE_MAX);
	memcpy(image, data, size);
}

/* What RESTORE and SAVE are allowed to change */
static void neutral(void *image, uint64_t switches)
{
	struct tess_ctx_header *h = image;
	struct tess_ctx_counters *c =
		(void *)((uint8_t *)image + sizeof(*h) + sizeof(struct tess_ctx_client));

	h->kind = 0;
	h->time = 0;
	h->checksum = 0;
	c->counter[TESS_COUNTER_SWITCHES / 8] -= switches;
}

/* The slice has the context of its own that it had before */
static void check_unchanged(struct rig *r)
{
	static uint8_t now[TESS_CTX_IDLE_SIZE];

	FUZZ_CHECK(ctx_op(r, SLICE, TESS_CTX_SAVE) == TESS_CTX_DONE);
	FUZZ_CHECK(hreg64(r, SLICE, TESS_HREG_CTX_USED) == sizeof(now));
	memcpy(now, ctx_image(r), sizeof(now));
	neutral(now, 0);
	FUZZ_CHECK(!memcmp(now, own, sizeof(now)), "refused, but the slice has changed");
}

static void check_same(struct rig *r, size_t size)
{
	static uint8_t before[IMAGE_MAX];
	uint64_t used = hreg64(r, SLICE, TESS_HREG_CTX_USED);

	FUZZ_CHECK(used <= size, "%llu bytes of %zu", (unsigned long long)used, size);
	memcpy(before, ctx_image(r), used);
	FUZZ_CHECK(ctx_op(r, SLICE, TESS_CTX_SAVE) == TESS_CTX_DONE);
	FUZZ_CHECK(hreg64(r, SLICE, TESS_HREG_CTX_USED) == used);
	neutral(before, 0);
	neutral(ctx_image(r), 1);
	for (uint64_t i = 0; i < used; i++)
		FUZZ_CHECK(((uint8_t *)ctx_image(r))[i] == before[i], "byte %#llx",
			   (unsigned long long)i);
}

static void set_up(void)
{
	uint64_t root;

	rig = rig_new();
	root = rig_table(rig, 1);
	/* What images of the corpus mean by their root: all of the memory at its address */
	for (uint64_t off = 0; off < RIG_SYS_SIZE; off += 2ULL << 20)
		rig_map(rig, root, RIG_SYS + off, RIG_SYS + off, PTE_ALL, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int status;

	if (size > IMAGE_MAX)
		return 0;
	if (!rig)
		set_up();
	hreg_write(rig, SLICE, TESS_HREG_RESET, 1);
	rig_ring(rig, SLICE);
	ctx_halt(rig, SLICE);
	ctx_op(rig, SLICE, TESS_CTX_SAVE);
	memcpy(own, ctx_image(rig), sizeof(own));
	neutral(own, 0);
	put_image(rig, data, size);
	status = ctx_op(rig, SLICE, TESS_CTX_RESTORE);
	if (status != TESS_CTX_DONE) {
		FUZZ_CHECK(status >= TESS_CTX_ERR_UNSUPPORTED && status <= TESS_CTX_ERR_ENGINE);
		check_unchanged(rig);
		return 0;
	}
	check_same(rig, size);
	ctx_go(rig, SLICE);
	for (unsigned int i = 0; i < STEPS; i++) {
		gpu_step(rig->gpu, GPU_STEP_CYCLES);
		if (i % 4 == 3)
			hreg_write(rig, SLICE, TESS_HREG_HFAULT_ACK, TESS_HFAULT_ACK_RESUME);
	}
	return 0;
}

/* ---- mutator: the form of an image is kept, its content changes ---- */

#define SECTIONS_MAX 16

struct shape {
	uint8_t *image;
	size_t size, max;
	size_t at[SECTIONS_MAX + 1];
	unsigned int nr;
};

/* Where the sections are, as far as they make sense */
static void find_sections(struct shape *s)
{
	size_t at = sizeof(struct tess_ctx_header);

	for (s->nr = 0; s->nr < SECTIONS_MAX; s->nr++) {
		const struct tess_ctx_section *sec = (const void *)(s->image + at);

		s->at[s->nr] = at;
		if (at + sizeof(*sec) > s->size || sec->size < sizeof(*sec) || sec->size % 8 ||
		    sec->size > s->size - at)
			return;
		at += sec->size;
	}
	s->at[s->nr] = at;
}

static void put_field(struct shape *s, size_t at, size_t end, uint64_t *state)
{
	static const uint64_t near[] = { RIG_SYS,     RIG_TABLES,  RIG_DATA,	      TESS_PA_VRAM,
					 TESS_PA_END, TESS_VA_END, TESS_CTX_TIME_END, 8,
					 64,	      256 };
	uint64_t val = fuzz_value(state, near, sizeof(near) / sizeof(near[0]));
	size_t width = 1U << fuzz_below(state, 4);

	at += fuzz_below(state, (uint32_t)(end - at)) & ~(width - 1);
	if (at + width <= end)
		memcpy(s->image + at, &val, width);
}

static void change_section(struct shape *s, uint64_t *state)
{
	unsigned int i = fuzz_below(state, s->nr);
	size_t at = s->at[i], end = s->at[i + 1];

	/* The start of a section mostly stays */
	if (fuzz_below(state, 16))
		at += sizeof(struct tess_ctx_section);
	if (at >= end)
		return;
	if (fuzz_below(state, 2))
		put_field(s, at, end, state);
	else
		LLVMFuzzerMutate(s->image + at, end - at, end - at);
}

static void repeat_section(struct shape *s, uint64_t *state)
{
	unsigned int i = fuzz_below(state, s->nr);
	size_t len = s->at[i + 1] - s->at[i];

	if (s->size + len > s->max)
		return;
	memmove(s->image + s->at[i + 1] + len, s->image + s->at[i + 1], s->size - s->at[i + 1]);
	memcpy(s->image + s->at[i + 1], s->image + s->at[i], len);
	s->size += len;
}

static void remove_section(struct shape *s, uint64_t *state)
{
	unsigned int i = fuzz_below(state, s->nr);

	memmove(s->image + s->at[i], s->image + s->at[i + 1], s->size - s->at[i + 1]);
	s->size -= s->at[i + 1] - s->at[i];
}

/* Size, number of sections and checksum as they have to be */
static void sign(struct shape *s)
{
	struct tess_ctx_header *h = (void *)s->image;

	find_sections(s);
	h->magic = TESS_CTX_MAGIC;
	h->version = TESS_CTX_VERSION;
	h->header_size = sizeof(*h);
	h->size = s->size;
	h->sections = s->nr;
	h->checksum = context_checksum(s->image, s->size);
}

/* An image to begin with: a random job that was stopped anywhere, or faulted */
static size_t make_image(uint8_t *data, size_t max, uint64_t *state)
{
	struct job j = {
		.items = 3 + fuzz_below(state, 12),
		.group = (uint16_t)(1 + fuzz_below(state, 5)),
		.inner = 2,
		.indirect = fuzz_below(state, 2),
	};
	struct rig *r = rig_new();
	uint64_t used;

	if (fuzz_below(state, 8)) {
		program_seed(1 + fuzz_random(state));
		job_random(&j);
		if (fuzz_below(state, 4))
			rig_stage2(r, 0);
		job_start(r, &j, 0);
		for (unsigned int i = fuzz_below(state, 40); i; i--)
			gpu_step(r->gpu, 1 + fuzz_below(state, GPU_STEP_CYCLES));
	}
	ctx_halt(r, 0);
	ctx_op(r, 0, TESS_CTX_SAVE);
	used = hreg64(r, 0, TESS_HREG_CTX_USED);
	if (used <= max)
		memcpy(data, ctx_image(r), used);
	rig_free(r);
	return used <= max ? used : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint64_t state = seed * 2ULL + 1;
	struct shape s = { .image = data, .size = size, .max = max_size };

	fuzz_random(&state);
	if (max_size >= TESS_CTX_IDLE_SIZE &&
	    (size < TESS_CTX_IDLE_SIZE || !fuzz_below(&state, 64)))
		return make_image(data, max_size, &state);
	find_sections(&s);
	if (!s.nr)
		return LLVMFuzzerMutate(data, size, max_size);
	switch (fuzz_below(&state, 12)) {
	case 0:
		repeat_section(&s, &state);
		break;
	case 1:
		remove_section(&s, &state);
		break;
	default:
		change_section(&s, &state);
	}
	if (fuzz_below(&state, 20) && s.size >= sizeof(struct tess_ctx_header))
		sign(&s);
	return s.size;
}
