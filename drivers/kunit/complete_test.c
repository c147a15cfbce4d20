// SPDX-License-Identifier: GPL-2.0-only
/*
 * Completion router: a GPU of two slices with a mock of a back-end. The test plays the GPU,
 * which writes sequence numbers, and the clients, which write event indices or arm their rings.
 */
#include <kunit/test.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/ring.h>
#include <tessera/vgpu.h>

/* Tracepoints belong to tessera.ko: nothing is recorded here */
#define _TESSERA_CORE_TRACE_H_

static inline void trace_tess_complete(const void *slice, const void *vgpu, unsigned int vslice,
				       u64 seq)
{
}

#include "source.h"
#include "../core/slice/complete.c"

#define SLICES 2

/* The client of the ring that was told last */
static void *told_ring;

static void router_ring_complete(void *priv)
{
	told_ring = priv;
}

static const struct tess_ring_ops router_ring = {
	.complete = router_ring_complete,
};

/**
 * struct router - a GPU with two clients
 * @gpu: GPU
 * @be: mock of its back-end
 * @slices: its slices
 * @records: completion records of the clients
 * @ring: ring of a client in the kernel
 * @completed: what the back-end says of it
 * @vgpu: client of each slice, with one vslice
 * @told: calls of complete() for each
 * @raised: completion status register of each slice
 */
struct router {
	struct tess_gpu gpu;
	struct tess_backend be;
	struct tess_slice slices[SLICES];
	struct tess_completion_record records[SLICES];
	struct tess_hw_ring ring;
	u64 completed;
	struct tess_vgpu *vgpu[SLICES];
	unsigned int told[SLICES];
	bool raised[SLICES];
};

static void router_complete(struct tess_vgpu *vgpu, unsigned int vslice)
{
	++*(unsigned int *)vgpu->priv;
}

static const struct tess_client_ops router_client = {
	.complete = router_complete,
};

static bool router_take(struct tess_backend *be, unsigned int slice)
{
	struct router *r = container_of(be, struct router, be);
	bool raised = r->raised[slice];

	r->raised[slice] = false;
	return raised;
}

static u64 router_ring_completed(const struct tess_hw_ring *ring)
{
	return container_of_const(ring, struct router, ring)->completed;
}

static const struct tess_backend_ops router_backend = {
	.ring_completed = router_ring_completed,
	.completion_take = router_take,
};

static int router_init(struct kunit *test)
{
	struct router *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct tess_vgpu *vgpu;
	unsigned int i;

	if (!r || init_srcu_struct(&r->gpu.srcu))
		return -ENOMEM;
	test->priv = r;
	spin_lock_init(&r->gpu.lock);
	r->be.ops = &router_backend;
	r->gpu.be = &r->be;
	r->gpu.info.slice_count = SLICES;
	r->gpu.slices = r->slices;
	for (i = 0; i < SLICES; i++) {
		r->slices[i].gpu = &r->gpu;
		r->slices[i].index = i;
		mutex_init(&r->slices[i].hw);
		spin_lock_init(&r->slices[i].route_lock);
		vgpu = kunit_kzalloc(test, struct_size(vgpu, vslices, 1), GFP_KERNEL);
		if (!vgpu)
			return -ENOMEM;
		vgpu->gpu = &r->gpu;
		vgpu->ops = &router_client;
		vgpu->priv = &r->told[i];
		vgpu->nr_vslices = 1;
		vgpu->vslices[0].vgpu = vgpu;
		vgpu->vslices[0].slice = &r->slices[i];
		r->vgpu[i] = vgpu;
	}
	return 0;
}

static void router_exit(struct kunit *test)
{
	struct router *r = test->priv;

	if (r)
		cleanup_srcu_struct(&r->gpu.srcu);
}

/* The client of a slice waits for the number @event */
static void router_route(struct router *r, unsigned int slice, u64 seen, u64 event)
{
	r->records[slice].seq = cpu_to_le64(seen);
	r->records[slice].event = cpu_to_le64(event);
	route_set(&r->slices[slice], &r->vgpu[slice]->vslices[0],
		  &(struct tess_route_source){ .rec = &r->records[slice] }, seen);
}

/* The GPU has come to @seq and interrupts. Returns how often the client was called */
static unsigned int router_irq(struct router *r, unsigned int slice, u64 seq)
{
	unsigned int before = r->told[slice];

	r->records[slice].seq = cpu_to_le64(seq);
	tess_gpu_completion_irq(&r->gpu);
	return r->told[slice] - before;
}

