// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device of a GPU that is served by a process, and its driver.
 *
 * DOC: Served GPUs
 *
 * The device is a PCI function without BARs (root.c), made when the server says that it is ready.
 * The driver reaches registers by requests, and all else is the business of tessera_chip.ko. When
 * the server does not answer, or closes its file, the GPU is one that was pulled.
 *
 * The completion vector is passed on where the server raised it, with interrupts off, as it only
 * looks at memory. The others read registers, which the server has to answer: they are passed on by
 * a work item.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <tessera/backend.h>
#include <tessera/compat.h>
#include <tessera/hw/tess_mem.h>

#include "bus.h"
#include "gpu.h"
#include "request.h"
#include "root.h"
#include "user.h"

#define GPU_VECTORS	(BIT(TESS_IRQ_COUNT) - 1)

/* ---- interrupts ---- */

static void gpu_interrupts(struct tess_user *user, bool on)
{
	spin_lock_irq(&user->irq_lock);
	user->interrupts = on;
	spin_unlock_irq(&user->irq_lock);
	if (!on)
		cancel_work_sync(&user->irq);
}

/**
 * tess_user_gpu_raise() - the server raises vectors
 * @user: GPU
 * @vectors: mask of TESS_IRQ_*, any value
 */
void tess_user_gpu_raise(struct tess_user *user, unsigned long vectors)
{
	unsigned long later = vectors & GPU_VECTORS & ~BIT(TESS_IRQ_COMPLETION);
	unsigned int vector;

	spin_lock_irq(&user->irq_lock);
	if (user->interrupts) {
		if (vectors & BIT(TESS_IRQ_COMPLETION))
			tess_chip_irq(user->chip, TESS_IRQ_COMPLETION);
		for_each_set_bit(vector, &later, TESS_IRQ_COUNT)
			set_bit(vector, &user->raised);
		if (later)
			queue_work(system_highpri_wq, &user->irq);
	}
	spin_unlock_irq(&user->irq_lock);
}

void tess_user_gpu_irq_work(struct work_struct *work)
{
	struct tess_user *user = container_of(work, struct tess_user, irq);
	unsigned int vector;

	for (vector = 0; vector < TESS_IRQ_COUNT; vector++) {
		if (test_and_clear_bit(vector, &user->raised) &&
		    tess_chip_irq(user->chip, vector))
			tess_chip_irq_thread(user->chip, vector);
	}
}

/* ---- how it is reached ---- */

static struct tess_user *chip_user(struct tess_chip *chip)
{
	return tess_chip_priv(chip);
}

static u64 gpu_read(struct tess_chip *chip, u32 at, unsigned int width)
{
	return tess_user_ask(&chip_user(chip)->requests,
			     width == 8 ? TESSERA_USER_READ64 : TESSERA_USER_READ32, at, 0);
}

static void gpu_write(struct tess_chip *chip, u32 at, u64 val, unsigned int width)
{
	tess_user_ask(&chip_user(chip)->requests,
		      width == 8 ? TESSERA_USER_WRITE64 : TESSERA_USER_WRITE32, at, val);
}

static void gpu_kick(struct tess_chip *chip, unsigned int slice, u64 wptr)
{
	struct tess_user *user = chip_user(chip);
	u64 *doorbell = user->doorbells + slice * PAGE_SIZE + TESS_DOORBELL_WPTR;

	WRITE_ONCE(*doorbell, wptr);
	tess_user_tell_kick(&user->requests, slice);
}

/* The page is memory: a client must not find in it what the one before it wrote there */
static phys_addr_t gpu_doorbell(struct tess_chip *chip, unsigned int slice)
{
	void *page = chip_user(chip)->doorbells + slice * PAGE_SIZE;

	static_assert(!TESS_DOORBELL_WPTR);
	memset(page + sizeof(u64), 0, PAGE_SIZE - sizeof(u64));
	return virt_to_phys(page);
}

