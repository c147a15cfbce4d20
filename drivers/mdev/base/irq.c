// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: interrupts
 *
 * An interrupt of a vGPU is an eventfd that the VMM hands over; KVM turns it into an
 * MSI-X message without the VMM. The completion vector is signalled right in the hard
 * interrupt of the GPU.
 *
 * VFIO_DEVICE_SET_IRQS decides which vectors exist. The MSI-X table and control word
 * of the device are memory for VMMs that keep their state there, and gate nothing: the
 * VMM emulates them for the guest.
 *
 * The error index has no interrupt: VMMs answer it by stopping the whole VM, while a
 * guest that loses its GPU can go on without.
 */
#include <linux/eventfd.h>
#include "irq.h"
#include "mdev.h"

void tess_mdev_irqs_init(struct tess_mdev *tm)
{
	spin_lock_init(&tm->irqs.lock);
}

void tess_mdev_irq_signal(struct tess_mdev *tm, unsigned int vector)
{
	struct tess_mdev_irqs *irqs = &tm->irqs;
	unsigned long flags;

	spin_lock_irqsave(&irqs->lock, flags);
	if (!irqs->trigger[vector])
		goto unlock;
	if (irqs->masked & BIT(vector))
		irqs->pending |= BIT(vector);
	else
		eventfd_signal(irqs->trigger[vector]);
unlock:
	spin_unlock_irqrestore(&irqs->lock, flags);
}

u32 tess_mdev_irqs_pending(struct tess_mdev *tm)
{
	return READ_ONCE(tm->irqs.pending);
}

bool tess_mdev_irq_request(struct tess_mdev *tm)
{
	bool has;

	spin_lock_irq(&tm->irqs.lock);
	has = tm->irqs.request;
	if (has)
		eventfd_signal(tm->irqs.request);
	spin_unlock_irq(&tm->irqs.lock);
	return has;
}

/* Put a new eventfd into @slot; the old one is not signalled any more on return */
static void irq_replace(struct tess_mdev *tm, struct eventfd_ctx **slot, struct eventfd_ctx *ctx)
{
	struct eventfd_ctx *old;

	spin_lock_irq(&tm->irqs.lock);
	old = *slot;
	*slot = ctx;
	spin_unlock_irq(&tm->irqs.lock);
	if (old)
		eventfd_ctx_put(old);
}

static void irq_set_masked(struct tess_mdev *tm, u32 vectors, bool masked)
{
	struct tess_mdev_irqs *irqs = &tm->irqs;
	unsigned long fire;
	unsigned int i;

	spin_lock_irq(&irqs->lock);
	if (masked) {
		irqs->masked |= vectors;
	} else {
		irqs->masked &= ~vectors;
		fire = irqs->pending & vectors;
		irqs->pending &= ~vectors;
		for_each_set_bit(i, &fire, TESS_IRQ_COUNT) {
			if (irqs->trigger[i])
				eventfd_signal(irqs->trigger[i]);
		}
	}
	spin_unlock_irq(&irqs->lock);
}

void tess_mdev_irqs_reset(struct tess_mdev *tm, bool release)
{
	unsigned int i;

	spin_lock_irq(&tm->irqs.lock);
	tm->irqs.masked = 0;
	tm->irqs.pending = 0;
	spin_unlock_irq(&tm->irqs.lock);
	if (!release)
		return;
	for (i = 0; i < TESS_IRQ_COUNT; i++)
		irq_replace(tm, &tm->irqs.trigger[i], NULL);
	irq_replace(tm, &tm->irqs.request, NULL);
}

u32 tess_mdev_irq_count(unsigned int index)
{
	switch (index) {
	case VFIO_PCI_MSIX_IRQ_INDEX:
		return TESS_IRQ_COUNT;
	case VFIO_PCI_REQ_IRQ_INDEX:
		return 1;
	default:
		return 0;
	}
}

u32 tess_mdev_irq_flags(unsigned int index)
{
	switch (index) {
	case VFIO_PCI_MSIX_IRQ_INDEX:
		return VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_MASKABLE;
	case VFIO_PCI_REQ_IRQ_INDEX:
		return VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
	default:
		return 0;
	}
}

