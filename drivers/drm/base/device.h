/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_DEVICE_H_
#define _TESSERA_DRM_DEVICE_H_

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <drm/drm_device.h>
#include <drm/drm_file.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_regs.h>
#include "job/state.h"

struct dmem_cgroup_region;
struct mem_cgroup;
struct tess_kms;
struct tess_lanes;
struct tess_nodes;

/**
 * struct tess_device - a DRM device: one per GPU of the pool, and one per node (nodes.c)
 * @name: of its vGPU
 * @drm: DRM device; it outlives the GPU while files are open, and owns this structure
 * @gpu: not used once @drm is unplugged
 * @info: copy, because it is needed after @gpu is gone
 * @vgpu: elastic vGPU
 * @generation: of the composition, from 1
 * @registered: @drm is visible to user space, or was
 * @wq: runs the jobs of all lanes, and what is put off to process context
 * @lane_count: entries of @lanes
 * @lanes: one per vslice, by its number
 * @dmem: VRAM for control groups; NULL: the kernel has none
 * @kms: modesetting; NULL: the GPU has no display heads
 * @dump: of a job that failed
 * @nodes: of the same GPU, or NULL
 * @bo_lock: protects @bos, and the backing of BOs against its release at unplug.
 *	Inside of tess_vm::lock, outside of the BOs' reservations
 * @bos: all BOs
 * @lru_lock: protects @lru and @lru_serial. Innermost
 * @lru: struct tess_bo in VRAM that may be evicted, in the order of their use
 * @lru_serial: how many were put there
 * @damage_lock: protects @damage_serial, and what was told of pictures in BOs. Innermost
 * @damage_serial: of the picture that was told of last
 * @vm_lock: protects @vms and the existence of their page tables. Outside of
 *	tess_vm::lock
 * @vms: all VMs
 * @queue_lock: protects @queues. Outside of tess_queue::lock
 * @queues: all queues whose scheduler entity is alive
 */
struct tess_device {
	const char *name;
	struct drm_device *drm;
	struct tess_gpu *gpu;
	struct tess_gpu_info info;
	struct tess_vgpu *vgpu;
	atomic64_t generation;
	bool registered;
	struct workqueue_struct *wq;
	unsigned int lane_count;
	struct tess_lanes *lanes;
	struct dmem_cgroup_region *dmem;
	struct tess_kms *kms;
	struct tess_coredump dump;
	struct tess_nodes *nodes;

	struct mutex bo_lock;
	struct list_head bos;
	spinlock_t lru_lock;
	struct rb_root_cached lru;
	u64 lru_serial;
	spinlock_t damage_lock;
	u64 damage_serial;
	struct mutex vm_lock;
	struct list_head vms;
	struct mutex queue_lock;
	struct list_head queues;
};

static inline struct tess_device *to_tess_device(const struct drm_device *drm)
{
	return drm->dev_private;
}

/**
 * struct tess_usage - what an open file uses
 * @ref: held by the file, its queues and BOs, which may be there after the file is closed
 * @cycles: GPU time by enum tess_slice_kind
 * @system_pages: system memory of its BOs that has pages
 * @vram_pages: VRAM of its BOs
 * @evicted_pages: system memory of its BOs that were made in VRAM
 * @hangs: jobs that were stopped because they hung
 * @pid: process that opened it, for messages
 * @comm: its name
 * @memcg: memory control group of that process, which pays for what is evicted
 */
struct tess_usage {
	struct kref ref;
	atomic64_t cycles[TESS_KIND_MIXED + 1];
	atomic_long_t system_pages;
	atomic_long_t vram_pages;
	atomic_long_t evicted_pages;
	atomic_t hangs;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	struct mem_cgroup *memcg;
};

/**
 * struct tess_file - an open file
 * @vms: struct tess_vm by id
 * @queues: struct tess_queue by id
 * @usage: for fdinfo
 * @tables: page tables of @vms
 * @backend: module behind the GPU, pinned
 */
struct tess_file {
	struct xarray vms;
	struct xarray queues;
	struct tess_usage *usage;
	struct tess_as_budget *tables;
	struct module *backend;
};

static inline struct tess_file *to_tess_file(const struct drm_file *file)
{
	return file->driver_priv;
}

#endif
