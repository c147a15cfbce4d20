// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Automatic vGPUs: who starves gets more slices, who idles has fewer in the end, within what
 * the blueprint allows; no job is lost or done twice by it. With the policy "manual" nothing
 * happens. Who draws gets render slices, and who computes there mixed ones, if any will do.
 */
#include <string.h>

#include "harness.h"
#include "load.h"
#include "tessera_units.h"

#define PERIOD_FILE "/sys/module/tessera/parameters/adapt_period_ms"
#define VSLICES 4
#define JOB_US 20000
#define DEPTH 8
#define LIMIT_MS 30000
#define LOOKS 10

FIXTURE(adapt)
{
	struct client c[VSLICES];
	struct load l[VSLICES];
	char uuid[37];
	bool open;
};

FIXTURE_SETUP(adapt)
{
	unsigned int i;

	fresh_start();
	ASSERT_EQ(0, file_write(PERIOD_FILE, "100"));
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint",
				     "slices=1 min=1 max=4 kind=compute memory=16M topology=mesh"));
	ASSERT_EQ(0, client_open_uuid(&self->c[0], self->uuid));
	self->open = true;
	for (i = 1; i < VSLICES; i++)
		client_sibling(&self->c[i], &self->c[0], i);
	for (i = 0; i < VSLICES; i++) {
		load_init(&self->l[i], &self->c[i], JOB_US, DEPTH);
		ASSERT_EQ(0, client_warm(&self->c[i]));
	}
}

FIXTURE_TEARDOWN(adapt)
{
	if (self->open)
		client_close(&self->c[0]);
	file_write(PERIOD_FILE, "500");
}

/* Work on @busy vslices until @given slices are given: ms that it took, -1: too long */
static long given_after(struct __fixture_adapt *self, unsigned int busy, long long given)
{
	long start = now_ms();

	while (now_ms() - start < LIMIT_MS) {
		if (client_value(&self->c[0], "given") == given)
			return now_ms() - start;
		if (!busy)
			sleep_ms(50);
		else if (load_settle(self->l, busy, 50))
			return -1;
	}
	return -1;
}

TEST_F_TIMEOUT(adapt, follows_the_load, 200)
{
	long long generation;
	long grown, full, idle;

	generation = client_value(&self->c[0], "generation");
	/* A vGPU that is not automatic is not changed */
	ASSERT_EQ(0, load_settle(self->l, 1, 3000));
	EXPECT_EQ(1, client_value(&self->c[0], "given"));
	EXPECT_EQ(generation, client_value(&self->c[0], "generation"));

	ASSERT_EQ(0, client_set(&self->c[0], "policy", "auto"));
	grown = given_after(self, 1, 2);
	EXPECT_LE(0, grown);
	/* One busy vslice has what it can use */
	ASSERT_EQ(0, load_settle(self->l, 1, 3000));
	EXPECT_EQ(2, client_value(&self->c[0], "given"));
	full = given_after(self, VSLICES, 4);
	EXPECT_LE(0, full);
	ASSERT_EQ(0, load_finish(self->l, VSLICES));
	idle = given_after(self, 0, 1);
	EXPECT_LE(0, idle);
	/* They can be used all the same */
	EXPECT_EQ(0, load_settle(self->l, VSLICES, 100));
	EXPECT_EQ(0, load_finish(self->l, VSLICES));
	printf("# 2 slices after %ld ms, 4 after %ld, 1 after %ld; %lld compositions\n", grown,
	       full, idle, client_value(&self->c[0], "generation") - generation);
}

/* Turns so short that the switches take a good part of the time: who waits for them is busy */
TEST_F_TIMEOUT(adapt, short_turns, 200)
{
	unsigned int permille, sum = 0;
	int i;

	for (i = 0; i < slice_count(&self->c[0]); i++)
		ASSERT_EQ(0, slice_set(&self->c[0], i, "quantum_us", "100"));
	ASSERT_EQ(0, load_settle(self->l, VSLICES, 2000));
	for (i = 0; i < LOOKS; i++) {
		ASSERT_EQ(0, load_settle(self->l, VSLICES, 100));
		ASSERT_EQ(1, sscanf(mdev_attr(self->uuid, "profile"), "utilization=%u", &permille));
		sum += permille;
	}
	EXPECT_LE(950, sum / LOOKS);
	EXPECT_EQ(0, load_finish(self->l, VSLICES));
	printf("# busy for %u permille\n", sum / LOOKS);
}

