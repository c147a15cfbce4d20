/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_SWITCH_H_
#define _TESSERA_PCI_SWITCH_H_

#include <linux/completion.h>
#include <tessera/backend.h>

struct tess_ctx_switch;
struct tess_pci;

/**
 * struct tess_pci_switch - exchanges the client of a slice
 * @done: signalled when a context operation may have ended
 * @ready: the slice knows where its descriptor is
 * @stuck: an operation did not end; until the slice is reset
 */
struct tess_pci_switch {
	struct completion done;
	bool ready;
	bool stuck;
};

/**
 * struct tess_pci_switcher - of all slices
 * @desc: descriptors, by slice; NULL: the GPU has no SWITCH
 * @dma: their bus address
 * @slice: by slice; @ready and @stuck under its calls' serialization
 */
struct tess_pci_switcher {
	struct tess_ctx_switch *desc;
	dma_addr_t dma;
	struct tess_pci_switch slice[TESS_MAX_SLICES];
};

int tess_pci_switcher_init(struct tess_pci *tp);
void tess_pci_switcher_fini(struct tess_pci *tp);
void tess_pci_switch_irq(struct tess_pci *tp);
void tess_pci_switch_reset(struct tess_pci *tp, unsigned int slice);
bool tess_pci_switch_came_late(struct tess_pci *tp, unsigned int slice);

int tess_pci_context_switch(struct tess_backend *be, unsigned int slice,
			    struct tess_hw_switch *sw);
void tess_pci_slice_notify(struct tess_backend *be, unsigned int slice, u64 timer, bool idle);

#endif
