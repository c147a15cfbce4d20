// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams of vGPUs that were changed on the way (Documentation/migration.rst), with checksums that
 * are right most of the time: records that are missing, come twice, in another order, of another
 * size, and fields with numbers that matter. What is refused leaves a vGPU that a reset brings
 * back; what is accepted runs, is saved again, and works after a reset.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_fuzz.h"
#include "saved.h"

#define LOADS 40
#define RECORDS 64
/* Start of a record: its size, flags, tag, argument */
#define HEAD 24
#define TAG_TRAILER 9
#define ROOM (1 << 20)

/**
 * struct stream - records, as they can be arranged
 * @at: each of them, with its start
 * @len: bytes of it
 * @n: number of them
 */
struct stream {
	const uint8_t *at[RECORDS];
	size_t len[RECORDS];
	unsigned int n;
};

static uint64_t get(const uint8_t *from, unsigned int size)
{
	uint64_t v = 0;

	memcpy(&v, from, size);
	return v;
}

static void split(const struct saved *s, struct stream *st)
{
	size_t at = 0;

	for (st->n = 0; at + HEAD <= s->size && st->n < RECORDS; st->n++) {
		st->at[st->n] = s->buf + at;
		st->len[st->n] = HEAD + get(s->buf + at, 8);
		at += st->len[st->n];
	}
	HOLDS(at == s->size);
}

/* Leave some out, have some twice, exchange some */
static void arrange(struct episode *e, struct stream *st)
{
	unsigned int i = below(e, st->n), j = below(e, st->n), last = st->n - 1;
	const uint8_t *at = st->at[i];
	size_t len = st->len[i];

	switch (below(e, 6)) {
	case 0:
		st->at[i] = st->at[j];
		st->len[i] = st->len[j];
		st->at[j] = at;
		st->len[j] = len;
		break;
	case 1:
		memmove(st->at + i, st->at + i + 1, (last - i) * sizeof(*st->at));
		memmove(st->len + i, st->len + i + 1, (last - i) * sizeof(*st->len));
		st->n -= last > 0;
		break;
	case 2:
		if (st->n == RECORDS)
			break;
		st->at[st->n] = st->at[last];
		st->len[st->n] = st->len[last];
		st->at[last] = at;
		st->len[last] = len;
		st->n++;
		break;
	default:
		break;
	}
}

static size_t join(const struct stream *st, uint8_t *buf)
{
	size_t size = 0;
	unsigned int i;

	for (i = 0; i < st->n && size + st->len[i] <= ROOM; i++) {
		memcpy(buf + size, st->at[i], st->len[i]);
		size += st->len[i];
	}
	return size;
}

/* A number in place of another one, mostly in a start or near to it */
static void damage(struct episode *e, const struct stream *st, uint8_t *buf, size_t size)
{
	static const uint64_t numbers[] = { 0,	   1,	       2,	   3,	       4,
					    0x10,  0xfff,      0x1000,	   0x1001,     0x10000,
					    ~0ULL, 1ULL << 63, 1ULL << 31, 1ULL << 32, 0xffffffff };
	static const unsigned int sizes[] = { 1, 2, 4, 8 };
	unsigned int i, record = below(e, st->n), width = sizes[below(e, 4)];
	uint64_t number = numbers[below(e, sizeof(numbers) / sizeof(*numbers))];
	size_t at = 0;

	for (i = 0; i < record; i++)
		at += st->len[i];
	at += below(e, below(e, 3) ? HEAD : (uint32_t)st->len[record]);
	at -= at % width;
	if (at + width > size)
		return;
	if (below(e, 2))
		number = get(buf + at, width) ^ 1ULL << below(e, width * 8);
	memcpy(buf + at, &number, width);
}

static uint32_t crc32c(const uint8_t *buf, size_t size)
{
	uint32_t crc = ~0U;
	unsigned int bit;

	while (size--) {
		crc ^= *buf++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

/* As the trailer, if there is still one, should have it */
static void seal(const struct stream *st, uint8_t *buf, size_t size)
{
	uint32_t records = st->n, crc;
	uint8_t *trailer;

	if (size < HEAD + 16)
		return;
	trailer = buf + size - HEAD - 16;
	if (get(trailer + 12, 4) != TAG_TRAILER)
		return;
	crc = ~crc32c(buf, (size_t)(trailer - buf));
	memcpy(trailer + HEAD, &records, sizeof(records));
	memcpy(trailer + HEAD + 4, &crc, sizeof(crc));
}

/* What was accepted is a vGPU like any other */
static void use(struct episode *e, struct vgpu *v)
{
	struct saved again = {};
	uint32_t vslice = below(e, v->vslices);

	*(volatile uint64_t *)(v->doorbells + vslice * PAGE) = below(e, 64);
	if (!below(e, 4))
		mig_save(v, &again);
	free(again.buf);
}

static void load(struct episode *e, struct vgpu *v, const uint8_t *buf, size_t size)
{
	int file = -1, ret;

	ret = mig_load(v, buf, size, 1 + below(e, 3 * PAGE), &file);
	if (!ret)
		ret = mig_go(v, VFIO_DEVICE_STATE_RUNNING);
	if (file >= 0)
		close(file);
	if (!ret) {
		HOLDS(mig_state(v) == VFIO_DEVICE_STATE_RUNNING);
		++*e->reached;
		use(e, v);
	}
	HOLDS(!mig_reset(v));
	++*e->ops;
}

static void work(struct vgpu *v, uint32_t seed)
{
	struct ring r;

	ring_start(&r, v, 0);
	ring_fill(&r, DATA_GPA, PAGE, seed);
	ring_fill(&r, VRAM(0) + seed % 2 * PAGE, PAGE, seed);
	HOLDS(!ring_finish(&r));
	HOLDS(*(uint32_t *)ram_at(v, DATA_GPA) == seed);
}

static void mutate(struct episode *e, struct vgpu *v, const struct saved *s, uint8_t *buf)
{
	struct stream st;
	size_t size;

	split(s, &st);
	while (!below(e, 3))
		arrange(e, &st);
	size = join(&st, buf);
	while (below(e, 2))
		damage(e, &st, buf, size);
	if (below(e, 8))
		seal(&st, buf, size);
	if (!below(e, 16))
		size = below(e, (uint32_t)size + 1);
	load(e, v, buf, size);
}

void fuzz_saved(struct episode *e)
{
	uint8_t *buf = malloc(ROOM);
	struct saved s = {};
	struct vgpu v;
	unsigned int i;

	HOLDS(buf);
	HOLDS(!mdev_attr_write(e->uuid, "blueprint",
			       below(e, 2) ? "slices=1 max=2 kind=compute memory=2M" :
					     "slices=1 kind=render memory=2M heads=1"));
	HOLDS(!vgpu_open(&v, e->uuid));
	work(&v, 77);
	HOLDS(!mig_save(&v, &s));
	for (i = 0; i < LOADS; i++)
		mutate(e, &v, &s, buf);
	/* And nothing of all that is left in it */
	work(&v, 78);
	vgpu_close(&v);
	free(s.buf);
	free(buf);
}
