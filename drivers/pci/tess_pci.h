/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_H_
#define _TESSERA_PCI_H_

#include <linux/ratelimit_types.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <tessera/backend.h>
#include <tessera/chip.h>

struct attribute_group;
struct pci_dev;
struct pci_saved_state;

/**
 * struct tess_pci_irq - a vector
 * @chip: GPU
 * @vector: TESS_IRQ_*
 */
struct tess_pci_irq {
	struct tess_chip *chip;
	unsigned int vector;
};

/**
 * struct tess_pci - a Tessera PCI GPU
 * @chip: the GPU
 * @be: of the chip
 * @pdev: PCI function
 * @config: configuration space as it is after an error
 * @started: in the pool. Under the device lock, as all callers of start and stop
 * @slept_at: GPU time when the system went to sleep with all power. Under the device lock
 * @lost: the core gave the GPU up since it was started
 * @recovery: resets a GPU that is @lost
 * @recoveries: how often lately
 * @irqs: its vectors
 */
struct tess_pci {
	struct tess_chip *chip;
	struct tess_backend *be;
	struct pci_dev *pdev;
	struct pci_saved_state *config;
	bool started;
	u64 slept_at;
	bool lost;
	struct delayed_work recovery;
	struct ratelimit_state recoveries;
	struct tess_pci_irq irqs[TESS_IRQ_COUNT];
};

int tess_pci_start(struct tess_pci *tp);
void tess_pci_stop(struct tess_pci *tp);

extern const struct attribute_group *tess_pci_groups[];

#endif
