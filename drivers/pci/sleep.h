/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_SLEEP_H_
#define _TESSERA_PCI_SLEEP_H_

#include <linux/pm.h>

extern const struct dev_pm_ops tess_pci_pm_ops;

#endif
