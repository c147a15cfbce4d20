// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sleep of the system.
 *
 * DOC: PCI sleep
 *
 * In suspend to idle everything keeps its power, and so does the GPU: it completes what is in its
 * rings, needs the host for faults and turns of clients, and so waits for it. Interrupts that it
 * raises meanwhile are kept by the kernel. If its clock went back it lost its power all the same:
 * it is started anew, and its clients lose it.
 *
 * Any other sleep may take the power away: suspend to memory, and hibernation, each time that it
 * stops devices. Then clients are saved (tess_chip_suspend()), if the GPU can exchange them. One
 * that cannot, as a vGPU in a guest, leaves the pool instead and comes back as a new one. That is
 * refused while a virtual machine has a vGPU of it.
 */
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/suspend.h>

#include "sleep.h"
#include "tess_pci.h"

static int tess_pci_sleep_begin(struct tess_pci *tp)
{
	int rc;

	if (pm_suspend_target_state == PM_SUSPEND_TO_IDLE) {
		tp->slept_at = tp->be->ops->time(tp->be);
		/* The PCI core leaves a device in D0 whose state is saved already */
		return pci_save_state(tp->pdev);
	}
	if (tp->be->ops->switching) {
		rc = tess_chip_suspend(tp->chip);
		/* One that is lost has nothing to lose */
		return rc == -ENODEV ? 0 : rc;
	}
	if (tess_gpu_in_use(tp->be->gpu))
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
	tess_chip_pause(tp->chip);
	rc = tess_pci_sleep_begin(tp);
	if (rc)
		tess_chip_continue(tp->chip);
	return rc;
}

static int tess_pci_resume(struct device *dev)
{
	struct tess_pci *tp = dev_get_drvdata(dev);

	if (!tp->started)
		return tess_pci_start(tp);
	if (READ_ONCE(tp->be->asleep)) {
		tess_chip_resume(tp->chip, pci_device_is_present(tp->pdev));
	} else if (tess_chip_is_alive(tp->chip) && tp->be->ops->time(tp->be) < tp->slept_at) {
		dev_err(dev, "the GPU lost its power while the system slept\n");
		tess_pci_stop(tp);
		return tess_pci_start(tp);
	}
	tess_chip_continue(tp->chip);
	return 0;
}

DEFINE_SIMPLE_DEV_PM_OPS(tess_pci_pm_ops, tess_pci_suspend, tess_pci_resume);
