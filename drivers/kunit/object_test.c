// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ends of objects: their owner puts them, and their GPU is gone, stopped and goes, in each
 * order. The test ends a GPU in the middle of a put, too.
 */
#include <kunit/test.h>
#include <linux/slab.h>

#include "source.h"
#include "base/gpu.h"
#include "base/object.h"

/* Stopped when its lock is released next */
static struct tess_gpu *stopped_next;

static void unlock_and_stop(struct mutex *lock)
{
	struct tess_gpu *gpu = stopped_next;

	mutex_unlock(lock);
	stopped_next = NULL;
	if (gpu)
		tess_objects_stopped(gpu);
}

#define mutex_unlock(lock) unlock_and_stop(lock)
#include "../core/base/object.c"
#undef mutex_unlock

/**
 * struct ends - a GPU with an object
 * @gpu: GPU
 * @destroyed: calls of destroy()
 * @freed: calls of free()
 */
struct ends {
	struct tess_gpu gpu;
	unsigned int destroyed;
	unsigned int freed;
};

/* As that of a client: nothing of it is there after free() */
static void ends_destroy(struct tess_object *obj)
{
	container_of(obj->gpu, struct ends, gpu)->destroyed++;
}

static void ends_free(struct tess_object *obj)
{
	container_of(obj->gpu, struct ends, gpu)->freed++;
	kfree(obj);
}

static const struct tess_object_ops ends_ops = {
	.destroy = ends_destroy,
	.free = ends_free,
};

static void ends_release(struct device *dev)
{
}

static int ends_init(struct kunit *test)
{
	struct ends *e = kunit_kzalloc(test, sizeof(*e), GFP_KERNEL);

	if (!e || init_srcu_struct(&e->gpu.srcu))
		return -ENOMEM;
	device_initialize(&e->gpu.dev);
	e->gpu.dev.release = ends_release;
	mutex_init(&e->gpu.objects_lock);
	INIT_LIST_HEAD(&e->gpu.objects);
	test->priv = e;
	return 0;
}

static void ends_exit(struct kunit *test)
{
	struct ends *e = test->priv;

	/* Each object dropped its reference */
	KUNIT_EXPECT_EQ(test, kref_read(&e->gpu.dev.kobj.kref), 1);
	put_device(&e->gpu.dev);
	cleanup_srcu_struct(&e->gpu.srcu);
}

static struct tess_object *ends_object(struct kunit *test)
{
	struct tess_object *obj = kzalloc(sizeof(*obj), GFP_KERNEL);
	struct ends *e = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, obj);
	tess_object_add(obj, &e->gpu, &ends_ops);
	return obj;
}

static void ends_expect(struct kunit *test, unsigned int destroyed, unsigned int freed)
{
	struct ends *e = test->priv;

	KUNIT_EXPECT_EQ(test, e->destroyed, destroyed);
	KUNIT_EXPECT_EQ(test, e->freed, freed);
}

static void object_put_test(struct kunit *test)
{
	struct tess_object *obj = ends_object(test);

	tess_object_release(obj);
	tess_object_release(obj);
	ends_expect(test, 1, 0);
	tess_object_put(obj);
	ends_expect(test, 1, 1);
	tess_object_put(ends_object(test));
	ends_expect(test, 2, 2);
}

/* The back-end's part goes with the GPU, the shell with its owner */
static void object_orphan_test(struct kunit *test)
{
	struct tess_object *obj = ends_object(test);
	struct ends *e = test->priv;

	WRITE_ONCE(e->gpu.gone, true);
	tess_objects_stopped(&e->gpu);
	ends_expect(test, 0, 0);
	tess_objects_orphan(&e->gpu);
	ends_expect(test, 1, 0);
	tess_object_put(obj);
	ends_expect(test, 1, 1);
}

/* What slices may still use is left, until they are stopped */
static void object_left_test(struct kunit *test)
{
	struct ends *e = test->priv;
	struct tess_object *stays = ends_object(test);

	WRITE_ONCE(e->gpu.gone, true);
	tess_object_put(ends_object(test));
	ends_expect(test, 0, 0);
	tess_objects_stopped(&e->gpu);
	ends_expect(test, 1, 1);
	tess_object_put(stays);
	ends_expect(test, 2, 2);
	tess_objects_orphan(&e->gpu);
	ends_expect(test, 2, 2);
}

/* The GPU is stopped while the object is left: KASAN sees who looks at it afterwards */
static void object_stopped_meanwhile_test(struct kunit *test)
{
	struct tess_object *obj = ends_object(test);
	struct ends *e = test->priv;

	WRITE_ONCE(e->gpu.gone, true);
	stopped_next = &e->gpu;
	tess_object_put(obj);
	ends_expect(test, 1, 1);
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE(object_put_test),
	KUNIT_CASE(object_orphan_test),
	KUNIT_CASE(object_left_test),
	KUNIT_CASE(object_stopped_meanwhile_test),
	{}
};

static struct kunit_suite object_suite = {
	.name = "tessera_object",
	.init = ends_init,
	.exit = ends_exit,
	.test_cases = object_cases,
};

kunit_test_suite(object_suite);
