/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_RING_H_
#define _TESSERA_CORE_RING_H_

#include <linux/types.h>
#include <tessera/hw/tess_regs.h>

struct tess_ring;
struct tess_sched_stats;
struct tess_slice;
struct tess_vslice;

struct tess_vslice *tess_slice_any_ring(struct tess_slice *slice);
void tess_ring_drop(struct tess_ring *ring);
void tess_ring_parked(struct tess_ring *ring);
void tess_ring_resumed(struct tess_ring *ring);

#endif
