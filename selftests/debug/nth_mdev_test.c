// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of a vGPU without VRAM (nth_drm_test.c) with every allocation of each step failing, but
 * those of a VFIO group: where vfio_create_group() fails, its own error path warns.
 */
#include <sys/ioctl.h>

#include "harness.h"
#include "nth.h"
#include "vgpu.h"

#define TRY_S 1800
#define FILL (64 << 10)
#define TYPE "C2"
/* Each vslice has the same allocations: what fails for the second is undone for the first */
#define SMALL "slices=1 min=1 max=3 kind=compute memory=0"
#define LARGE "slices=3 min=1 max=3 kind=compute memory=0"
#define SHARED "slices=2 min=1 max=2 kind=compute memory=0 share=shared"

/**
 * struct life - a vGPU
 * @uuid: mdev
 * @v: open
 * @irq: eventfd
 * @slices_free: when there is none
 * @vram_free: when there is none
 * @available: when there is none
 * @pins: when there is none
 */
struct life {
	char uuid[37];
	struct vgpu v;
	int irq;
	long long slices_free;
	long long vram_free;
	int available;
	long long pins;
};

FIXTURE(nth_mdev)
{
	struct life l;
};

FIXTURE_SETUP(nth_mdev)
{
	struct life *l = &self->l;

	ASSERT_EQ(0, nth_setup());
	ASSERT_EQ(0, nth_spare("vfio_create_group"));
	mdev_remove_all();
	l->slices_free = pool_value("slices_free");
	l->vram_free = pool_value("vram_free");
	l->available = mdev_available(TYPE);
	ASSERT_LT(0, l->available);
	l->pins = pins_held();
}

FIXTURE_TEARDOWN(nth_mdev)
{
	mdev_remove_all();
}

static int life_books(void *data)
{
	struct life *l = data;

	return l->slices_free != pool_value("slices_free") ||
	       l->vram_free != pool_value("vram_free") || l->available != mdev_available(TYPE) ||
	       l->pins != pins_held();
}

/* Removing and resetting may allocate nothing */
#define expect_unwinds(name, prepare, run, undo)                                 \
	do {                                                                     \
		static const struct nth_op op = { name, prepare, run, undo, 0 }; \
                                                                                 \
		EXPECT_LE(0, nth_try(&op, &self->l, life_books));                \
	} while (0)

/* ---- mdevs and blueprints ---- */

static int create_blank(void *data)
{
	struct life *l = data;

	return mdev_create("blank", l->uuid);
}

static int create_small(void *data)
{
	struct life *l = data;

	return create_blank(l) ?: mdev_attr_write(l->uuid, "blueprint", SMALL);
}

static int remove_it(void *data)
{
	struct life *l = data;

	return mdev_remove(l->uuid);
}

static int write_small(void *data)
{
	struct life *l = data;

	return mdev_attr_write(l->uuid, "blueprint", SMALL);
}

static int write_large(void *data)
{
	struct life *l = data;

	return mdev_attr_write(l->uuid, "blueprint", LARGE);
}

static int write_shared(void *data)
{
	struct life *l = data;

	return mdev_attr_write(l->uuid, "blueprint", SHARED);
}

TEST_F_TIMEOUT(nth_mdev, create, TRY_S)
{
	expect_unwinds("create", NULL, create_blank, remove_it);
}

TEST_F_TIMEOUT(nth_mdev, first_blueprint, TRY_S)
{
	expect_unwinds("blueprint of a blank one", create_blank, write_small, remove_it);
}

TEST_F_TIMEOUT(nth_mdev, shared_blueprint, TRY_S)
{
	expect_unwinds("shared blueprint", create_blank, write_shared, remove_it);
}

TEST_F_TIMEOUT(nth_mdev, another_blueprint, TRY_S)
{
	expect_unwinds("another blueprint", create_small, write_large, remove_it);
}

TEST_F_TIMEOUT(nth_mdev, remove, TRY_S)
{
	expect_unwinds("remove", create_small, remove_it, NULL);
}

/* ---- the device ---- */

static int open_it(void *data)
{
	struct life *l = data;
	int ret = vgpu_open(&l->v, l->uuid);

	if (ret)
		vgpu_close(&l->v);
	return ret;
}

static int close_it(void *data)
{
	struct life *l = data;

	vgpu_close(&l->v);
	return remove_it(l);
}

/* Work on the first @count vslices with memory of the guest, then the end */
static int use_and_close(struct life *l, unsigned int count)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < count && !ret; i++) {
		struct ring r;

		ring_start(&r, &l->v, i);
		ring_fill(&r, DATA_GPA, FILL, i + 1);
		ret = ring_finish(&r);
		if (!ret && *(uint32_t *)ram_at(&l->v, DATA_GPA + FILL - 4) != i + 1)
			ret = -EIO;
	}
	return ret ?: close_it(l);
}

static int use_small(void *data)
{
	return use_and_close(data, 1);
}

static int use_large(void *data)
{
	return use_and_close(data, 3);
}

static int prepare_open(void *data)
{
	return create_small(data) ?: open_it(data);
}

static int set_irq(void *data)
{
	struct life *l = data;

	l->irq = vgpu_eventfd(&l->v, TESS_IRQ_COMPLETION);
	return l->irq < 0 ? l->irq : 0;
}

static int irq_done(void *data)
{
	struct life *l = data;

	close(l->irq);
	return use_small(l);
}

static int reset(void *data)
{
	struct life *l = data;

	return ioctl(l->v.device, VFIO_DEVICE_RESET) ? -errno : 0;
}

TEST_F_TIMEOUT(nth_mdev, open, TRY_S)
{
	expect_unwinds("open", create_small, open_it, use_small);
}

TEST_F_TIMEOUT(nth_mdev, interrupt, TRY_S)
{
	expect_unwinds("interrupt", prepare_open, set_irq, irq_done);
}

TEST_F_TIMEOUT(nth_mdev, recompose, TRY_S)
{
	expect_unwinds("recomposition while open", prepare_open, write_large, use_large);
}

TEST_F_TIMEOUT(nth_mdev, reset, TRY_S)
{
	expect_unwinds("reset", prepare_open, reset, use_small);
}

TEST_HARNESS_MAIN
