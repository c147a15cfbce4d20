/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_PCI_H_
#define _TESSERA_PCI_H_

#include <linux/idr.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/ratelimit_types.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <tessera/backend.h>

#include "switch.h"
#include "vram.h"

struct pci_dev;
struct pci_saved_state;
struct tess_pci_as;

/**
 * struct tess_pci_stage2 - stage 2 of a slice
 * @now: that it uses, or NULL
 * @next: that it may use instead, while that is uncertain, or NULL
 */
struct tess_pci_stage2 {
	struct tess_pci_as *now;
	struct tess_pci_as *next;
};

/**
 * struct tess_pci - a Tessera PCI GPU
 * @be: for the core
 * @pdev: PCI function
 * @config: configuration space as it is after an error
 * @regs: BAR of the registers
 * @vram_bar: BAR of the VRAM, write-combined
 * @info: of the GPU
 * @slices: of the slices, as last read
 * @generation: vGPU: of the composition that @slices are from
 * @composition_lock: the core is told of compositions in the order of their reading.
 *	Outside of all others
 * @dead: it answered all ones; no access is made any more, and it makes none: it was switched
 *	off the bus before. Written once
 * @started: in the pool. Under the device lock, as all callers of start and stop
 * @slept_at: GPU time when the system went to sleep. Written under the device lock
 * @saved: copies of the pages of VRAM that are not zero, by number, while it is asleep. Under the
 *	device lock
 * @lost: the core gave the GPU up since it was started
 * @recovery: resets a GPU that is @lost
 * @recoveries: how often lately
 * @mm: allocator of VRAM
 * @asids: address space ids in use, from 1
 * @stage2_lock: protects @stage2. Innermost
 * @stage2: by slice
 * @switcher: exchanges clients of slices
 */
struct tess_pci {
	struct tess_backend be;
	struct pci_dev *pdev;
	struct pci_saved_state *config;
	void __iomem *regs;
	void __iomem *vram_bar;
	struct tess_gpu_info info;
	struct tess_slice_info slices[TESS_MAX_SLICES];
	u64 generation;
	struct mutex composition_lock;
	bool dead;
	bool started;
	u64 slept_at;
	struct xarray saved;
	bool lost;
	struct delayed_work recovery;
	struct ratelimit_state recoveries;
	struct tess_pci_vram mm;
	struct ida asids;
	spinlock_t stage2_lock;
	struct tess_pci_stage2 stage2[TESS_MAX_SLICES];
	struct tess_pci_switcher switcher;
};

int tess_pci_start(struct tess_pci *tp);
void tess_pci_stop(struct tess_pci *tp);

static inline struct tess_pci *to_tess_pci(struct tess_backend *be)
{
	return container_of(be, struct tess_pci, be);
}

static inline u32 tess_pci_read32(struct tess_pci *tp, u32 page, u32 reg)
{
	return readl(tp->regs + page + reg);
}

static inline u64 tess_pci_read64(struct tess_pci *tp, u32 page, u32 reg)
{
	return readq(tp->regs + page + reg);
}

static inline void tess_pci_write32(struct tess_pci *tp, u32 page, u32 reg, u32 val)
{
	writel(val, tp->regs + page + reg);
}

static inline void tess_pci_write64(struct tess_pci *tp, u32 page, u32 reg, u64 val)
{
	writeq(val, tp->regs + page + reg);
}

#endif
