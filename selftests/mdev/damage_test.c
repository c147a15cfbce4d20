// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a guest says of changes in the pictures of its heads, and what the host makes of it: all
 * sorts of rectangles, several commits before a frame, totals.
 */
#include <linux/vfio.h>
#include <sys/ioctl.h>

#include "harness.h"
#include "heads.h"
#include "vgpu.h"

#define WIDTH 640
#define HEIGHT 480
#define PITCH (WIDTH * 4)

static const struct head_plane picture = { XRGB8888, WIDTH, HEIGHT, PITCH, 0 };
static const struct head_rect whole = { 0, 0, WIDTH, HEIGHT };

FIXTURE(damage)
{
	struct vgpu v;
	char uuid[37];
};

FIXTURE_SETUP(damage)
{
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "slices=1 kind=render heads=2"));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
}

FIXTURE_TEARDOWN(damage)
{
	vgpu_close(&self->v);
	mdev_remove_all();
}

/* One more picture was shown on head 0, and this of it had changed */
static void expect_damage(struct __test_metadata *_metadata, struct __fixture_damage *self,
			  struct head_totals *before, struct head_rect r)
{
	struct head_totals now;

	ASSERT_TRUE(head_totals(self->uuid, 0, &now));
	EXPECT_EQ(before->shown + 1, now.shown);
	EXPECT_EQ(before->damaged + (r.x2 - r.x1) * (r.y2 - r.y1), now.damaged);
	EXPECT_EQ(r.x1, now.last.x1);
	EXPECT_EQ(r.y1, now.last.y1);
	EXPECT_EQ(r.x2, now.last.x2);
	EXPECT_EQ(r.y2, now.last.y2);
	*before = now;
}

static void show(struct __test_metadata *_metadata, struct __fixture_damage *self,
		 const struct head_plane *p, const struct head_rect *damage)
{
	head_write(&self->v, 0, TESS_DREG_EVENTS, TESS_DEVENT_ALL);
	if (damage)
		head_write_damage(&self->v, 0, damage);
	ASSERT_EQ(0, head_commit(&self->v, 0, p));
	ASSERT_TRUE(head_wait(&self->v, 0, TESS_DEVENT_FLIP));
}

TEST_F(damage, registers)
{
	struct vgpu *v = &self->v;
	struct head_plane bad = picture;

	EXPECT_EQ(TESS_CAPS_HEAD_DAMAGE, reg32(v, TESS_REG_CAPS) & TESS_CAPS_HEAD_DAMAGE);
	EXPECT_STREQ("head=0 size=0x0 shown=0 damaged=0 last=0,0-0,0\n"
		     "head=1 size=0x0 shown=0 damaged=0 last=0,0-0,0",
		     mdev_attr(self->uuid, "heads"));
	EXPECT_TRUE(strstr(mdev_attr(self->uuid, "features"), " damage"));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_DAMAGE_START) | head32(v, 0, TESS_DREG_DAMAGE_END));
	head_write_damage(v, 0, &(struct head_rect){ 1, 2, 0xffff, 4 });
	EXPECT_EQ(0x00020001, head32(v, 0, TESS_DREG_DAMAGE_START));
	EXPECT_EQ(0x0004ffff, head32(v, 0, TESS_DREG_DAMAGE_END));
	EXPECT_EQ(0, head32(v, 1, TESS_DREG_DAMAGE_START) | head32(v, 1, TESS_DREG_DAMAGE_END));
	/* With each COMMIT anew, whatever became of it */
	ASSERT_EQ(0, head_commit(v, 0, &picture));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_DAMAGE_START) | head32(v, 0, TESS_DREG_DAMAGE_END));
	head_write_damage(v, 0, &(struct head_rect){ 1, 2, 3, 4 });
	bad.address = 4;
	EXPECT_EQ(TESS_DISPLAY_ERR_ADDRESS, head_commit(v, 0, &bad));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_DAMAGE_START) | head32(v, 0, TESS_DREG_DAMAGE_END));
	head_write_damage(v, 0, &(struct head_rect){ 1, 2, 3, 4 });
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	EXPECT_EQ(0, head32(v, 0, TESS_DREG_DAMAGE_START) | head32(v, 0, TESS_DREG_DAMAGE_END));
}