/* ---- what a client says of its work ---- */

#define PICTURE_OPS 2000000ull

static bool told(const char *uuid, unsigned int *fps, unsigned int *ops)
{
	const char *words = strstr(mdev_attr(uuid, "profile"), " fps=");

	return words && sscanf(words, " fps=%u ops=%u", fps, ops) == 2;
}

TEST_F_TIMEOUT(adapt, hints, 200)
{
	volatile struct tess_completion_record *rec = self->c[0].r.rec;
	unsigned int fps, ops, i;

	/* Averages begin when they are first read */
	ASSERT_TRUE(told(self->uuid, &fps, &ops));
	EXPECT_EQ(0, fps);
	EXPECT_EQ(0, ops);
	for (i = 0; i < LOOKS; i++) {
		ASSERT_EQ(0, load_settle(self->l, 1, 100));
		rec->frames += 5;
		rec->operations += 5 * PICTURE_OPS;
	}
	ASSERT_TRUE(told(self->uuid, &fps, &ops));
	/* In 100 ms or more */
	EXPECT_LE(1000, fps);
	EXPECT_LE(fps, 60000);
	EXPECT_LE(PICTURE_OPS / 1000 - 10, ops);
	EXPECT_LE(ops, PICTURE_OPS / 1000 + 10);
	printf("# %u pictures in 1000 s, %u thousand operations each\n", fps, ops);
	/* Any number is only a number */
	srand(7);
	for (i = 0; i < 10 * LOOKS; i++) {
		rec->frames = (uint64_t)rand() << rand() % 34;
		rec->operations = (uint64_t)rand() << rand() % 34;
		ASSERT_EQ(0, load_settle(self->l, 1, 5));
		ASSERT_TRUE(told(self->uuid, &fps, &ops));
	}
	EXPECT_EQ(0, load_finish(self->l, VSLICES));
}

/* ---- kind ---- */

#define DRAW_GROUPS 8u
#define DRAW_ITEMS 16u
#define SIDE 4u

/*
 * As TESS_K_DELAY, but samples the texture of the third kernarg word eight times in a step, where there
 * is a unit
 */
static const uint32_t draw_code[] = {
	0x00053583, /* ld	a1, 0(a0) */
	0x00853683, /* ld	a3, 8(a0) */
	0x01053703, /* ld	a4, 16(a0) */
	0xcd2027f3, /* csrr	a5, priv_bytes */
	0x0207d793, /* srli	a5, a5, 32 */
	0x02078263, /* beqz	a5, .+36 */
	0x0087002b, /* tess.tex	f0, (a4), f8 */
	0x0087002b, /* likewise */
	0x0087002b, /* likewise */
	0x0087002b, /* likewise */
	0x0087002b, /* likewise */
	0x0087002b, /* likewise */
	0x0087002b, /* likewise */
	0x0087002b, /* likewise */
	0xfff68693, /* addi	a3, a3, -1 */
	0xfc069ce3, /* bnez	a3, .-40 */
	0x00100613, /* li	a2, 1 */
	0x00c5b02f, /* amoadd.d	zero, a2, (a1) */
	0x00008067, /* ret */
};

FIXTURE(kind)
{
	struct client c;
	struct load draws;
	struct load computes;
	bool open;
};

static void put_draw(const struct load *l)
{
	struct client *c = l->c;
	uint64_t args[3] = { VA(SUM_GPA(c->r.vslice)), l->size, VA(WORK_GPA) };
	struct tess_pkt_dispatch pkt = {
		.header = DRM_TESSERA_PKT_DISPATCH | DRM_TESSERA_PKT_ACQUIRE_SYSTEM,
		.setup = 1 | DRM_TESSERA_SETUP_TEX,
		.wg_size = { DRAW_ITEMS, 1, 1 },
		.grid_size = { DRAW_GROUPS * DRAW_ITEMS, 1, 1 },
		.kernel_object = VA(CODE_FREE_GPA),
	};

	client_dispatch_packet(c, &pkt, args, sizeof(args));
	c->items += DRAW_GROUPS * DRAW_ITEMS;
}

