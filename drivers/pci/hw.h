/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_HW_H_
#define _TESSERA_PCI_HW_H_

#include <linux/types.h>

struct tess_backend_ops;
struct tess_pci;

extern const struct tess_backend_ops tess_pci_gpu_ops;
extern const struct tess_backend_ops tess_pci_switch_ops;
extern const struct tess_backend_ops tess_pci_vgpu_ops;
extern const struct tess_backend_ops tess_pci_head_ops;

void tess_pci_bury(struct tess_pci *tp);
bool tess_pci_answers(struct tess_pci *tp);
bool tess_pci_is_alive(struct tess_pci *tp);
void tess_pci_reset(struct tess_pci *tp);
int tess_pci_identify(struct tess_pci *tp);
void tess_pci_invalidate(struct tess_pci *tp, u64 slices);

#endif
