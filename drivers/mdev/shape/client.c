// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the core calls, for each part of a vGPU.
 */
#include <linux/atomic.h>
#include <linux/workqueue.h>
#include "base/irq.h"
#include "base/mdev.h"
#include "base/page.h"
#include "base/parts.h"
#include "client.h"
#include "map/area.h"
#include "map/doorbell.h"
#include "mem/dma.h"
#include "tell.h"

static void tess_mdev_complete(struct tess_vgpu *vgpu, unsigned int vslice)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);

	atomic64_inc(&part->tm->stats.completions);
	tess_mdev_irq_signal(part->tm, TESS_IRQ_COMPLETION);
}

static void tess_mdev_client_fault(struct tess_vgpu *vgpu, unsigned int vslice,
				   const struct tess_fault *fault)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);

	atomic64_inc(&part->tm->stats.client_faults);
	atomic64_or(BIT_ULL(part->first + vslice), &part->tm->bars.fault_pending);
	tess_mdev_irq_signal(part->tm, TESS_IRQ_FAULT);
}

static int tess_mdev_host_fault(struct tess_vgpu *vgpu, unsigned int vslice,
				const struct tess_host_fault *hf)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);

	return tess_mdev_dma_fault(part, hf);
}

static void tess_mdev_config_changed(struct tess_vgpu *vgpu)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);

	if (tess_mdev_page_refresh(part->tm))
		tess_mdev_tell(part->tm);
}

static void tess_mdev_relocate(struct tess_vgpu *vgpu, unsigned int gpu)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);
	struct tess_mdev *tm = part->tm;

	WRITE_ONCE(tm->relocation.gpu, gpu);
	queue_work(tm->wq, &tm->relocation.work);
}

/* One that was exchanged, or is not installed yet, concerns nobody: frame_exchange_locked() asks */
static bool client_die(struct tess_mdev *tm, const struct tess_mdev_part *part)
{
	guard(rwsem_write)(&tm->map_lock);
	if (!tess_mdev_has_part(&tm->parts, part))
		return false;
	tess_mdev_set_dead(tm);
	return true;
}

static void tess_mdev_gone(struct tess_vgpu *vgpu)
{
	struct tess_mdev_part *part = tess_vgpu_priv(vgpu);
	struct tess_mdev *tm = part->tm;

	if (!client_die(tm, part))
		return;
	tess_mdev_dma_gone(tm, part);
	/* Whatever the guest reads next tells it */
	tess_mdev_irq_signal(tm, TESS_IRQ_EVENT);
	tess_mdev_irq_request(tm);
}

const struct tess_client_ops tess_mdev_client_ops = {
	.complete = tess_mdev_complete,
	.fault = tess_mdev_client_fault,
	.host_fault = tess_mdev_host_fault,
	.config = tess_mdev_config_changed,
	.parked = tess_mdev_parked,
	.resumed = tess_mdev_resumed,
	.relocate = tess_mdev_relocate,
	.gone = tess_mdev_gone,
};
