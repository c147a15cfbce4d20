/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_COMPOSITION_H_
#define _TESSERA_PCI_COMPOSITION_H_

struct attribute_group;
struct tess_pci;

int tess_pci_composition_read(struct tess_pci *tp);
void tess_pci_composition_changed(struct tess_pci *tp);

extern const struct attribute_group *tess_pci_groups[];

#endif
