// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a VMM that migrates its machine asks VFIO's container: which memory was written. Pages that
 * a vGPU has pinned count as written; none that its GPU wrote to may be missing, also of those that
 * were given back before the VMM asked. Says nothing about an iommufd, which does not know.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness.h"
#include "saved.h"
#include "vgpu.h"

#define PAGES (RAM_SIZE / PAGE)
#define SHAPE "slices=2 kind=render memory=2M"
/* Pages that are written, far enough from each other that no two are pinned together */
#define WRITTEN 8
#define STRIDE (128 * PAGE)

FIXTURE(dirty)
{
	char uuid[37];
	struct vgpu v;
	struct ring r;
	uint64_t bits[PAGES / 64];
};

static int dirty_set(struct vgpu *v, uint32_t flags)
{
	struct vfio_iommu_type1_dirty_bitmap arg = { .argsz = sizeof(arg), .flags = flags };

	return ioctl(v->container, VFIO_IOMMU_DIRTY_PAGES, &arg) ? -errno : 0;
}

/* Of all memory since the last time */
static int dirty_get(struct vgpu *v, uint64_t *bits)
{
	struct {
		struct vfio_iommu_type1_dirty_bitmap head;
		struct vfio_iommu_type1_dirty_bitmap_get get;
	} arg = {
		.head = { .argsz = sizeof(arg), .flags = VFIO_IOMMU_DIRTY_PAGES_FLAG_GET_BITMAP },
		.get = { .iova = RAM_GPA,
			 .size = RAM_SIZE,
			 .bitmap = { .pgsize = PAGE, .size = PAGES / 8 } },
	};

	memset(bits, 0, PAGES / 8);
	arg.get.bitmap.data = (void *)bits;
	return ioctl(v->container, VFIO_IOMMU_DIRTY_PAGES, &arg) ? -errno : 0;
}

static bool is_dirty(const uint64_t *bits, uint64_t gpa)
{
	uint64_t n = (gpa - RAM_GPA) / PAGE;

	return bits[n / 64] >> (n % 64) & 1;
}

static unsigned int count_dirty(const uint64_t *bits)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < PAGES / 64; i++)
		n += __builtin_popcountll(bits[i]);
	return n;
}

/* Pages of those that the GPU wrote to which are said to be as they were */
static unsigned int count_missed(const uint64_t *bits)
{
	unsigned int i, missed = !is_dirty(bits, RECORD_GPA(0));

	for (i = 0; i < WRITTEN; i++)
		missed += !is_dirty(bits, DATA_GPA + i * STRIDE);
	return missed;
}

FIXTURE_SETUP(dirty)
{
	mdev_remove_all();
	self->v.device = self->v.group = self->v.container = -1;
	if (vgpu_uses_iommufd())
		SKIP(return, "about containers");
	ASSERT_EQ(0, mdev_create("blank", self->uuid));
	ASSERT_EQ(0, mdev_attr_write(self->uuid, "blueprint", SHAPE));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
}

FIXTURE_TEARDOWN(dirty)
{
	vgpu_close(&self->v);
	mdev_remove_all();
}

static void write_pages(struct __test_metadata *_metadata, struct __fixture_dirty *self)
{
	unsigned int i;

	ring_start(&self->r, &self->v, 0);
	for (i = 0; i < WRITTEN; i++)
		ring_fill(&self->r, DATA_GPA + i * STRIDE, PAGE, 0x1000 + i);
	ASSERT_EQ(0, ring_finish(&self->r));
	for (i = 0; i < WRITTEN; i++)
		ASSERT_EQ(0x1000 + i, *(uint32_t *)ram_at(&self->v, DATA_GPA + i * STRIDE));
}

/* For ever, as long as the GPU can reach them, and not all memory */
TEST_F(dirty, what_is_pinned)
{
	unsigned int i;

	write_pages(_metadata, self);
	ASSERT_EQ(0, dirty_set(&self->v, VFIO_IOMMU_DIRTY_PAGES_FLAG_START));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, dirty_get(&self->v, self->bits));
		EXPECT_EQ(0, count_missed(self->bits));
		EXPECT_EQ(mdev_stat(self->uuid, "pinned_pages") - 1, count_dirty(self->bits));
	}
	EXPECT_GT(PAGES, count_dirty(self->bits));
	EXPECT_EQ(0, dirty_set(&self->v, VFIO_IOMMU_DIRTY_PAGES_FLAG_STOP));
}

/* Once more, and not again */
TEST_F(dirty, what_was_given_back)
{
	ASSERT_EQ(0, dirty_set(&self->v, VFIO_IOMMU_DIRTY_PAGES_FLAG_START));
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	EXPECT_EQ(0, count_dirty(self->bits));
	write_pages(_metadata, self);
	ASSERT_EQ(0, mig_reset(&self->v));
	EXPECT_EQ(0, mdev_stat(self->uuid, "pinned_pages"));
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	EXPECT_EQ(0, count_missed(self->bits));
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	EXPECT_EQ(0, count_dirty(self->bits));
}

/* Between two questions it was pinned, written and given back: both of its ends are on record */
TEST_F(dirty, what_was_pinned_before)
{
	write_pages(_metadata, self);
	ASSERT_EQ(0, dirty_set(&self->v, VFIO_IOMMU_DIRTY_PAGES_FLAG_START));
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	ring_fill(&self->r, DATA_GPA, PAGE, 7);
	ASSERT_EQ(0, ring_finish(&self->r));
	ASSERT_EQ(0, mig_reset(&self->v));
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	EXPECT_EQ(0, count_missed(self->bits));
}

/* Nothing is written, and so nothing is pinned anew, while it stands still */
TEST_F(dirty, nothing_while_it_stands_still)
{
	unsigned int before;

	write_pages(_metadata, self);
	ASSERT_EQ(0, dirty_set(&self->v, VFIO_IOMMU_DIRTY_PAGES_FLAG_START));
	ASSERT_EQ(0, mig_go(&self->v, VFIO_DEVICE_STATE_RUNNING_P2P));
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	before = count_dirty(self->bits);
	ring_fill(&self->r, DATA_GPA + 64 * PAGE, PAGE, 7);
	ring_fence(&self->r, true);
	ASSERT_EQ(0, mig_go(&self->v, VFIO_DEVICE_STATE_STOP));
	usleep(200000);
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	EXPECT_EQ(before, count_dirty(self->bits));
	EXPECT_NE(7, *(uint32_t *)ram_at(&self->v, DATA_GPA + 64 * PAGE));
	ASSERT_EQ(0, mig_go(&self->v, VFIO_DEVICE_STATE_RUNNING));
	EXPECT_EQ(0, ring_wait(&self->r));
	ASSERT_EQ(0, dirty_get(&self->v, self->bits));
	EXPECT_TRUE(is_dirty(self->bits, DATA_GPA + 64 * PAGE));
}

TEST_HARNESS_MAIN