/* Called if and only if the event is in (seen, seq] */
static void route_event_test(struct kunit *test)
{
	struct router *r = test->priv;

	router_route(r, 0, 5, 8);
	router_route(r, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 5), 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 7), 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 8), 1);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 8), 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 9), 0);
	r->records[0].event = cpu_to_le64(11);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 20), 1);
	KUNIT_EXPECT_EQ(test, r->told[1], 0);
}

/* Numbers wrap around */
static void route_wrap_test(struct kunit *test)
{
	struct router *r = test->priv;

	router_route(r, 0, ~0ULL - 1, 1);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, ~0ULL), 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 1);
}

/* A record is hostile: whatever it says, only its own client is called, once per interrupt */
static void route_hostile_test(struct kunit *test)
{
	static const u64 numbers[] = { 0, 1, 2, S64_MAX, 1ULL << 63, ~0ULL };
	struct router *r = test->priv;
	unsigned int i, k;

	router_route(r, 0, 0, 1);
	router_route(r, 1, 0, 1);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		for (k = 0; k < ARRAY_SIZE(numbers); k++) {
			r->records[0].event = cpu_to_le64(numbers[k]);
			KUNIT_EXPECT_LE(test, router_irq(r, 0, numbers[i]), 1);
		}
	KUNIT_EXPECT_EQ(test, r->told[1], 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 1, 1), 1);
}

/* The register route asks the back-end and does not look at records */
static void route_register_test(struct kunit *test)
{
	struct router *r = test->priv;

	router_route(r, 0, 0, 1);
	router_route(r, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, route_param_set("nonsense", NULL), -EINVAL);
	KUNIT_ASSERT_EQ(test, route_param_set("register\n", NULL), 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 0);
	r->raised[1] = true;
	KUNIT_EXPECT_EQ(test, router_irq(r, 1, 0), 1);
	KUNIT_EXPECT_EQ(test, router_irq(r, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, r->told[0], 0);
	KUNIT_ASSERT_EQ(test, route_param_set("page", NULL), 0);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 1);
}

/* Nobody is called for a slice that was dropped, cleared, or whose GPU is gone */
static void route_end_test(struct kunit *test)
{
	struct router *r = test->priv;

	r->slices[0].resident = &r->vgpu[0]->vslices[0];
	router_route(r, 0, 0, 1);
	tess_route_detach(r->vgpu[1]->gpu, &r->vgpu[1]->vslices[0]);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 1);
	router_route(r, 0, 0, 1);
	tess_route_detach(r->vgpu[0]->gpu, &r->vgpu[0]->vslices[0]);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 0);
	router_route(r, 0, 0, 1);
	tess_route_clear(&r->slices[0]);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 0);
	router_route(r, 0, 0, 1);
	r->gpu.gone = true;
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 0);
	r->gpu.gone = false;
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 1);
}

/* After a reset by the client numbers start at 0 again */
static void route_restart_test(struct kunit *test)
{
	struct router *r = test->priv;

	router_route(r, 0, 100, 1);
	tess_route_restart(&r->slices[0]);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 1);
}

/* An exchange tells the one that goes and the one that comes what nobody told them yet */
static void route_exchange_test(struct kunit *test)
{
	struct router *r = test->priv;
	struct tess_slice *slice = &r->slices[0];
	struct tess_vslice *out = &r->vgpu[0]->vslices[0], *in = &r->vgpu[1]->vslices[0];

	router_route(r, 0, 5, 6);
	out->source.rec = &r->records[0];
	r->records[0].seq = cpu_to_le64(6);
	r->records[1] = (struct tess_completion_record){
		.seq = cpu_to_le64(9), .event = cpu_to_le64(9),
	};
	in->source.rec = &r->records[1];
	in->seen = 8;
	spin_lock(&r->gpu.lock);
	tess_route_exchange(slice, out, in);
	spin_unlock(&r->gpu.lock);
	KUNIT_EXPECT_EQ(test, r->told[0], 1);
	KUNIT_EXPECT_EQ(test, r->told[1], 1);
	KUNIT_EXPECT_EQ(test, out->seen, 6);
	/* Now the slice is the other's */
	r->records[0].event = cpu_to_le64(7);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 7), 0);
	r->records[1].event = cpu_to_le64(10);
	KUNIT_EXPECT_EQ(test, router_irq(r, 1, 10), 1);
	/* And back: what came while it was parked */
	spin_lock(&r->gpu.lock);
	tess_route_exchange(slice, in, out);
	spin_unlock(&r->gpu.lock);
	KUNIT_EXPECT_EQ(test, r->told[0], 2);
	KUNIT_EXPECT_EQ(test, in->seen, 10);
}

