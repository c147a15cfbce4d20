// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a back-end must have to be registered: each mandatory op is taken away in turn, and what is
 * wrong with a GPU is refused.
 */
#include <kunit/test.h>
#include <linux/sizes.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_mem.h>
#include "source.h"
#include "../core/base/backend.c"

/**
 * struct offer - a back-end that could be registered
 * @dev: for messages
 * @be: back-end
 * @ops: its table
 * @switching: of @ops, if it is set there
 * @regs: of @ops, if it is set there
 * @display: of @ops, if it is set there
 * @info: its GPU
 */
struct offer {
	struct device dev;
	struct tess_backend be;
	struct tess_backend_ops ops;
	struct tess_switch_ops switching;
	struct tess_reg_ops regs;
	struct tess_display_ops display;
	struct tess_gpu_info info;
};

static void offer_fill(void *table, const struct backend_op *ops, size_t count, void *value)
{
	size_t i;

	for (i = 0; i < count; i++)
		*(void **)(table + ops[i].offset) = value;
}

#define OFFER_FILL(table, list) offer_fill(table, list, ARRAY_SIZE(list), (void *)offer_fill)

/* With everything; nothing of it is ever called */
static struct offer *offer_make(struct kunit *test)
{
	struct offer *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, o);
	o->dev.init_name = "offer";
	o->be.dev = &o->dev;
	o->be.ops = &o->ops;
	OFFER_FILL(&o->ops, backend_mandatory);
	OFFER_FILL(&o->ops, backend_vram);
	OFFER_FILL(&o->ops, backend_stage2);
	OFFER_FILL(&o->ops, backend_doorbells);
	OFFER_FILL(&o->switching, backend_switching);
	OFFER_FILL(&o->regs, backend_regs);
	OFFER_FILL(&o->regs, backend_saved_regs);
	OFFER_FILL(&o->display, backend_display);
	o->ops.regs = &o->regs;
	o->ops.switching = &o->switching;
	o->ops.display = &o->display;
	o->info.slice_count = 4;
	o->info.clock_khz = 4000;
	o->info.vram_size = SZ_64M;
	o->info.bank_size = SZ_16M;
	o->info.va_end = BIT_ULL(47);
	o->info.vram_base = BIT_ULL(44);
	return o;
}

static void offer_expect(struct kunit *test, struct offer *o, int rc)
{
	KUNIT_EXPECT_EQ(test, tess_backend_check(&o->be, &o->info), rc);
}

static void backend_whole(struct kunit *test)
{
	offer_expect(test, offer_make(test), 0);
}

/* No memory, no second stage, no exchange of clients, no heads */
static void backend_least(struct kunit *test)
{
	struct offer *o = offer_make(test);

	memset(&o->ops, 0, sizeof(o->ops));
	OFFER_FILL(&o->ops, backend_mandatory);
	offer_expect(test, o, -EINVAL);
	o->info.vram_size = 0;
	o->info.bank_size = 0;
	offer_expect(test, o, 0);
}

static void offer_without(struct kunit *test, struct offer *o, void *table,
			  const struct backend_op *ops, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		void **op = table + ops[i].offset, *value = *op;

		*op = NULL;
		KUNIT_EXPECT_EQ_MSG(test, tess_backend_check(&o->be, &o->info), -EINVAL,
				    "without %s", ops[i].name);
		*op = value;
	}
	offer_expect(test, o, 0);
}

#define OFFER_WITHOUT(test, o, table, list) \
	offer_without(test, o, table, list, ARRAY_SIZE(list))

static void backend_lacks(struct kunit *test)
{
	struct offer *o = offer_make(test);

	OFFER_WITHOUT(test, o, &o->ops, backend_mandatory);
	OFFER_WITHOUT(test, o, &o->ops, backend_vram);
	OFFER_WITHOUT(test, o, &o->ops, backend_doorbells);
	OFFER_WITHOUT(test, o, &o->switching, backend_switching);
	OFFER_WITHOUT(test, o, &o->regs, backend_regs);
	OFFER_WITHOUT(test, o, &o->regs, backend_saved_regs);
	OFFER_WITHOUT(test, o, &o->display, backend_display);
	/* Without the first there is no second stage, and the others are of no use */
	offer_without(test, o, &o->ops, backend_stage2 + 1, ARRAY_SIZE(backend_stage2) - 1);
}

static void backend_info(struct kunit *test)
{
	struct offer *o = offer_make(test);
	const struct tess_gpu_info good = o->info;

	o->info.slice_count = 0;
	offer_expect(test, o, -EINVAL);
	o->info.slice_count = TESS_MAX_SLICES + 1;
	offer_expect(test, o, -EINVAL);
	o->info = good;
	o->info.clock_khz = 0;
	offer_expect(test, o, -EINVAL);
	o->info = good;
	o->info.vram_size += 1;
	offer_expect(test, o, -EINVAL);
	o->info.vram_size = TESS_PA_END;
	offer_expect(test, o, -EINVAL);
	o->info = good;
	o->info.bank_size = o->info.vram_size + SZ_4K;
	offer_expect(test, o, -EINVAL);
	o->info = good;
	o->info.va_end = 0;
	offer_expect(test, o, -EINVAL);
	o->info.va_end = SZ_4K + 1;
	offer_expect(test, o, -EINVAL);
	o->info = good;
	o->info.vram_base = 0;
	offer_expect(test, o, -EINVAL);
	o->info.vram_base = SZ_4K;
	offer_expect(test, o, -EINVAL);
	o->info.vram_base = -SZ_2M;
	offer_expect(test, o, -EINVAL);
	o->info = good;
	offer_expect(test, o, 0);
}

static struct kunit_case backend_cases[] = {
	KUNIT_CASE(backend_whole),
	KUNIT_CASE(backend_least),
	KUNIT_CASE(backend_lacks),
	KUNIT_CASE(backend_info),
	{}
};

static struct kunit_suite backend_suite = {
	.name = "tessera_backend",
	.test_cases = backend_cases,
};

kunit_test_suite(backend_suite);