/* Vectors that a DATA_NONE or DATA_BOOL call names */
static u32 irq_named_vectors(const struct vfio_irq_set *hdr, const void *data)
{
	const u8 *bools = data;
	u32 i, vectors = 0;

	for (i = 0; i < hdr->count; i++) {
		if (hdr->flags & VFIO_IRQ_SET_DATA_NONE || bools[i])
			vectors |= BIT(hdr->start + i);
	}
	return vectors;
}

/* All eventfds are taken before the first is put in place: all or nothing */
static int msix_set_eventfds(struct tess_mdev *tm, const struct vfio_irq_set *hdr,
			     const s32 *fds)
{
	struct eventfd_ctx *ctx[TESS_IRQ_COUNT] = {};
	int ret;
	u32 i;

	for (i = 0; i < hdr->count; i++) {
		if (fds[i] < 0)
			continue;
		ctx[i] = eventfd_ctx_fdget(fds[i]);
		if (IS_ERR(ctx[i])) {
			ret = PTR_ERR(ctx[i]);
			goto err_put;
		}
	}
	for (i = 0; i < hdr->count; i++)
		irq_replace(tm, &tm->irqs.trigger[hdr->start + i], ctx[i]);
	return 0;

err_put:
	while (i--) {
		if (ctx[i])
			eventfd_ctx_put(ctx[i]);
	}
	return ret;
}

static int msix_set_trigger(struct tess_mdev *tm, const struct vfio_irq_set *hdr,
			    const void *data)
{
	unsigned long vectors;
	unsigned int i;

	if (hdr->flags & VFIO_IRQ_SET_DATA_EVENTFD)
		return msix_set_eventfds(tm, hdr, data);
	if (hdr->flags & VFIO_IRQ_SET_DATA_NONE && !hdr->count) {
		for (i = 0; i < TESS_IRQ_COUNT; i++)
			irq_replace(tm, &tm->irqs.trigger[i], NULL);
		return 0;
	}
	vectors = irq_named_vectors(hdr, data);
	for_each_set_bit(i, &vectors, TESS_IRQ_COUNT)
		tess_mdev_irq_signal(tm, i);
	return 0;
}

static int msix_set_mask(struct tess_mdev *tm, const struct vfio_irq_set *hdr,
			 const void *data, bool mask)
{
	if (hdr->flags & VFIO_IRQ_SET_DATA_EVENTFD)
		return -ENOTTY;
	irq_set_masked(tm, irq_named_vectors(hdr, data), mask);
	return 0;
}

static int req_set_eventfd(struct tess_mdev *tm, s32 fd)
{
	struct eventfd_ctx *ctx = NULL;

	if (fd >= 0) {
		ctx = eventfd_ctx_fdget(fd);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
	}
	irq_replace(tm, &tm->irqs.request, ctx);
	return 0;
}

static int req_set_trigger(struct tess_mdev *tm, const struct vfio_irq_set *hdr,
			   const void *data)
{
	if (!hdr->count) {
		irq_replace(tm, &tm->irqs.request, NULL);
		return 0;
	}
	if (hdr->flags & VFIO_IRQ_SET_DATA_EVENTFD)
		return req_set_eventfd(tm, *(const s32 *)data);
	if (irq_named_vectors(hdr, data))
		tess_mdev_irq_request(tm);
	return 0;
}

/* VFIO checks neither that an action is named nor that it is only one; as vfio-pci answers */
static int msix_set(struct tess_mdev *tm, const struct vfio_irq_set *hdr, const void *data)
{
	switch (hdr->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) {
	case VFIO_IRQ_SET_ACTION_TRIGGER:
		return msix_set_trigger(tm, hdr, data);
	case VFIO_IRQ_SET_ACTION_MASK:
		return msix_set_mask(tm, hdr, data, true);
	case VFIO_IRQ_SET_ACTION_UNMASK:
		return msix_set_mask(tm, hdr, data, false);
	default:
		return -ENOTTY;
	}
}

int tess_mdev_set_irqs(struct tess_mdev *tm, const struct vfio_irq_set *hdr, const void *data)
{
	bool trigger = (hdr->flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) == VFIO_IRQ_SET_ACTION_TRIGGER;

	switch (hdr->index) {
	case VFIO_PCI_MSIX_IRQ_INDEX:
		return msix_set(tm, hdr, data);
	case VFIO_PCI_REQ_IRQ_INDEX:
		return trigger ? req_set_trigger(tm, hdr, data) : -ENOTTY;
	default:
		return -EINVAL;
	}
}
