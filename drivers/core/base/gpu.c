// SPDX-License-Identifier: GPL-2.0-only
/*
 * GPUs: which ones there are, and what can be asked of each.
 *
 * DOC: GPUs
 *
 * The table of GPUs is here, below all rooms that look at it. GPUs are entered and removed by
 * the pool (pool/pool.c), which also says what happens when a GPU is lost.
 */
#include <linux/module.h>
#include <tessera/compat.h>
#include <tessera/ring.h>

#include "gpu.h"

DEFINE_MUTEX(tess_pool_lock);
DEFINE_XARRAY_ALLOC(tess_pool_gpus);

/**
 * tess_pool_each() - look at all GPUs
 * @look: called for each; it stays in the pool meanwhile
 * @data: for @look
 *
 * Return: false if one comes or goes just now; nothing was done.
 */
bool tess_pool_each(void (*look)(struct tess_gpu *gpu, void *data), void *data)
{
	struct tess_gpu *gpu;
	unsigned long index;

	/* Whoever has it may wait for the caller */
	if (!mutex_trylock(&tess_pool_lock))
		return false;
	xa_for_each(&tess_pool_gpus, index, gpu)
		look(gpu, data);
	mutex_unlock(&tess_pool_lock);
	return true;
}

void tess_gpu_lost(struct tess_gpu *gpu)
{
	if (!READ_ONCE(gpu->gone) && !work_busy(&gpu->gone_work))
		dev_err(&gpu->dev, "the GPU does not answer any more\n");
	schedule_work(&gpu->gone_work);
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_lost, TESS_NS);

/* ---- questions ---- */

const struct tess_gpu_info *tess_gpu_info(const struct tess_gpu *gpu)
{
	return &gpu->info;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_info, TESS_NS);

struct device *tess_gpu_dev(const struct tess_gpu *gpu)
{
	return gpu->parent;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_dev, TESS_NS);

struct kobject *tess_gpu_kobj(struct tess_gpu *gpu)
{
	return &gpu->dev.kobj;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_kobj, TESS_NS);

bool tess_gpu_can_switch(const struct tess_gpu *gpu)
{
	return gpu->can_switch;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_can_switch, TESS_NS);

int tess_gpu_hold(struct tess_gpu *gpu, struct module **owner)
{
	int idx, rc;

	if (!tess_gpu_enter(gpu, &idx))
		return -ENODEV;
	*owner = gpu->owner;
	rc = try_module_get(*owner) ? 0 : -ENODEV;
	tess_gpu_exit(gpu, idx);
	return rc;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_hold, TESS_NS);

u64 tess_gpu_time(struct tess_gpu *gpu)
{
	u64 time;
	int idx;

	if (!tess_gpu_enter(gpu, &idx))
		return 0;
	time = tess_gpu_ops(gpu)->time(gpu->be);
	tess_gpu_exit(gpu, idx);
	return time;
}
EXPORT_SYMBOL_NS_GPL(tess_gpu_time, TESS_NS);