static void make_texture(struct client *c)
{
	struct tess_texture texture = {
		.address = VA(WORK_GPA) + sizeof(texture),
		.format = TESS_TEX_RGBA8,
		.filter = TESS_TEX_LINEAR,
		.width = SIDE,
		.height = SIDE,
		.levels = 1,
		.pitch = SIDE * 4,
	};

	memcpy(ram_at(&c->v, WORK_GPA), &texture, sizeof(texture));
	memcpy(ram_at(&c->v, CODE_FREE_GPA), draw_code, sizeof(draw_code));
}

/* On a slice of the kind, where it stays as any kind will do: 0 or a negative errno */
static int kind_open(struct __fixture_kind *self, const char *kind, const char *share)
{
	char uuid[37], text[96];
	int ret;

	snprintf(text, sizeof(text), "slices=1 kind=%s memory=16M share=%s", kind, share);
	ret = mdev_create("blank", uuid);
	if (!ret)
		ret = mdev_attr_write(uuid, "blueprint", text);
	if (!ret)
		ret = client_open_uuid(&self->c, uuid);
	self->open = !ret;
	if (!ret)
		ret = mdev_attr_write(uuid, "blueprint", "kind=any");
	if (ret)
		return ret;
	make_texture(&self->c);
	load_init(&self->computes, &self->c, JOB_US, DEPTH);
	load_init(&self->draws, &self->c, JOB_US, DEPTH);
	self->draws.put = put_draw;
	/* A step is eight samples of one cycle of the unit of a mixed slice */
	self->draws.size = (uint64_t)JOB_US * reg32(&self->c.v, TESS_REG_CLOCK_KHZ) / 1000 /
			   (8 * DRAW_GROUPS * DRAW_ITEMS);
	return client_warm(&self->c);
}

FIXTURE_SETUP(kind)
{
	fresh_start();
	ASSERT_EQ(0, file_write(PERIOD_FILE, "100"));
	ASSERT_EQ(0, kind_open(self, "mixed", "exclusive"));
}

FIXTURE_TEARDOWN(kind)
{
	if (self->open)
		client_close(&self->c);
	file_write(PERIOD_FILE, "500");
}

static bool is_on(const struct client *c, const char *kind)
{
	char buf[32] = "";

	slice_string(c, client_slice(c), "kind", buf, sizeof(buf));
	return !strncmp(buf, kind, strlen(kind));
}

/* Work until it is on slices of that kind: ms that it took, -1: too long */
static long on_after(struct load *l, const char *kind)
{
	long start = now_ms();

	while (now_ms() - start < LIMIT_MS) {
		if (is_on(l->c, kind))
			return now_ms() - start;
		if (load_settle(l, 1, 50))
			return -1;
	}
	return -1;
}

static void follows_the_work(struct __test_metadata *_metadata, struct __fixture_kind *self)
{
	long long generation = client_value(&self->c, "generation");
	long there, back;

	/* A vGPU that is not automatic is not changed; averages begin when they are first read */
	mdev_attr(self->c.v.uuid, "profile");
	ASSERT_EQ(0, load_settle(&self->draws, 1, 2000));
	EXPECT_TRUE(is_on(&self->c, "mixed"));
	printf("# drawing on mixed: %s\n", mdev_attr(self->c.v.uuid, "profile"));

	ASSERT_EQ(0, client_set(&self->c, "policy", "auto"));
	there = on_after(&self->draws, "render");
	ASSERT_LE(0, there);
	EXPECT_TRUE(strstr(mdev_attr(self->c.v.uuid, "blueprint"), "kind=any"));
	/* It stays there as long as it draws, and without work */
	ASSERT_EQ(0, load_settle(&self->draws, 1, 3000));
	printf("# drawing on render: %s\n", mdev_attr(self->c.v.uuid, "profile"));
	ASSERT_EQ(0, load_finish(&self->draws, 1));
	sleep_ms(2000);
	EXPECT_TRUE(is_on(&self->c, "render"));
	EXPECT_EQ(generation + 1, client_value(&self->c, "generation"));

	back = on_after(&self->computes, "mixed");
	ASSERT_LE(0, back);
	ASSERT_EQ(0, load_settle(&self->computes, 1, 3000));
	EXPECT_TRUE(is_on(&self->c, "mixed"));
	EXPECT_EQ(generation + 2, client_value(&self->c, "generation"));
	EXPECT_EQ(0, load_finish(&self->computes, 1));
	printf("# render after %ld ms, mixed after %ld\n", there, back);
}

