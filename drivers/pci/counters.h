/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_COUNTERS_H_
#define _TESSERA_PCI_COUNTERS_H_

#include <tessera/backend.h>

int tess_pci_counters(struct tess_backend *be, unsigned int slice, bool total,
		      u64 counters[TESS_COUNTER_COUNT]);
int tess_pci_vgpu_counters(struct tess_backend *be, unsigned int slice, bool total,
			   u64 counters[TESS_COUNTER_COUNT]);

#endif
