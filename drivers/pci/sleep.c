// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleep of the system.
 *
 * DOC: Sleep
 *
 * In suspend to idle everything keeps its power, and so does the GPU: it completes what is in its
 * rings, needs the host for faults and turns of clients, and so waits for it. Interrupts that it
 * raises meanwhile are kept by the kernel. If its clock went back it lost its power all the same:
 * it is started anew, and its clients lose it.
 *
 * Any other sleep may take the power away: suspend to memory, and hibernation, each time that it
 * stops devices. Then nobody loses anything either, if the GPU can exchange clients:
 *
 * 1. The core parks all clients (tess_gpu_suspend()), so that what they have is in memory of the
 *    host: contexts, rings, page tables. No op touches a register from here on.
 * 2. Interrupts are masked, VRAM is copied to memory of the host, page by page, those that are
 *    not zero. If there is not enough memory the system does not sleep.
 * 3. The GPU is switched off the bus.
 *
 * It comes back as after power-on, whether it had lost its power or not: nobody knows what a
 * firmware, or another kernel, did with it. A reset makes sure of that; VRAM is zero then, and
 * gets its pages back; TIME goes on where it stood. Then the core lets the clients go on.
 *
 * A GPU that does not come back, because it was pulled, is lost to its clients as at any other
 * time. It may also be stopped in between, by an error of the bus. Whoever does that waits for
 * nothing that is frozen.
 *
 * One that cannot exchange clients, as a vGPU in a guest, leaves the pool instead and comes back
 * as a new one. That is refused while a virtual machine has a vGPU of it.
 */
#include <linux/device.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/string.h>
#include <linux/suspend.h>

#include "hw.h"
#include "irq.h"
#include "sleep.h"
#include "tess_pci.h"

/* ---- VRAM ---- */

/**
 * tess_pci_sleep_forget() - copies of VRAM are not needed any more
 * @tp: device
 */
void tess_pci_sleep_forget(struct tess_pci *tp)
{
	unsigned long index;
	void *page;

	xa_for_each(&tp->saved, index, page)
		free_page((unsigned long)page);
	xa_destroy(&tp->saved);
}

static void __iomem *vram_page(const struct tess_pci *tp, unsigned long index)
{
	return tp->vram_bar + ((u64)index << PAGE_SHIFT);
}

/* @page: to copy to; NULL afterwards if it was kept */
static int save_page(struct tess_pci *tp, unsigned long index, void **page)
{
	if (!*page)
		*page = (void *)__get_free_page(GFP_KERNEL | __GFP_NOWARN);
	if (!*page)
		return -ENOMEM;
	memcpy_fromio(*page, vram_page(tp, index), PAGE_SIZE);
	if (!memchr_inv(*page, 0, PAGE_SIZE))
		return 0;
	if (xa_err(xa_store(&tp->saved, index, *page, GFP_KERNEL | __GFP_NOWARN)))
		return -ENOMEM;
	*page = NULL;
	return 0;
}

/* All that is allocated; what else is in the same block of 2 MiB comes with it */
static int save_vram(struct tess_pci *tp)
{
	unsigned long i, pages = tp->info.vram_size >> PAGE_SHIFT;
	void *page = NULL;
	int rc = 0;

	for (i = 0; !rc && i < pages; i++) {
		if (tess_pci_vram_is_used(tp, (u64)i << PAGE_SHIFT))
			rc = save_page(tp, i, &page);
		cond_resched();
	}
	free_page((unsigned long)page);
	return rc;
}

static void restore_vram(struct tess_pci *tp)
{
	unsigned long index;
	void *page;

	xa_for_each(&tp->saved, index, page) {
		memcpy_toio(vram_page(tp, index), page, PAGE_SIZE);
		cond_resched();
	}
	/* Write-combined: out of the CPU before anybody runs */
	wmb();
}

/* ---- with the loss of power ---- */

static u64 read_time(struct tess_pci *tp)
{
	return tess_pci_read64(tp, TESS_GLOBAL_PAGE, TESS_REG_TIME);
}

