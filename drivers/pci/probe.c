// SPDX-License-Identifier: GPL-2.0-only
/*
 * tessera_pci.ko: back-end for Tessera PCI GPUs and for vGPUs, which look like them.
 *
 * DOC: PCI back-end
 *
 * Probing maps what lasts as long as the driver is bound; starting brings the GPU to a
 * known state and into the pool; stopping takes it out and leaves it silent. Everything
 * that happens to a PCI function in between (function level reset, bus errors, loss of
 * power) is a stop followed by a start: clients lose the GPU and find a new one. Before the
 * driver is unbound the GPU is drained: clients that another GPU can have go there.
 *
 * A GPU that the core gives up, because it does not answer or a slice of it cannot be stopped,
 * is reset in the same way without anybody's help: its clients were told that they lost it. Not
 * without limit: what provokes it again and again would take the GPU from all others each time.
 *
 * What happens when the system sleeps is in sleep.c.
 *
 * All callers of starting and stopping hold the device lock.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>

#include "irq.h"
#include "sleep.h"
#include "tess_pci.h"

#define RECOVERY_PERIOD	(600 * HZ)
#define RECOVERY_RETRY	(HZ / 10)

static unsigned int recoveries = 3;
module_param(recoveries, uint, 0644);
MODULE_PARM_DESC(recoveries, "how often in ten minutes a GPU that was given up is reset; 0: never");

/* ---- start and stop ---- */

static void pci_silence(struct tess_chip *chip)
{
	struct tess_pci *tp = tess_chip_priv(chip);

	pci_clear_master(tp->pdev);
}

static void pci_unsilence(struct tess_chip *chip)
{
	struct tess_pci *tp = tess_chip_priv(chip);

	pci_set_master(tp->pdev);
}

static void pci_mask(struct tess_chip *chip, bool on)
{
	struct tess_pci *tp = tess_chip_priv(chip);

	if (on)
		tess_pci_irq_mask(tp);
	else
		tess_pci_irq_unmask(tp);
}

static void pci_lost(struct tess_chip *chip)
{
	struct tess_pci *tp = tess_chip_priv(chip);

	WRITE_ONCE(tp->lost, true);
	queue_delayed_work(system_freezable_wq, &tp->recovery, 0);
}

static const struct tess_chip_io pci_io = {
	.silence = pci_silence,
	.unsilence = pci_unsilence,
	.mask = pci_mask,
	.lost = pci_lost,
};

/**
 * tess_pci_start() - bring the GPU to a known state and into the pool
 * @tp: device, not started; the device lock is held
 *
 * It is reset before it may access memory: nobody knows what it was doing.
 *
 * Return: 0 or negative errno.
 */
int tess_pci_start(struct tess_pci *tp)
{
	int rc;

	WRITE_ONCE(tp->lost, false);
	rc = tess_chip_prepare(tp->chip);
	if (rc)
		return rc;
	pci_set_master(tp->pdev);
	rc = tess_pci_irq_start(tp);
	if (rc)
		goto err_master;
	rc = tess_chip_add(tp->chip);
	if (rc)
		goto err_irq;
	tp->started = true;
	return 0;

err_irq:
	tess_pci_irq_stop(tp);
err_master:
	pci_clear_master(tp->pdev);
	tess_chip_finish(tp->chip);
	return rc;
}

/**
 * tess_pci_stop() - take the GPU out of the pool and leave it silent
 * @tp: device, started or not, awake or asleep; the device lock is held
 *
 * It waits for nothing that is frozen while the system sleeps.
 */
void tess_pci_stop(struct tess_pci *tp)
{
	if (!tp->started)
		return;
	tp->started = false;
	tess_pci_irq_stop(tp);
	if (!pci_device_is_present(tp->pdev))
		tess_chip_bury(tp->chip);
	tess_chip_remove(tp->chip);
	pci_clear_master(tp->pdev);
	tess_chip_finish(tp->chip);
}

/* ---- a GPU that was given up ---- */

/* It makes no access to memory: stopping clears bus mastering, if the core did not */
static int pci_recover(struct tess_pci *tp)
{
	struct pci_dev *pdev = tp->pdev;
	int rc;

	tess_pci_stop(tp);
	/* Whatever took it from the bus may have changed its configuration */
	rc = pci_load_saved_state(pdev, tp->config);
	if (rc)
		return rc;
	pci_restore_state(pdev);
	rc = pci_reset_function_locked(pdev);
	if (rc)
		dev_notice(&pdev->dev, "the function is not reset: %d\n", rc);
	/* If that did not start it, the GPU's own reset has to do */
	return tp->started ? 0 : tess_pci_start(tp);
}

