/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_QUEUE_STATE_H_
#define _TESSERA_DRM_QUEUE_STATE_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <drm/gpu_scheduler.h>
#include <tessera/gpu.h>

struct dma_fence;
struct tess_device;
struct tess_lane;
struct tess_usage;
struct tess_vm;

/**
 * struct tess_entity - a queue on one slice
 * @lane: where its jobs run, referenced
 * @base: as the scheduler of @lane knows it
 */
struct tess_entity {
	struct tess_lane *lane;
	struct drm_sched_entity base;
};

/**
 * struct tess_queue - sends command buffers of a VM to slices, in order
 * @ref: held by the id and by jobs
 * @tdev: device. @vm holds the reference to its DRM device
 * @vm: address space of the jobs
 * @usage: where their GPU time is added
 * @slices: mask of the slices where they may run
 * @priority: DRM_TESSERA_PRIORITY_*
 * @lock: serializes submissions with each other and with the end of @entities
 * @killed: the schedulers know none of @entities. Under @lock
 * @out_context: of the out fences
 * @out_seqno: last one. Under @lock
 * @last: out fence of the last SUBMIT, referenced; NULL: there was none. Under @lock
 * @last_entity: where all of it was sent; NULL: to several. Under @lock
 * @link: in tess_device::queues, empty if @killed
 * @state_lock: protects what follows up to @fault_submit. Inside of tess_lane::lock
 * @flags: DRM_TESSERA_QUEUE_*; not 0: dead
 * @fault: why, if FAULTED
 * @fault_cmd: command buffer of its SUBMIT that faulted
 * @fault_slice: where
 * @fault_submit: number of the SUBMIT of which a job faulted, else hung; 0: none did
 * @release_work: the last reference may go where sleeping is not allowed
 * @entity_count: entries of @entities
 * @entities: by slice; NULL: none was sent there. Change under @lock, and only to what stays
 */
struct tess_queue {
	struct kref ref;
	struct tess_device *tdev;
	struct tess_vm *vm;
	struct tess_usage *usage;
	u64 slices;
	u32 priority;
	struct mutex lock;
	bool killed;
	u64 out_context;
	u64 out_seqno;
	struct dma_fence *last;
	struct tess_entity *last_entity;
	struct list_head link;
	spinlock_t state_lock;
	u32 flags;
	struct tess_fault fault;
	u32 fault_cmd;
	u32 fault_slice;
	u64 fault_submit;
	struct work_struct release_work;
	unsigned int entity_count;
	struct tess_entity *entities[] __counted_by(entity_count);
};

void tess_queue_put(struct tess_queue *queue);
bool tess_queue_is_dead(struct tess_queue *queue);
void tess_queue_fail(struct tess_queue *queue, u32 flag);
void tess_queue_hang(struct tess_queue *queue, u64 number);
void tess_queue_fault(struct tess_queue *queue, const struct tess_fault *fault, u64 number,
		      u32 cmd, u32 slice);
int tess_queue_module_init(void);
void tess_queue_module_exit(void);

#endif