TEST_F_TIMEOUT(kind, exclusive, 200)
{
	follows_the_work(_metadata, self);
}

TEST_F_TIMEOUT(kind, shared, 200)
{
	client_close(&self->c);
	ASSERT_EQ(0, kind_open(self, "mixed", "shared"));
	follows_the_work(_metadata, self);
}

static void begins_to_draw(struct __test_metadata *_metadata, struct __fixture_kind *self)
{
	long mixed, render;

	ASSERT_EQ(0, client_set(&self->c, "policy", "auto"));
	ASSERT_EQ(0, load_settle(&self->computes, 1, 3000));
	EXPECT_TRUE(is_on(&self->c, "compute"));
	ASSERT_EQ(0, load_finish(&self->computes, 1));
	mixed = on_after(&self->draws, "mixed");
	ASSERT_LE(0, mixed);
	render = on_after(&self->draws, "render");
	ASSERT_LE(0, render);
	EXPECT_TRUE(strstr(mdev_attr(self->c.v.uuid, "blueprint"), "kind=any"));
	EXPECT_EQ(0, load_finish(&self->draws, 1));
	printf("# mixed after %ld ms, render after %ld\n", mixed, render);
}

/* Where it has no units, it computes what they would do, and asks for them */
TEST_F_TIMEOUT(kind, begins_to_draw, 200)
{
	client_close(&self->c);
	ASSERT_EQ(0, kind_open(self, "compute", "exclusive"));
	begins_to_draw(_metadata, self);
}

TEST_F_TIMEOUT(kind, begins_to_draw_shared, 200)
{
	client_close(&self->c);
	ASSERT_EQ(0, kind_open(self, "compute", "shared"));
	begins_to_draw(_metadata, self);
}

/* Slices of the other kind that others have: the vGPU stays and works, and goes when they are free */
TEST_F_TIMEOUT(kind, waits_for_slices, 200)
{
	long long generation = client_value(&self->c, "generation");
	char other[37];

	ASSERT_EQ(0, mdev_create("blank", other));
	ASSERT_EQ(0, mdev_attr_write(other, "blueprint", "slices=6 kind=render"));
	EXPECT_EQ(0, client_set(&self->c, "policy", "auto"));
	EXPECT_EQ(0, load_settle(&self->draws, 1, 3000));
	EXPECT_TRUE(is_on(&self->c, "mixed"));
	EXPECT_EQ(generation, client_value(&self->c, "generation"));
	EXPECT_EQ(0, mdev_remove(other));
	EXPECT_LE(0, on_after(&self->draws, "render"));
	EXPECT_EQ(0, load_finish(&self->draws, 1));
}

/* A kind that was asked for stays */
TEST_F_TIMEOUT(kind, asked_for, 100)
{
	ASSERT_EQ(0, mdev_attr_write(self->c.v.uuid, "blueprint", "kind=mixed"));
	ASSERT_EQ(0, client_set(&self->c, "policy", "auto"));
	ASSERT_EQ(0, load_settle(&self->draws, 1, 3000));
	EXPECT_TRUE(is_on(&self->c, "mixed"));
	EXPECT_EQ(0, load_finish(&self->draws, 1));
}

TEST_HARNESS_MAIN