static bool may_recover(struct tess_pci *tp)
{
	struct ratelimit_state *rs = &tp->recoveries;

	rs->burst = READ_ONCE(recoveries);
	return rs->burst && __ratelimit(rs);
}

static void recover_locked(struct tess_pci *tp)
{
	struct device *dev = &tp->pdev->dev;
	int rc;

	device_lock_assert(dev);
	/* Somebody else may have reset it meanwhile; what was pulled is removed soon */
	if (!tp->started || !READ_ONCE(tp->lost) || !pci_device_is_present(tp->pdev))
		return;
	if (!may_recover(tp)) {
		dev_err(dev, "the GPU stays lost: write 1 to \"reset\" of the device to reset it\n");
		tess_gpu_wedged(tp->be);
		return;
	}
	dev_warn(dev, "the GPU is reset, all who used it have lost it\n");
	rc = pci_recover(tp);
	if (rc)
		dev_err(dev, "no GPU after a reset: %d\n", rc);
}

/* Who holds the device lock may wait for this work: the driver is unbound */
static void recovery_work(struct work_struct *work)
{
	struct tess_pci *tp = container_of(work, struct tess_pci, recovery.work);

	if (!device_trylock(&tp->pdev->dev)) {
		queue_delayed_work(system_freezable_wq, &tp->recovery, RECOVERY_RETRY);
		return;
	}
	recover_locked(tp);
	device_unlock(&tp->pdev->dev);
}

static void stop_recovery(void *data)
{
	struct tess_pci *tp = data;

	disable_delayed_work_sync(&tp->recovery);
}

static int probe_recovery(struct tess_pci *tp)
{
	INIT_DELAYED_WORK(&tp->recovery, recovery_work);
	ratelimit_state_init(&tp->recoveries, RECOVERY_PERIOD, 0);
	/* What was not done is said by recover_locked() */
	ratelimit_set_flags(&tp->recoveries, RATELIMIT_MSG_ON_RELEASE);
	return devm_add_action_or_reset(&tp->pdev->dev, stop_recovery, tp);
}

/* ---- probe and remove ---- */

static void free_vectors(void *pdev)
{
	pci_free_irq_vectors(pdev);
}

static int probe_bars(struct tess_pci *tp, struct tess_chip_params *params)
{
	struct pci_dev *pdev = tp->pdev;
	int rc;

	if (pci_resource_len(pdev, TESS_BAR_REGS) < TESS_REGS_SIZE)
		return dev_err_probe(&pdev->dev, -ENODEV, "BAR of registers too small\n");
	params->doorbell_phys = pci_resource_start(pdev, TESS_BAR_REGS) + TESS_DOORBELL_PAGE(0);
	params->regs = pcim_iomap_region(pdev, TESS_BAR_REGS, "tessera");
	if (IS_ERR(params->regs))
		return dev_err_probe(&pdev->dev, PTR_ERR(params->regs), "registers\n");
	rc = pcim_request_region(pdev, TESS_BAR_VRAM, "tessera");
	if (rc)
		return dev_err_probe(&pdev->dev, rc, "VRAM\n");
	params->vram_phys = pci_resource_start(pdev, TESS_BAR_VRAM);
	params->vram_size = pci_resource_len(pdev, TESS_BAR_VRAM);
	params->vram = devm_ioremap_wc(&pdev->dev, params->vram_phys, params->vram_size);
	return params->vram ? 0 : -ENOMEM;
}

static int probe_chip(struct tess_pci *tp)
{
	struct tess_chip_params params = {
		.dev = &tp->pdev->dev,
		.io = &pci_io,
		.priv = tp,
	};
	int rc = probe_bars(tp, &params);

	if (rc)
		return rc;
	tp->chip = tess_chip_create(&params);
	if (IS_ERR(tp->chip))
		return PTR_ERR(tp->chip);
	tp->be = tess_chip_backend(tp->chip);
	return 0;
}

static void free_config(void *state)
{
	kfree(state);
}

/* Before it is a bus master: what it did before an error is over */
static int probe_config(struct tess_pci *tp)
{
	int rc;

	rc = pci_save_state(tp->pdev);
	if (rc)
		return rc;
	tp->config = pci_store_saved_state(tp->pdev);
	if (!tp->config)
		return -ENOMEM;
	return devm_add_action_or_reset(&tp->pdev->dev, free_config, tp->config);
}

static int probe_vectors(struct tess_pci *tp)
{
	int rc;

	rc = pci_alloc_irq_vectors(tp->pdev, TESS_IRQ_COUNT, TESS_IRQ_COUNT, PCI_IRQ_MSIX);
	if (rc < 0)
		return dev_err_probe(&tp->pdev->dev, rc, "MSI-X\n");
	return devm_add_action_or_reset(&tp->pdev->dev, free_vectors, tp->pdev);
}