/* The server may store anything; time does not go back */
static u64 gpu_time(struct tess_chip *chip)
{
	struct tess_user *user = chip_user(chip);
	s64 now = READ_ONCE(user->clock->cycles) & S64_MAX;
	s64 last = atomic64_read(&user->time);

	while (now > last && !atomic64_try_cmpxchg(&user->time, &last, now))
		;
	return max(now, last);
}

/*
 * In any context: from now on nothing is answered. Memory that is taken from the GPU is taken from
 * the server's page tables with it, so this needs not wait for them.
 */
static void gpu_silence(struct tess_chip *chip)
{
	tess_user_break(&chip_user(chip)->requests);
}

static void gpu_unsilence(struct tess_chip *chip)
{
	tess_user_bus_silence(&chip_user(chip)->bus, false);
}

static void gpu_mask(struct tess_chip *chip, bool on)
{
	gpu_interrupts(chip_user(chip), !on);
}

static bool gpu_absent(struct tess_chip *chip)
{
	return tess_user_is_absent(&chip_user(chip)->requests);
}

static void gpu_lost(struct tess_chip *chip)
{
	tess_user_tell_lost(&chip_user(chip)->requests);
}

static const struct tess_chip_io gpu_io = {
	.read = gpu_read,
	.write = gpu_write,
	.kick = gpu_kick,
	.doorbell = gpu_doorbell,
	.time = gpu_time,
	.silence = gpu_silence,
	.unsilence = gpu_unsilence,
	.mask = gpu_mask,
	.absent = gpu_absent,
	.lost = gpu_lost,
};

/* ---- driver ---- */

static int gpu_start(struct tess_user *user)
{
	int rc;

	rc = tess_chip_prepare(user->chip);
	if (rc)
		return rc;
	/* It was reset */
	atomic64_set(&user->time, 0);
	tess_user_bus_silence(&user->bus, false);
	gpu_interrupts(user, true);
	rc = tess_chip_add(user->chip);
	if (!rc) {
		user->started = true;
		return 0;
	}
	gpu_interrupts(user, false);
	tess_user_bus_silence(&user->bus, true);
	tess_chip_finish(user->chip);
	return rc;
}

static int gpu_create_chip(struct tess_user *user, struct device *dev)
{
	struct tess_chip_params params = {
		.dev = dev,
		.io = &gpu_io,
		.priv = user,
		.vram = (void __iomem *)user->vram.map,
		.vram_chunks = user->vram.phys,
		.vram_size = user->vram.size,
	};

	user->chip = tess_chip_create(&params);
	return PTR_ERR_OR_ZERO(user->chip);
}

static int gpu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct tess_user *user = dev_get_platdata(&pdev->dev);
	int rc;

	/* It is being scanned, or is another device with this ID */
	if (!user)
		return -ENODEV;
	tess_user_bus_attach(&pdev->dev);
	rc = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(TESS_BUS_BITS));
	if (rc)
		return rc;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	rc = gpu_create_chip(user, &pdev->dev);
	if (rc)
		return rc;
	pci_set_drvdata(pdev, user);
	return gpu_start(user);
}

static void gpu_remove(struct pci_dev *pdev)
{
	struct tess_user *user = pci_get_drvdata(pdev);

	if (!user->started)
		return;
	user->started = false;
	/* Not while its clients stand still: nothing can be copied from it */
	if (!READ_ONCE(tess_chip_backend(user->chip)->asleep) && tess_chip_is_alive(user->chip))
		tess_gpu_drain(tess_chip_backend(user->chip));
	gpu_interrupts(user, false);
	/* No server is there */
	if (tess_user_is_broken(&user->requests))
		tess_chip_bury(user->chip);
	tess_chip_remove(user->chip);
	tess_user_bus_silence(&user->bus, true);
	tess_chip_finish(user->chip);
}

static const struct pci_device_id gpu_ids[] = {
	{ PCI_DEVICE(TESS_PCI_VENDOR_ID, TESS_USER_PCI_DEVICE_ID) },
	{ }
};

