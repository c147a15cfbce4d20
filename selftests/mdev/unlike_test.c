// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pool of two unlike GPUs: one has fewer slices of fewer kinds and less VRAM than the other. A
 * vGPU goes from one to the other as long as that has what it is made of, and is refused with a
 * reason otherwise; one of both GPUs has what either can give.
 *
 * Runs in a host VM with --gpus 2 --model-args "" --model-args "--slices 4 --kinds
 * compute:3,mixed:1 --vram 32M".
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "crew.h"
#include "gpus.h"
#include "vmm.h"

#define SMALL_SLICES 4
#define SMALL_COMPUTE 3
#define BIG_COMPUTE 6

FIXTURE(unlike)
{
	struct pair p;
	struct crew crew;
	unsigned int big, small;
};

static void find_sizes(struct __test_metadata *_metadata, unsigned int *big, unsigned int *small)
{
	*big = gpu_value(0, "slices_total") < gpu_value(1, "slices_total");
	*small = !*big;
	ASSERT_EQ(SMALL_SLICES, gpu_value(*small, "slices_total"));
	ASSERT_LT(SMALL_SLICES, gpu_value(*big, "slices_total"));
	ASSERT_LT(gpu_value(*small, "vram_free"), gpu_value(*big, "vram_free"));
}

FIXTURE_SETUP(unlike)
{
	ASSERT_EQ(0, pair_begin(&self->p));
	find_sizes(_metadata, &self->big, &self->small);
}

FIXTURE_TEARDOWN(unlike)
{
	EXPECT_TRUE(pair_end(&self->p));
}

/* A vGPU of the big one */
static void open_vgpu(struct __test_metadata *_metadata, struct __fixture_unlike *self,
		      const char *blueprint)
{
	struct pair *p = &self->p;

	ASSERT_EQ(0, mdev_create_on(p->pci[self->big], "blank", p->uuid));
	ASSERT_EQ(0, mdev_attr_write(p->uuid, "blueprint", blueprint));
	EXPECT_STREQ(gpu_name_of(self->big), mdev_attr(p->uuid, "gpu"));
	ASSERT_EQ(0, pair_open(p));
}

static void end_work(struct __test_metadata *_metadata, struct crew *crew)
{
	const char *wrong = crew_end(crew);

	if (wrong)
		TH_LOG("%s", wrong);
	EXPECT_EQ(NULL, wrong);
}

/* Refused, with a reason, and nothing is taken there */
static void expect_stays(struct __test_metadata *_metadata, const struct __fixture_unlike *self,
			 int error)
{
	const struct pair *p = &self->p;
	unsigned int to = self->small;

	EXPECT_EQ(error, mdev_attr_write(p->uuid, "gpu", gpu_name_of(to)));
	EXPECT_STREQ(gpu_name_of(self->big), mdev_attr(p->uuid, "gpu"));
	TH_LOG("%s", mdev_attr(p->uuid, "last_error"));
	EXPECT_NE(0, strcmp("none", mdev_attr(p->uuid, "last_error")));
	EXPECT_EQ(p->books.slices[to], gpu_value(to, "slices_free"));
	EXPECT_EQ(p->books.vram[to], gpu_value(to, "vram_free"));
}

/* There and back, while all of its vslices work */
TEST_F_TIMEOUT(unlike, goes_where_its_parts_are, 120)
{
	unsigned int i, gpu = self->big;

	open_vgpu(_metadata, self, "slices=3 kind=compute memory=4M");
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	for (i = 0; i < 4; i++) {
		gpu = !gpu;
		EXPECT_TRUE(crew_goes_on(&self->crew));
		ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "gpu", gpu_name_of(gpu)));
		EXPECT_STREQ(gpu_name_of(gpu), mdev_attr(self->p.uuid, "gpu"));
		EXPECT_EQ(3, slices_taken(&self->p.books, gpu));
		EXPECT_EQ(0, slices_taken(&self->p.books, !gpu));
	}
	EXPECT_TRUE(crew_goes_on(&self->crew));
	end_work(_metadata, &self->crew);
}

