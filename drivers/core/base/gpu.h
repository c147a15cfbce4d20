/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_GPU_H_
#define _TESSERA_CORE_GPU_H_

#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <tessera/backend.h>

struct tess_display_client;
struct tess_slice;
struct tess_vgpu;

/*
 * Protects the GPUs of the pool and its front-ends, and serializes the gpu_add(), gpu_drain() and
 * gpu_remove() call-backs. Outermost lock of the core.
 */
extern struct mutex tess_pool_lock;
/* By number. Under tess_pool_lock; the pool enters and removes them */
extern struct xarray tess_pool_gpus;

/**
 * struct tess_swapper - what a GPU keeps for those that move and grow vGPUs, in auto/
 * @work: looks at the GPU; pending only while a vGPU that may be moved waits. The rest but
 *	@adapt is for it alone
 * @adapt: composes automatic vGPUs anew; pending only while there is one with a range
 * @period: number of the period, from 1; 0: it never looked
 * @looked: when that was (jiffies)
 * @looks: tess_swap_slice.looks of each slice
 */
struct tess_swapper {
	struct delayed_work work;
	struct delayed_work adapt;
	u64 period;
	unsigned long looked;
	unsigned int looks[TESS_MAX_SLICES];
};

/**
 * struct tess_vgpu_dirs - directory "vgpus" of a GPU, for pool/
 * @lock: protects @kobj, @list and tess_vgpu.dir. Outside of tess_gpu.compose; held while
 *	readers of files leave, so no file takes it
 * @kobj: the directory; NULL before the GPU is visible and after it was
 * @list: directories of vGPUs
 */
struct tess_vgpu_dirs {
	struct mutex lock;
	struct kobject *kobj;
	struct list_head list;
};

/**
 * struct tess_gpu - a GPU of the pool
 * @dev: in the class "tessera"; its reference count is that of this structure
 * @be: back-end, valid inside tess_gpu_enter() and tess_object_claim()
 * @parent: device of the back-end; a reference is held as long as anybody may ask
 * @owner: module of the back-end, which is there inside tess_gpu_enter(); NULL: none
 * @info: what does not change
 * @can_switch: the back-end can exchange the client of a slice
 * @slices: @info.slice_count of them
 * @slices_kobj: directory "slices"
 * @dirs: directory "vgpus"
 * @srcu: readers are calls into the back-end; see tess_gpu_enter()
 * @leaving: it is about to go, no vGPU is composed on it any more. Written once, under
 *	@compose
 * @asleep: everybody is parked, and stays so. Written under @compose, and before tess_slice.hw of
 *	each slice is taken
 * @still: @asleep, and everybody is parked now
 * @stands: woken when @still is set, and after @gone
 * @gone: no new call may start, but those that take memory from the GPU. Written once,
 *	under @lock
 * @stopped: after @gone: the slices were reset, or the GPU was cut off from memory. Nothing
 *	has to be taken from it any more. Written once, under @objects_lock
 * @gone_lock: makes the gone() callbacks happen once, and lets unregistering wait
 *	for them
 * @gone_told: they were made. Under @gone_lock
 * @gone_work: makes them after tess_gpu_lost(); the pool's
 * @compose: serializes compositions: taking slices, giving them back, and the
 *	reclaim() and restore() callbacks that belong to it. Outermost lock of a GPU
 * @lock: protects the ownership of slices (state, client), @vgpus, @elastic and
 *	@generation. Never held while calling a back-end or a client
 * @vgpus: all vGPUs that were not destroyed
 * @elastic: the vGPU that holds free slices, or NULL
 * @generation: number of changes of ownership, from 1
 * @swapper: moves vslices to better slices
 * @display: who is told of events of heads, or NULL. Written under @lock, read under @srcu
 * @vram_lock: makes allocations of VRAM one after the other. Innermost, but for the back-end's own
 * @vram_kept: bytes that are free, and kept for those who have a quota. Under @vram_lock
 * @exports: of memory of vGPUs: &struct tess_vram_export. Under @vram_lock
 * @revoke_work: has those leave it who read memory that is no vGPU's any more; shape/room.c
 * @objects_lock: protects @objects, and whether they may be destroyed (@stopped)
 * @objects: what the back-end has to destroy before the GPU goes: &struct tess_object
 */
struct tess_gpu {
	struct device dev;
	struct tess_backend *be;
	struct device *parent;
	struct module *owner;
	struct tess_gpu_info info;
	bool can_switch;
	struct tess_slice *slices;
	struct kobject *slices_kobj;
	struct tess_vgpu_dirs dirs;

	struct srcu_struct srcu;
	bool leaving;
	bool asleep;
	bool still;
	wait_queue_head_t stands;
	bool gone;
	bool stopped;
	struct mutex gone_lock;
	bool gone_told;
	struct work_struct gone_work;

	struct mutex compose;
	spinlock_t lock;
	struct list_head vgpus;
	struct tess_vgpu *elastic;
	u64 generation;

	struct tess_swapper swapper;
	struct tess_display_client __rcu *display;

	struct mutex vram_lock;
	u64 vram_kept;
	struct list_head exports;
	struct work_struct revoke_work;

	struct mutex objects_lock;
	struct list_head objects;
};

static inline struct tess_gpu *to_tess_gpu(struct device *dev)
{
	return container_of(dev, struct tess_gpu, dev);
}

static inline const struct tess_backend_ops *tess_gpu_ops(const struct tess_gpu *gpu)
{
	return gpu->be->ops;
}

/* Of a GPU that can switch */
static inline const struct tess_switch_ops *tess_gpu_switch_ops(const struct tess_gpu *gpu)
{
	return gpu->be->ops->switching;
}

/**
 * tess_gpu_enter() - begin a call into the back-end
 * @gpu: GPU
 * @idx: for tess_gpu_exit()
 *
 * Any context. Between the two the back-end stays.
 *
 * Return: false if the GPU is gone; there is nothing to exit then.
 */
static inline bool __must_check tess_gpu_enter(struct tess_gpu *gpu, int *idx)
{
	*idx = srcu_read_lock(&gpu->srcu);
	if (likely(!READ_ONCE(gpu->gone))) {
		__release(&gpu->srcu); /* sparse knows no conditional sections */
		return true;
	}
	srcu_read_unlock(&gpu->srcu, *idx);
	return false;
}

/**
 * tess_gpu_enter_to_take() - begin a call that takes memory from the GPU
 * @gpu: GPU
 * @idx: for tess_gpu_exit()
 *
 * As tess_gpu_enter(), but also while the GPU goes: its slices may run until they were
 * reset, and what is freed before that has to be out of their reach as ever.
 *
 * Return: false if the GPU has stopped and reaches no memory; there is nothing to exit then.
 */
static inline bool __must_check tess_gpu_enter_to_take(struct tess_gpu *gpu, int *idx)
{
	*idx = srcu_read_lock(&gpu->srcu);
	if (likely(!READ_ONCE(gpu->stopped))) {
		__release(&gpu->srcu); /* sparse knows no conditional sections */
		return true;
	}
	srcu_read_unlock(&gpu->srcu, *idx);
	return false;
}

static inline void tess_gpu_exit(struct tess_gpu *gpu, int idx)
{
	__acquire(&gpu->srcu);
	srcu_read_unlock(&gpu->srcu, idx);
}

bool tess_pool_each(void (*look)(struct tess_gpu *gpu, void *data), void *data);

#endif