static int probe_dma(struct tess_pci *tp)
{
	struct device *dev = &tp->pdev->dev;
	int rc;

	rc = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(TESS_BUS_BITS));
	if (rc)
		return dev_err_probe(dev, rc, "DMA\n");
	dma_set_max_seg_size(dev, UINT_MAX);
	return 0;
}

static int tess_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct tess_gpu_info *info;
	struct tess_pci *tp;
	int rc;

	tp = devm_kzalloc(&pdev->dev, sizeof(*tp), GFP_KERNEL);
	if (!tp)
		return -ENOMEM;
	tp->pdev = pdev;
	pci_set_drvdata(pdev, tp);
	rc = pcim_enable_device(pdev);
	if (rc)
		return rc;
	rc = probe_chip(tp);
	if (!rc)
		rc = probe_dma(tp);
	if (!rc)
		rc = probe_vectors(tp);
	if (!rc)
		rc = probe_config(tp);
	if (!rc)
		rc = probe_recovery(tp);
	if (!rc)
		rc = tess_pci_start(tp);
	if (rc)
		return rc;
	info = tess_chip_info(tp->chip);
	dev_info(&pdev->dev, "%s with %u slices, %llu MiB of VRAM, %u kHz\n",
		 info->is_vgpu ? "vGPU" : "GPU", info->slice_count, info->vram_size / SZ_1M,
		 info->clock_khz);
	return 0;
}

static void tess_pci_remove(struct pci_dev *pdev)
{
	struct tess_pci *tp = pci_get_drvdata(pdev);

	/* Not if it was pulled, nor if it sleeps: nothing can be copied from it */
	if (tp->started && !READ_ONCE(tp->be->asleep) && tess_chip_is_alive(tp->chip))
		tess_gpu_drain(tp->be);
	tess_pci_stop(tp);
}

/* Only silence it: nobody is left to be told */
static void tess_pci_shutdown(struct pci_dev *pdev)
{
	struct tess_pci *tp = pci_get_drvdata(pdev);

	pci_clear_master(pdev);
	if (!tess_chip_is_dead(tp->chip))
		tess_chip_reset(tp->chip);
}

/* ---- resets, errors ---- */

static void tess_pci_reset_prepare(struct pci_dev *pdev)
{
	tess_pci_stop(pci_get_drvdata(pdev));
}

static void tess_pci_reset_done(struct pci_dev *pdev)
{
	int rc = tess_pci_start(pci_get_drvdata(pdev));

	if (rc)
		dev_err(&pdev->dev, "no GPU after a reset: %d\n", rc);
}

static pci_ers_result_t tess_pci_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct tess_pci *tp = pci_get_drvdata(pdev);

	if (state != pci_channel_io_normal)
		tess_chip_bury(tp->chip);
	tess_pci_stop(tp);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t tess_pci_slot_reset(struct pci_dev *pdev)
{
	struct tess_pci *tp = pci_get_drvdata(pdev);

	/* What the core saved may have been used up by a system sleep, or never have been there */
	if (pci_load_saved_state(pdev, tp->config))
		return PCI_ERS_RESULT_DISCONNECT;
	pci_restore_state(pdev);
	return tess_pci_start(tp) ? PCI_ERS_RESULT_DISCONNECT : PCI_ERS_RESULT_RECOVERED;
}

static const struct pci_error_handlers tess_pci_err_handlers = {
	.error_detected = tess_pci_error_detected,
	.slot_reset = tess_pci_slot_reset,
	.reset_prepare = tess_pci_reset_prepare,
	.reset_done = tess_pci_reset_done,
};

static const struct pci_device_id tess_pci_ids[] = {
	{ PCI_DEVICE(TESS_PCI_VENDOR_ID, TESS_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, tess_pci_ids);

static struct pci_driver tess_pci_driver = {
	.name = "tessera_pci",
	.id_table = tess_pci_ids,
	.probe = tess_pci_probe,
	.remove = tess_pci_remove,
	.shutdown = tess_pci_shutdown,
	.err_handler = &tess_pci_err_handlers,
	.driver.pm = pm_sleep_ptr(&tess_pci_pm_ops),
	.dev_groups = tess_pci_groups,
};
module_pci_driver(tess_pci_driver);

MODULE_AUTHOR("Tessera developers");
MODULE_DESCRIPTION("Back-end for Tessera PCI GPUs and vGPUs");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(TESS_NS);