static int sleep_fall_asleep(struct tess_pci *tp)
{
	int rc;

	/* For those who ask before it is known */
	WRITE_ONCE(tp->slept_at, read_time(tp));
	rc = tess_gpu_suspend(&tp->be);
	if (rc)
		return rc;
	WRITE_ONCE(tp->slept_at, read_time(tp));
	tess_pci_irq_mask(tp);
	rc = save_vram(tp);
	if (!rc) {
		pci_clear_master(tp->pdev);
		return 0;
	}
	dev_err(tp->be.dev, "no memory for what is in VRAM: the system does not sleep\n");
	tess_pci_sleep_forget(tp);
	tess_pci_irq_unmask(tp);
	tess_gpu_resume(&tp->be);
	return rc;
}

/* The same one as before, in the state after power-on */
static bool sleep_is_back(struct tess_pci *tp)
{
	if (!pci_device_is_present(tp->pdev) || !tess_pci_answers(tp))
		return false;
	tess_pci_write32(tp, TESS_GLOBAL_PAGE, TESS_REG_RESET, TESS_RESET_KEY);
	return tess_pci_answers(tp) &&
	       tess_pci_read32(tp, TESS_GLOBAL_PAGE, TESS_REG_SLICE_COUNT) ==
	       tp->info.slice_count &&
	       tess_pci_read64(tp, TESS_GLOBAL_PAGE, TESS_REG_VRAM_SIZE) == tp->info.vram_size;
}

static void sleep_wake_up(struct tess_pci *tp)
{
	if (READ_ONCE(tp->dead) || !sleep_is_back(tp)) {
		dev_err(tp->be.dev, "the GPU did not come back when the system woke up\n");
		tess_pci_bury(tp);
		tess_gpu_lost(tp->be.gpu);
	} else {
		tess_pci_write64(tp, TESS_GLOBAL_PAGE, TESS_REG_TIME, tp->slept_at);
		restore_vram(tp);
		pci_set_master(tp->pdev);
	}
	tess_pci_sleep_forget(tp);
	tess_pci_irq_unmask(tp);
	tess_gpu_resume(&tp->be);
}

/* ---- all sorts of sleep ---- */

static int sleep_begin(struct tess_pci *tp)
{
	int rc;

	if (pm_suspend_target_state == PM_SUSPEND_TO_IDLE) {
		WRITE_ONCE(tp->slept_at, tp->be.ops->time(&tp->be));
		/* The PCI core leaves a device in D0 whose state is saved already */
		return pci_save_state(tp->pdev);
	}
	if (tp->be.ops->switching) {
		rc = sleep_fall_asleep(tp);
		/* One that is lost has nothing to lose */
		return rc == -ENODEV ? 0 : rc;
	}
	if (tess_gpu_in_use(tp->be.gpu))
		return -EBUSY;
	tess_pci_stop(tp);
	return 0;
}

static int tess_pci_suspend(struct device *dev)
{
	struct tess_pci *tp = dev_get_drvdata(dev);
	int rc;

	if (!tp->started)
		return 0;
	tess_pci_vram_pause(tp);
	rc = sleep_begin(tp);
	if (rc)
		tess_pci_vram_continue(tp);
	return rc;
}

static int tess_pci_resume(struct device *dev)
{
	struct tess_pci *tp = dev_get_drvdata(dev);

	if (!tp->started)
		return tess_pci_start(tp);
	if (READ_ONCE(tp->be.asleep)) {
		sleep_wake_up(tp);
	} else if (tess_pci_is_alive(tp) && tp->be.ops->time(&tp->be) < tp->slept_at) {
		dev_err(dev, "the GPU lost its power while the system slept\n");
		tess_pci_stop(tp);
		return tess_pci_start(tp);
	}
	tess_pci_vram_continue(tp);
	return 0;
}

DEFINE_SIMPLE_DEV_PM_OPS(tess_pci_pm_ops, tess_pci_suspend, tess_pci_resume);
