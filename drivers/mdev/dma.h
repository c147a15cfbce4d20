/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_DMA_H_
#define _TESS_MDEV_DMA_H_

#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/maple_tree.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

/* How long a GPU that goes waits for a VMM; what it did not let go then is lost to its guest */
#define TESS_MDEV_VMM_TIMEOUT	(5 * HZ)

struct tess_as;
struct tess_gpu;
struct tess_host_fault;
struct tess_mdev;
struct tess_mdev_part;
struct tess_vgpu;
struct vfio_device;

/**
 * struct tess_mdev_dma - what the GPU reaches for a vGPU
 * @lock: protects all, the records, the stage 2 of the parts and the DMA mappings of @chunks;
 *	never held over a call of VFIO
 * @open: guest memory can be pinned
 * @owed: there is something for tess_mdev_dma_follow(), who asks without the lock
 * @faults: call-backs that bring memory just now, or wait for memory that another one brings
 * @chunks: struct tess_mdev_chunk by page number, ranges that do not overlap
 * @busy: struct tess_mdev_pin for which VFIO is called just now
 * @dropped: struct tess_mdev_pin that are to be unpinned by whoever has no lock next
 * @wait: those who wait for a call of VFIO, or a call-back, to end
 * @ended: how many did
 * @quiet_until: jiffies before which nothing is pinned, see tess_mdev_pins_paused()
 * @give_back: unpins what a GPU that is gone has left
 */
struct tess_mdev_dma {
	struct mutex lock;
	bool open;
	bool owed;
	unsigned int faults;
	struct maple_tree chunks;
	struct list_head busy;
	struct list_head dropped;
	wait_queue_head_t wait;
	unsigned int ended;
	unsigned long quiet_until;
	struct work_struct give_back;
};

void tess_mdev_dma_init(struct tess_mdev *tm);
void tess_mdev_dma_fini(struct tess_mdev *tm);
/* Stage 2 for a new vGPU, with its VRAM; error pointer */
struct tess_as *tess_mdev_stage2_create(struct tess_vgpu *vgpu);
void tess_mdev_dma_open(struct tess_mdev *tm);
/* Forget all guest memory, and, for close, pin none any more; tess_mdev_dma_follow() unpins it */
void tess_mdev_dma_release(struct tess_mdev *tm);
void tess_mdev_dma_close(struct tess_mdev *tm);
/* After close, without locks: all is unpinned then */
void tess_mdev_dma_closed(struct tess_mdev *tm);
/* The calls of VFIO that are due after an access or a reset; without locks */
void tess_mdev_dma_follow(struct tess_mdev *tm);
/* The GPU of @part is gone: nothing is reached any more. Waits for no VMM */
void tess_mdev_dma_gone(struct tess_mdev *tm, struct tess_mdev_part *part);

/*
 * The client goes on with @next, of another GPU, instead of its only part: let that GPU reach
 * what this one does. Then either take it back, or, when @next is the vGPU's, take from @before
 * what it has, with its stage 2. All hold @tm->dma.lock.
 */
int tess_mdev_dma_prepare(struct tess_mdev *tm, struct tess_mdev_part *next);
void tess_mdev_dma_cancel(struct tess_mdev *tm, struct tess_mdev_part *next);
void tess_mdev_dma_commit(struct tess_mdev *tm, struct tess_mdev_part *before);
/* host_fault() of the core */
int tess_mdev_dma_fault(struct tess_mdev_part *part, const struct tess_host_fault *hf);
/* dma_unmap() of VFIO */
void tess_mdev_dma_unmap(struct vfio_device *vdev, u64 iova, u64 length);

#endif