TEST_F(damage, rectangles)
{
	const struct head_rect small = { 16, 32, 80, 96 }, nothing = { 0, 0, 0, 0 };
	static const struct {
		struct head_rect said, is;
	} cases[] = {
		{ { 0, 0, WIDTH, HEIGHT }, { 0, 0, WIDTH, HEIGHT } },
		{ { 16, 32, 80, 96 }, { 16, 32, 80, 96 } },
		{ { WIDTH - 1, HEIGHT - 1, WIDTH, HEIGHT },
		  { WIDTH - 1, HEIGHT - 1, WIDTH, HEIGHT } },
		/* Cut at the edges */
		{ { 600, 400, 0xffff, 0xffff }, { 600, 400, WIDTH, HEIGHT } },
		{ { 0, 479, 641, 0x8000 }, { 0, 479, WIDTH, HEIGHT } },
		{ { WIDTH, HEIGHT, WIDTH + 1, HEIGHT + 1 }, { 0, 0, 0, 0 } },
		{ { 0xfffe, 0, 0xffff, 1 }, { 0, 0, 0, 0 } },
		{ { 0, HEIGHT, WIDTH, HEIGHT + 10 }, { 0, 0, 0, 0 } },
		/* No rectangles */
		{ { 0, 0, 0, 0 }, { 0, 0, WIDTH, HEIGHT } },
		{ { 0xffff, 0xffff, 0xffff, 0xffff }, { 0, 0, WIDTH, HEIGHT } },
		{ { 80, 96, 16, 32 }, { 0, 0, WIDTH, HEIGHT } },
		{ { 16, 96, 80, 96 }, { 0, 0, WIDTH, HEIGHT } },
		{ { 80, 32, 16, 96 }, { 0, 0, WIDTH, HEIGHT } },
		{ { 0xffff, 0, 0, 0xffff }, { 0, 0, WIDTH, HEIGHT } },
	};
	struct head_plane p = picture;
	struct head_totals t = { 0 };
	unsigned int i;

	/* The first one has no picture before it */
	show(_metadata, self, &p, &small);
	expect_damage(_metadata, self, &t, whole);
	EXPECT_EQ(WIDTH, t.width);
	EXPECT_EQ(HEIGHT, t.height);
	/* A driver that does not know the registers */
	show(_metadata, self, &p, NULL);
	expect_damage(_metadata, self, &t, whole);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		TH_LOG("%u,%u-%u,%u", cases[i].said.x1, cases[i].said.y1, cases[i].said.x2,
		       cases[i].said.y2);
		p.address = (uint64_t)(i % 2) << 20 << 1;
		show(_metadata, self, &p, &cases[i].said);
		expect_damage(_metadata, self, &t, cases[i].is);
	}
	/* What was said once is not said of the next one */
	show(_metadata, self, &p, NULL);
	expect_damage(_metadata, self, &t, whole);
	/* What was refused is no picture */
	head_write_damage(&self->v, 0, &small);
	p.address = 4;
	EXPECT_EQ(TESS_DISPLAY_ERR_ADDRESS, head_commit(&self->v, 0, &p));
	p.address = 0;
	show(_metadata, self, &p, &(struct head_rect){ 0, 0, 1, 1 });
	expect_damage(_metadata, self, &t, (struct head_rect){ 0, 0, 1, 1 });
	/* Nothing of another sort of picture can be kept */
	p.pitch = PITCH + 4;
	show(_metadata, self, &p, &small);
	expect_damage(_metadata, self, &t, whole);
	p.format = ARGB8888;
	show(_metadata, self, &p, &small);
	expect_damage(_metadata, self, &t, whole);
	p.height = HEIGHT / 2;
	show(_metadata, self, &p, &small);
	expect_damage(_metadata, self, &t, (struct head_rect){ 0, 0, WIDTH, HEIGHT / 2 });
	p.width = WIDTH / 2;
	show(_metadata, self, &p, &small);
	expect_damage(_metadata, self, &t, (struct head_rect){ 0, 0, WIDTH / 2, HEIGHT / 2 });
	EXPECT_EQ(WIDTH / 2, t.width);
	EXPECT_EQ(HEIGHT / 2, t.height);
	show(_metadata, self, &p, &small);
	expect_damage(_metadata, self, &t, small);
	/* Nor of one that was not shown meanwhile; what is not shown is not counted */
	head_disable(&self->v, 0);
	show(_metadata, self, &p, &small);
	expect_damage(_metadata, self, &t, (struct head_rect){ 0, 0, WIDTH / 2, HEIGHT / 2 });
	head_disable(&self->v, 0);
	ASSERT_TRUE(head_totals(self->uuid, 0, &t));
	EXPECT_EQ(0, t.width | t.height);
	/* The other head showed nothing at all */
	ASSERT_TRUE(head_totals(self->uuid, 1, &t));
	EXPECT_EQ(0, t.shown | t.damaged);
	EXPECT_EQ(0, memcmp(&nothing, &t.last, sizeof(nothing)));
}

