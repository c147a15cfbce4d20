/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_BAR_H_
#define _TESS_MDEV_BAR_H_

#include <linux/mutex.h>
#include <linux/pci_regs.h>
#include <linux/types.h>
#include <tessera/client.h>

struct page;
struct tess_blueprint;
struct tess_mdev;
struct tess_mdev_parts;

/* BAR4, as on the GPU: the table, then the pending bits */
#define TESS_MDEV_MSIX_SIZE		0x1000
#define TESS_MDEV_PBA_OFFSET		0x800
#define TESS_MDEV_MSIX_TABLE_SIZE	(PCI_MSIX_ENTRY_SIZE * TESS_IRQ_COUNT)

/**
 * struct tess_mdev_ident - constant registers of the global page
 * @caps: TESS_CAPS_*
 * @clock_khz: nominal clock
 * @limits: TESS_LIMITS_*
 * @bank_size: VRAM per slice
 * @bar_size: of BAR2
 */
struct tess_mdev_ident {
	u32 caps;
	u32 clock_khz;
	u32 limits;
	u64 bank_size;
	u64 bar_size;
};

/* 64-bit registers of a vslice that can be written */
enum tess_mdev_wide {
	TESS_MDEV_WIDE_RING_BASE,
	TESS_MDEV_WIDE_RPTR,
	TESS_MDEV_WIDE_WPTR,
	TESS_MDEV_WIDE_COMPLETION,
	TESS_MDEV_WIDE_DOORBELL,
	TESS_MDEV_WIDE_COUNT,
};

/**
 * struct tess_mdev_bars - state behind trapped registers
 * @msix: MSI-X table; VFIO_DEVICE_SET_IRQS is what counts
 * @event_low: low half that was written to TESS_REG_EVENT_PENDING
 * @low: the same of registers of vslices
 * @event_pending: TESS_REG_EVENT_PENDING
 * @fault_pending: vslices that faulted and were not acknowledged
 * @comp_lock: protects all that follow; innermost
 * @base: generation of the compositions before this one
 * @held: parts change one after the other: what is told is still what was before
 * @comp: composition, what registers tell of it
 * @scratch: for that of a part
 * @comp_page: the client's copy, which it can map and write
 */
struct tess_mdev_bars {
	u8 msix[TESS_MDEV_MSIX_TABLE_SIZE];
	u32 event_low;
	u32 low[TESS_MAX_SLICES][TESS_MDEV_WIDE_COUNT];
	atomic64_t event_pending;
	atomic64_t fault_pending;
	struct mutex comp_lock;
	u64 base;
	bool held;
	struct tess_composition *comp;
	struct tess_composition *scratch;
	struct page *comp_page;
};

int tess_mdev_bars_init(struct tess_mdev *tm);
void tess_mdev_bars_fini(struct tess_mdev *tm);
/* Registers of the host's; holds @tm->lock */
void tess_mdev_bars_reset(struct tess_mdev *tm);
/* The same */
void tess_mdev_msix_reset(struct tess_mdev *tm);
/* The composition changed; false: it is told later, by bars_release() */
bool tess_mdev_bars_refresh(struct tess_mdev *tm);
/* Parts are about to change together: tell nothing of it until that is over */
void tess_mdev_bars_hold(struct tess_mdev *tm);
/* It is; @bp: blueprint of all of them now, NULL: as before. False: nothing is to be told */
bool tess_mdev_bars_release(struct tess_mdev *tm, const struct tess_blueprint *bp);
/* Exchange tm->parts and *@parts; bars_reset() follows */
void tess_mdev_bars_exchange(struct tess_mdev *tm, struct tess_mdev_parts *parts);
/* The same, but *@parts continue it, also its generations; bars_refresh() follows */
void tess_mdev_bars_continue(struct tess_mdev *tm, struct tess_mdev_parts *parts);
u64 tess_mdev_bars_generation(struct tess_mdev *tm);
/* Display heads of the composition, a mask */
u32 tess_mdev_bars_heads(struct tess_mdev *tm);

/* Size of a region of VFIO; 0 if there is none */
u64 tess_mdev_region_size(const struct tess_mdev *tm, unsigned int index);
/* read() and write() of the VFIO device */
ssize_t tess_mdev_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *ppos);
ssize_t tess_mdev_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			loff_t *ppos);

/* Registers, regs.c; all hold @tm->lock, @off is aligned to @len */
u64 tess_mdev_regs_read(struct tess_mdev *tm, u32 off, unsigned int len);
void tess_mdev_regs_write(struct tess_mdev *tm, u32 off, unsigned int len, u64 val);

#endif
