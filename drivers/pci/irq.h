/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_IRQ_H_
#define _TESSERA_PCI_IRQ_H_

struct tess_pci;

int tess_pci_irq_start(struct tess_pci *tp);
void tess_pci_irq_mask(struct tess_pci *tp);
void tess_pci_irq_unmask(struct tess_pci *tp);
void tess_pci_irq_stop(struct tess_pci *tp);

#endif