/* Commits @p and then @q to head 0, which shows @picture, before a frame; false: one came before */
static bool commit_twice(struct __test_metadata *_metadata, struct __fixture_damage *self,
			 const struct head_plane *p, const struct head_rect *r1,
			 const struct head_plane *q, const struct head_rect *r2)
{
	struct vgpu *v = &self->v;

	head_disable(v, 0);
	head_write(v, 0, TESS_DREG_PERIOD, TESS_DISPLAY_PERIOD_MAX);
	show(_metadata, self, &picture, NULL);
	head_write_damage(v, 0, r1);
	EXPECT_EQ(0, head_commit(v, 0, p));
	head_write_damage(v, 0, r2);
	EXPECT_EQ(0, head_commit(v, 0, q));
	if (head32(v, 0, TESS_DREG_EVENTS) & TESS_DEVENT_FLIP)
		return false;
	EXPECT_TRUE(head_wait(v, 0, TESS_DEVENT_FLIP));
	return true;
}

TEST_F_TIMEOUT(damage, of_several_commits, 120)
{
	const struct head_plane small = { XRGB8888, WIDTH / 2, HEIGHT, PITCH, 0 };
	const struct head_plane other = { XRGB8888, WIDTH, HEIGHT, PITCH, 2 << 20 };
	const struct {
		struct head_plane p, q;
		struct head_rect first, second, all;
	} cases[] = {
		{ other, picture, { 16, 32, 80, 96 }, { 70, 10, 90, 20 }, { 16, 10, 90, 96 } },
		{ other, picture, { 16, 32, 80, 96 }, { 20, 40, 30, 50 }, { 16, 32, 80, 96 } },
		/* Nothing, twice, and all */
		{ other, picture, { WIDTH, 0, WIDTH + 1, 1 }, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } },
		{ other, picture, { 1, 2, 3, 4 }, { WIDTH, 0, WIDTH + 1, 1 }, { 1, 2, 3, 4 } },
		{ other, picture, { 0, 0, 0, 0 }, { 1, 2, 3, 4 }, { 0, 0, WIDTH, HEIGHT } },
		{ other, picture, { 1, 2, 3, 4 }, { 0, 0, 0, 0 }, { 0, 0, WIDTH, HEIGHT } },
		/* The second as what is shown, but not as what it replaces */
		{ small, picture, { 1, 2, 3, 4 }, { 1, 2, 3, 4 }, { 0, 0, WIDTH, HEIGHT } },
	};
	struct head_totals t = { 0 };
	unsigned int i, tries;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (tries = 0; tries < 50; tries++)
			if (commit_twice(_metadata, self, &cases[i].p, &cases[i].first, &cases[i].q,
					 &cases[i].second))
				break;
		TH_LOG("case %u: try %u", i, tries + 1);
		ASSERT_GT(50, tries);
		ASSERT_TRUE(head_totals(self->uuid, 0, &t));
		EXPECT_EQ(0, memcmp(&cases[i].all, &t.last, sizeof(t.last)));
	}
}

/* As long as the vGPU is there, for heads that it has */
TEST_F(damage, totals_stay)
{
	struct vgpu *v = &self->v;
	struct head_totals t, now;

	ASSERT_EQ(0, head_commit(v, 1, &picture));
	ASSERT_TRUE(head_totals(self->uuid, 1, &t));
	EXPECT_EQ(1, t.shown);
	EXPECT_EQ(WIDTH * HEIGHT, t.damaged);
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	ASSERT_TRUE(head_totals(self->uuid, 1, &now));
	EXPECT_EQ(0, now.width | now.height);
	EXPECT_EQ(1, now.shown);
	EXPECT_EQ(t.damaged, now.damaged);
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=1"));
	EXPECT_FALSE(head_totals(self->uuid, 1, &now));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", "heads=2"));
	ASSERT_EQ(0, head_commit(v, 1, &picture));
	vgpu_close(v);
	ASSERT_TRUE(head_totals(self->uuid, 1, &now));
	EXPECT_EQ(0, now.width | now.height);
	EXPECT_EQ(2, now.shown);
	EXPECT_EQ(2 * t.damaged, now.damaged);
	EXPECT_EQ(0, memcmp(&whole, &now.last, sizeof(whole)));
	ASSERT_EQ(0, vgpu_open(v, self->uuid));
	ASSERT_EQ(0, head_commit(v, 1, &picture));
	ASSERT_TRUE(head_totals(self->uuid, 1, &now));
	EXPECT_EQ(3, now.shown);
}

TEST_HARNESS_MAIN
