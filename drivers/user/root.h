/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_USER_ROOT_H_
#define _TESSERA_USER_ROOT_H_

struct pci_bus;

/* Beside TESS_PCI_VENDOR_ID: a GPU without BARs, which a process serves */
#define TESS_USER_PCI_DEVICE_ID	0x7e56

/* Numbers of GPUs are below it: that many buses has a domain */
#define TESS_USER_MAX_GPUS	256

int tess_user_root_init(void);
void tess_user_root_exit(void);
struct pci_bus *tess_user_root_scan(unsigned int index);
int tess_user_root_bind(struct pci_bus *bus, void *data);
void tess_user_root_remove(struct pci_bus *bus);

#endif
