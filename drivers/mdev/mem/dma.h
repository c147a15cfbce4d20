/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_DMA_H_
#define _TESS_MDEV_DMA_H_

#include <linux/jiffies.h>
#include <linux/types.h>

/* How long a GPU that goes waits for a VMM; what it did not let go then is lost to its guest */
#define TESS_MDEV_VMM_TIMEOUT	(5 * HZ)

struct tess_as;
struct tess_gpu;
struct tess_host_fault;
struct tess_mdev;
struct tess_mdev_part;
struct tess_vgpu;
struct vfio_device;

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

/* host_fault() of the core */
int tess_mdev_dma_fault(struct tess_mdev_part *part, const struct tess_host_fault *hf);
/* dma_unmap() of VFIO */
void tess_mdev_dma_unmap(struct vfio_device *vdev, u64 iova, u64 length);

#endif