/* The record of a parked vslice is noted, that of a resident one is looked at, too */
static void route_attach_test(struct kunit *test)
{
	struct router *r = test->priv;
	struct tess_slice *slice = &r->slices[0];
	struct tess_vslice *vs = &r->vgpu[0]->vslices[0];
	const struct tess_route_source source = { .rec = &r->records[0] };

	r->records[0].event = cpu_to_le64(1);
	mutex_lock(&slice->hw);
	tess_route_attach(slice, vs, &source, 0);
	KUNIT_EXPECT_NULL(test, slice->source.rec);
	KUNIT_EXPECT_PTR_EQ(test, vs->source.rec, source.rec);
	slice->resident = vs;
	tess_route_attach(slice, vs, &source, 0);
	mutex_unlock(&slice->hw);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 1), 1);
	tess_route_detach(vs->vgpu->gpu, vs);
	KUNIT_EXPECT_NULL(test, vs->source.rec);
	r->records[0].event = cpu_to_le64(2);
	KUNIT_EXPECT_EQ(test, router_irq(r, 0, 2), 0);
}

/* The GPU says that jobs up to @seq are complete, and interrupts. True: the ring was told */
static bool router_ring_irq(struct router *r, u64 seq)
{
	told_ring = NULL;
	r->completed = seq;
	tess_gpu_completion_irq(&r->gpu);
	return told_ring == r;
}

/* Of a ring the back-end is asked, and the ring is told, not the vGPU that it is of */
static void route_ring_test(struct kunit *test)
{
	struct router *r = test->priv;
	struct tess_vslice *vs = &r->vgpu[0]->vslices[0];

	vs->ring = (struct tess_ring *)r;
	vs->ring_ops = &router_ring;
	vs->ring_priv = r;
	route_set(&r->slices[0], vs, &(struct tess_route_source){ .ring = &r->ring }, 0);
	KUNIT_EXPECT_FALSE(test, router_ring_irq(r, 1));
	r->ring.event = 3;
	KUNIT_EXPECT_FALSE(test, router_ring_irq(r, 2));
	KUNIT_EXPECT_TRUE(test, router_ring_irq(r, 4));
	KUNIT_EXPECT_FALSE(test, router_ring_irq(r, 4));
	KUNIT_EXPECT_FALSE(test, router_ring_irq(r, 5));
	r->ring.event = 6;
	KUNIT_EXPECT_TRUE(test, router_ring_irq(r, 6));
	KUNIT_EXPECT_EQ(test, r->told[0], 0);
	/* What a record says is not looked at */
	r->records[0].seq = cpu_to_le64(7);
	r->ring.event = 7;
	KUNIT_EXPECT_FALSE(test, router_ring_irq(r, 6));
}

/* A ring that was never on its slice goes with the GPU, behind the vGPU that it is of */
static void route_left_ring_test(struct kunit *test)
{
	struct router *r = test->priv;
	struct tess_vslice *vs = kunit_kzalloc(test, sizeof(*vs), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, vs);
	vs->vgpu = kunit_kzalloc(test, sizeof(*vs->vgpu), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, vs->vgpu);
	vs->vgpu->gpu = &r->gpu;
	vs->source.ring = &r->ring;
	kunit_kfree(test, vs->vgpu);
	tess_route_detach(&r->gpu, vs);
	KUNIT_EXPECT_NULL(test, vs->source.ring);
}

static struct kunit_case route_cases[] = {
	KUNIT_CASE(route_event_test),
	KUNIT_CASE(route_wrap_test),
	KUNIT_CASE(route_hostile_test),
	KUNIT_CASE(route_register_test),
	KUNIT_CASE(route_end_test),
	KUNIT_CASE(route_restart_test),
	KUNIT_CASE(route_exchange_test),
	KUNIT_CASE(route_attach_test),
	KUNIT_CASE(route_ring_test),
	KUNIT_CASE(route_left_ring_test),
	{}
};

static struct kunit_suite route_suite = {
	.name = "tessera_complete",
	.init = router_init,
	.exit = router_exit,
	.test_cases = route_cases,
};

kunit_test_suite(route_suite);
