/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_VRAM_H_
#define _TESSERA_PCI_VRAM_H_

#include <linux/gpu_buddy.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct tess_backend;
struct tess_hw_vram;
struct tess_pci;

/**
 * struct tess_pci_vram - allocator of VRAM
 * @lock: protects the buddy allocator and the numbers below. Innermost
 * @buddy: free and allocated blocks; knows which free ones are zero
 * @used: allocated 4 KiB pages of each block of 2 MiB
 * @chunks: blocks of 2 MiB
 * @chunks_free: those in which nothing is allocated
 */
struct tess_pci_vram {
	struct mutex lock;
	struct gpu_buddy buddy;
	u16 *used;
	u64 chunks;
	u64 chunks_free;
};

int tess_pci_vram_init(struct tess_pci *tp);
void tess_pci_vram_fini(struct tess_pci *tp);

struct tess_hw_vram *tess_pci_vram_alloc(struct tess_backend *be, u64 size, int near_slice,
					 bool contiguous);
void tess_pci_vram_free(struct tess_backend *be, struct tess_hw_vram *hw);
void tess_pci_vram_clear(struct tess_backend *be, struct tess_hw_vram *hw);
int tess_pci_vram_read(struct tess_backend *be, u64 offset, void *buf, size_t len);
int tess_pci_vram_write(struct tess_backend *be, u64 offset, const void *buf, size_t len);
u64 tess_pci_vram_free_bytes(struct tess_backend *be, u64 granule);

#endif
