/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESS_MDEV_GUEST_STATE_H_
#define _TESS_MDEV_GUEST_STATE_H_

#include <linux/atomic.h>
#include <linux/types.h>
#include <tessera/hw/tess_regs.h>
#include "base/region.h"

/* Bytes that hold something; the rest reads as zero */
#define TESS_MDEV_CONFIG_USED		256

/**
 * struct tess_mdev_config - PCI configuration space
 * @val: contents
 * @reset: contents after a reset
 * @rw: bits that a write changes
 */
struct tess_mdev_config {
	u8 val[TESS_MDEV_CONFIG_USED];
	u8 reset[TESS_MDEV_CONFIG_USED];
	u8 rw[TESS_MDEV_CONFIG_USED];
};

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
 */
struct tess_mdev_bars {
	u8 msix[TESS_MDEV_MSIX_TABLE_SIZE];
	u32 event_low;
	u32 low[TESS_MAX_SLICES][TESS_MDEV_WIDE_COUNT];
	atomic64_t event_pending;
	atomic64_t fault_pending;
};

#endif
