// SPDX-License-Identifier: GPL-2.0-only
/*
 * tessera_skeleton.ko: a back-end with the ops that are mandatory, and no other.
 *
 * DOC: Skeleton of a back-end
 *
 * A place to begin from when a back-end is written (Documentation/back-end.rst), and a test of
 * what the core does with a GPU that can do little. The GPU is made up: it has no VRAM, and its
 * jobs are complete at once, without having done anything. It is in the environment's builds only.
 *
 * What is optional is missing: clients do not take turns, and virtual machines get no vGPU, as
 * there is no second stage of translation.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/string.h>
#include <tessera/compat.h>
#include <tessera/gpu.h>

#include "skeleton.h"

#define SKELETON_NAME	"tessera_skeleton"
#define CLOCK_KHZ	1000000

/* ---- the GPU ---- */

/* A cycle is a nanosecond */
static u64 skeleton_time(struct tess_backend *be)
{
	return ktime_get_ns();
}

static void skeleton_rates(struct tess_backend *be, unsigned int slice,
			   struct tess_slice_rates *rates)
{
	memset(rates, 0, sizeof(*rates));
}

static void skeleton_cut(struct tess_backend *be)
{
}

/* ---- slices ---- */

static int skeleton_slice_reset(struct tess_backend *be, unsigned int slice)
{
	return 0;
}

static int skeleton_client_get(struct tess_backend *be, unsigned int slice,
			       enum tess_client_value what, u64 *val)
{
	/* No client has work left, and none drives registers: all of it is 0 */
	*val = 0;
	return 0;
}

static int skeleton_counters(struct tess_backend *be, unsigned int slice, bool total,
			     u64 counters[TESS_COUNTS])
{
	memset(counters, 0, TESS_COUNTS * sizeof(*counters));
	return 0;
}

/* ---- interrupts ---- */

static void skeleton_irq(struct irq_work *work)
{
	struct skeleton *sk = container_of(work, struct skeleton, irq);

	if (!READ_ONCE(sk->masked))
		tess_gpu_completion_irq(sk->be.gpu);
}

static u64 skeleton_fault_pending(struct tess_backend *be)
{
	return 0;
}

static bool skeleton_fault_read(struct tess_backend *be, unsigned int slice,
				struct tess_fault *fault)
{
	return false;
}

/* ---- coming and going ---- */

static const struct tess_backend_ops skeleton_ops = {
	.time = skeleton_time,
	.rates = skeleton_rates,
	.slice_reset = skeleton_slice_reset,
	.cut = skeleton_cut,
	.client_get = skeleton_client_get,
	.counters = skeleton_counters,
	.fault_pending = skeleton_fault_pending,
	.fault_read = skeleton_fault_read,
	.as_create = skeleton_as_create,
	.as_destroy = skeleton_as_destroy,
	.as_map = skeleton_as_map,
	.as_unmap = skeleton_as_unmap,
	.ring_alloc = skeleton_ring_alloc,
	.ring_start = skeleton_ring_start,
	.ring_destroy = skeleton_ring_destroy,
	.ring_submit = skeleton_ring_submit,
	.ring_kick = skeleton_ring_kick,
	.ring_completed = skeleton_ring_completed,
	.ring_arm = skeleton_ring_arm,
	.ring_job = skeleton_ring_job,
	.ring_recover = skeleton_ring_recover,
	.ring_spent = skeleton_ring_spent,
	.ring_usage = skeleton_ring_usage,
};

static int skeleton_probe(struct platform_device *pdev)
{
	const struct tess_gpu_info info = {
		.slice_count = SKELETON_SLICES,
		.clock_khz = CLOCK_KHZ,
		.va_end = BIT_ULL(38),
		.vram_base = BIT_ULL(40),
		.group_slots = 1,
	};
	struct tess_slice_info slices[SKELETON_SLICES];
	struct skeleton *sk;
	unsigned int i;

	sk = devm_kzalloc(&pdev->dev, sizeof(*sk), GFP_KERNEL);
	if (!sk)
		return -ENOMEM;
	sk->be.ops = &skeleton_ops;
	sk->be.dev = &pdev->dev;
	sk->irq = IRQ_WORK_INIT_HARD(skeleton_irq);
	for (i = 0; i < SKELETON_SLICES; i++)
		slices[i] = (struct tess_slice_info){
			.kind = TESS_KIND_COMPUTE,
			.cores = 1,
			.engines = TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY,
		};
	platform_set_drvdata(pdev, sk);
	return tess_gpu_register(&sk->be, &info, slices);
}

static void skeleton_remove(struct platform_device *pdev)
{
	struct skeleton *sk = platform_get_drvdata(pdev);

	tess_gpu_drain(&sk->be);
	/* No handler calls the core from here on */
	WRITE_ONCE(sk->masked, true);
	irq_work_sync(&sk->irq);
	tess_gpu_unregister(&sk->be);
	/* One that was raised meanwhile does nothing, but uses the structure */
	irq_work_sync(&sk->irq);
}

static struct platform_driver skeleton_driver = {
	.probe = skeleton_probe,
	.remove = skeleton_remove,
	.driver.name = SKELETON_NAME,
};

static struct platform_device *skeleton_device;

static int __init skeleton_init(void)
{
	const struct platform_device_info info = {
		.name = SKELETON_NAME,
		.id = PLATFORM_DEVID_NONE,
		.dma_mask = DMA_BIT_MASK(40),
	};
	int rc;

	rc = platform_driver_register(&skeleton_driver);
	if (rc)
		return rc;
	skeleton_device = platform_device_register_full(&info);
	rc = PTR_ERR_OR_ZERO(skeleton_device);
	if (rc)
		platform_driver_unregister(&skeleton_driver);
	return rc;
}
module_init(skeleton_init);

static void __exit skeleton_exit(void)
{
	platform_device_unregister(skeleton_device);
	platform_driver_unregister(&skeleton_driver);
}
module_exit(skeleton_exit);

MODULE_AUTHOR("Tessera developers");
MODULE_DESCRIPTION("Skeleton of a back-end: a GPU that does nothing");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(TESS_NS);