static void stays(struct __test_metadata *_metadata, struct __fixture_unlike *self,
		  const char *blueprint, int error)
{
	open_vgpu(_metadata, self, blueprint);
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	expect_stays(_metadata, self, error);
	EXPECT_TRUE(crew_goes_on(&self->crew));
	end_work(_metadata, &self->crew);
}

TEST_F_TIMEOUT(unlike, stays_with_more_slices, 60)
{
	stays(_metadata, self, "slices=4 kind=compute memory=4M", -ENOSPC);
}

TEST_F_TIMEOUT(unlike, stays_with_another_kind, 60)
{
	stays(_metadata, self, "slices=1 kind=render memory=4M", -ENOSPC);
}

TEST_F_TIMEOUT(unlike, stays_with_more_memory, 60)
{
	stays(_metadata, self, "slices=1 kind=compute memory=48M", -EINVAL);
}

/* As many as both have, and not one more; the small one gives all that it has */
TEST_F_TIMEOUT(unlike, spans_both, 60)
{
	char want[64];

	ASSERT_EQ(0, mdev_create("blank", self->p.uuid));
	snprintf(want, sizeof(want), "slices=%u kind=compute memory=0 gpus=2",
		 BIG_COMPUTE + SMALL_COMPUTE + 1);
	EXPECT_GT(0, mdev_attr_write(self->p.uuid, "blueprint", want));
	EXPECT_NE(0, strcmp("none", mdev_attr(self->p.uuid, "last_error")));
	snprintf(want, sizeof(want), "slices=%u kind=compute memory=0 gpus=2", 8);
	ASSERT_EQ(0, mdev_attr_write(self->p.uuid, "blueprint", want));
	EXPECT_EQ(SMALL_COMPUTE, slices_taken(&self->p.books, self->small));
	EXPECT_EQ(8 - SMALL_COMPUTE, slices_taken(&self->p.books, self->big));
	ASSERT_EQ(0, pair_open(&self->p));
	ASSERT_EQ(0, crew_start(&self->crew, &self->p.v));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	end_work(_metadata, &self->crew);
}

/*
 * The big one is taken away: what the small one cannot have whole, it has with fewer slices. The
 * mdev is one of the small one's, or it would go, too.
 */
TEST_F_TIMEOUT(unlike, shrinks_to_what_is_left, 120)
{
	struct pair *p = &self->p;
	unsigned int taken;

	ASSERT_EQ(0, mdev_create_on(p->pci[self->small], "blank", p->uuid));
	ASSERT_EQ(0, mdev_attr_write(p->uuid, "blueprint",
				     "slices=2 min=1 max=5 kind=compute memory=4M"));
	ASSERT_EQ(0, mdev_attr_write(p->uuid, "gpu", gpu_name_of(self->big)));
	ASSERT_EQ(0, pair_open(p));
	ASSERT_EQ(0, crew_start(&self->crew, &p->v));
	ASSERT_EQ(0, mdev_attr_write(p->uuid, "blueprint", "slices=5"));
	EXPECT_EQ(5, slices_taken(&p->books, self->big));
	EXPECT_TRUE(crew_goes_on(&self->crew));
	ASSERT_EQ(0, gpu_unbind(p->pci[self->big]));
	EXPECT_STREQ(gpu_name_of(self->small), mdev_attr(p->uuid, "gpu"));
	taken = slices_taken(&p->books, self->small);
	EXPECT_LE(1, taken);
	EXPECT_GE(SMALL_COMPUTE, taken);
	EXPECT_TRUE(crew_goes_on(&self->crew));
	end_work(_metadata, &self->crew);
	pair_close(p);
	ASSERT_EQ(0, gpu_bind(p->pci[self->big]));
}

TEST_HARNESS_MAIN
