/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_IRQ_H_
#define _TESS_MDEV_IRQ_H_

#include <linux/spinlock.h>
#include <linux/types.h>
#include <tessera/hw/tess_regs.h>

struct eventfd_ctx;
struct tess_mdev;
struct vfio_irq_set;

/**
 * struct tess_mdev_irqs - interrupts of a vGPU
 * @lock: protects all; taken in hard interrupt context
 * @trigger: eventfd of each MSI-X vector, NULL: none
 * @request: eventfd of the device request
 * @masked: vectors that VFIO_DEVICE_SET_IRQS masked
 * @pending: masked vectors that wait
 */
struct tess_mdev_irqs {
	spinlock_t lock;
	struct eventfd_ctx *trigger[TESS_IRQ_COUNT];
	struct eventfd_ctx *request;
	u32 masked;
	u32 pending;
};

void tess_mdev_irqs_init(struct tess_mdev *tm);
/* Forget masks and what is pending; with @release also the eventfds */
void tess_mdev_irqs_reset(struct tess_mdev *tm, bool release);
/* Any context */
void tess_mdev_irq_signal(struct tess_mdev *tm, unsigned int vector);
u32 tess_mdev_irqs_pending(struct tess_mdev *tm);
/* Ask the VMM to let the device go; false if it did not say how */
bool tess_mdev_irq_request(struct tess_mdev *tm);

/* Interrupts of a VFIO index; 0: the device has none of it */
u32 tess_mdev_irq_count(unsigned int index);
u32 tess_mdev_irq_flags(unsigned int index);
/* VFIO_DEVICE_SET_IRQS with @hdr and @data checked against tess_mdev_irq_count() */
int tess_mdev_set_irqs(struct tess_mdev *tm, const struct vfio_irq_set *hdr, const void *data);

#endif
