/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_DISPLAY_H_
#define _TESSERA_PCI_DISPLAY_H_

#include <tessera/display.h>

struct tess_pci;

extern const struct tess_display_ops tess_pci_display_ops;

void tess_pci_display_stop(struct tess_pci *tp);

#endif
