/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_QUEUE_H_
#define _TESSERA_DRM_QUEUE_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <drm/gpu_scheduler.h>
#include <tessera/client.h>

#define TESS_MAX_QUEUES		1024

struct drm_device;
struct drm_file;
struct tess_device;
struct tess_file;
struct tess_lane;
struct tess_usage;
struct tess_vm;

/**
 * struct tess_queue - sends command buffers of a VM to a lane, in order
 * @ref: held by the id and by jobs
 * @tdev: device. @vm holds the reference to its DRM device
 * @vm: address space of the jobs
 * @lane: where they run, referenced
 * @usage: where their GPU time is added
 * @entity: the queue as the scheduler of @lane knows it. Alive while @link is in use
 * @lock: serializes submissions with each other and with the end of @entity
 * @killed: @entity is gone. Under @lock
 * @out_context: of the out fences
 * @out_seqno: last one. Under @lock
 * @link: in tess_device::queues, empty if @killed
 * @flags: DRM_TESSERA_QUEUE_*; not 0: dead. Under tess_lane::lock
 * @fault: why, if FAULTED. Under tess_lane::lock
 * @fault_cmd: command buffer of its SUBMIT that faulted. Under tess_lane::lock
 * @release_work: the last reference may go where sleeping is not allowed
 */
struct tess_queue {
	struct kref ref;
	struct tess_device *tdev;
	struct tess_vm *vm;
	struct tess_lane *lane;
	struct tess_usage *usage;
	struct drm_sched_entity entity;
	struct mutex lock;
	bool killed;
	u64 out_context;
	u64 out_seqno;
	struct list_head link;
	u32 flags;
	struct tess_fault fault;
	u32 fault_cmd;
	struct work_struct release_work;
};

struct tess_queue *tess_queue_lookup(struct tess_file *tfile, u32 id);
void tess_queue_put(struct tess_queue *queue);
int tess_queue_may(struct drm_file *file, u32 priority);
void tess_queue_close_all(struct tess_file *tfile);
void tess_queue_kill_all(struct tess_device *tdev);
int tess_queue_module_init(void);
void tess_queue_module_exit(void);

int tess_queue_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int tess_queue_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int tess_queue_state_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