static struct pci_driver gpu_driver = {
	.name = "tessera_user",
	.id_table = gpu_ids,
	.probe = gpu_probe,
	.remove = gpu_remove,
};

int tess_user_driver_register(void)
{
	return pci_register_driver(&gpu_driver);
}

void tess_user_driver_unregister(void)
{
	pci_unregister_driver(&gpu_driver);
}

/* ---- device ---- */

/**
 * tess_user_gpu_start() - make the device of a GPU and bind it
 * @user: GPU; its server answers requests meanwhile
 * @index: number of the GPU
 *
 * Return: 0 or negative errno.
 */
int tess_user_gpu_start(struct tess_user *user, unsigned int index)
{
	struct pci_bus *root = tess_user_root_scan(index);
	int rc;

	if (IS_ERR(root))
		return PTR_ERR(root);
	user->root = root;
	rc = tess_user_root_bind(root, user);
	/* The kernel log says why it is not in the pool */
	return rc ?: READ_ONCE(user->started) ? 0 : -ENODEV;
}

/* Locked, with a reference; NULL: somebody removed it by sysfs, or it is in no pool */
static struct pci_dev *gpu_lock(struct tess_user *user)
{
	struct pci_dev *pdev = user->root ? pci_get_slot(user->root, 0) : NULL;

	if (!pdev)
		return NULL;
	device_lock(&pdev->dev);
	if (user->started)
		return pdev;
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
	return NULL;
}

static void gpu_unlock(struct pci_dev *pdev)
{
	device_unlock(&pdev->dev);
	pci_dev_put(pdev);
}

/* @stop: makes the clients of a chip stand still */
static int gpu_stand(struct tess_user *user, int (*stop)(struct tess_chip *chip))
{
	struct pci_dev *pdev = gpu_lock(user);
	int rc;

	if (!pdev)
		return -ENODEV;
	tess_chip_pause(user->chip);
	rc = tess_chip_is_dead(user->chip) ? -ENODEV : stop(user->chip);
	if (rc)
		tess_chip_continue(user->chip);
	else
		tess_user_bus_silence(&user->bus, true);
	gpu_unlock(pdev);
	return rc;
}

/**
 * tess_user_gpu_suspend() - let all clients of a GPU stand still
 * @user: GPU; its server answers requests meanwhile, and none afterwards
 *
 * Return: 0; -EBUSY, -EOPNOTSUPP, -ENOMEM as tess_chip_suspend(), and nothing has changed; -ENODEV.
 */
int tess_user_gpu_suspend(struct tess_user *user)
{
	return gpu_stand(user, tess_chip_suspend);
}

/**
 * tess_user_gpu_crashed() - the same of a GPU whose server is gone
 * @user: GPU, absent
 *
 * Return: 0; negative errno as tess_chip_crashed(), and the GPU has to be removed.
 */
int tess_user_gpu_crashed(struct tess_user *user)
{
	return gpu_stand(user, tess_chip_crashed);
}

/**
 * tess_user_gpu_resume() - let the clients of a GPU go on
 * @user: GPU after tess_user_gpu_suspend() or _crashed(); another server answers requests
 *
 * Return: 0; -ENODEV the clients have lost it.
 */
int tess_user_gpu_resume(struct tess_user *user)
{
	struct pci_dev *pdev = gpu_lock(user);
	int rc;

	if (!pdev)
		return -ENODEV;
	tess_chip_resume(user->chip, true);
	tess_chip_continue(user->chip);
	rc = tess_chip_is_dead(user->chip) ? -ENODEV : 0;
	gpu_unlock(pdev);
	return rc;
}

/**
 * tess_user_gpu_stop() - take the device of a GPU away
 * @user: GPU with a device
 *
 * Bounded time, also if the server does not answer.
 */
void tess_user_gpu_stop(struct tess_user *user)
{
	tess_user_root_remove(user->root);
	user->root = NULL;
}
