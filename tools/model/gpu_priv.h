/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of the GPU: what its parts share. */
#ifndef TESS_MODEL_GPU_PRIV_H
#define TESS_MODEL_GPU_PRIV_H

#include "crew.h"
#include "gpu.h"
#include "slice.h"

/**
 * struct gpu - the GPU
 * @desc: what it was made from
 * @now: time in cycles at which slices met last
 * @event_pending: EVENT_PENDING register; slices set bits of it at any time
 * @irqs: vectors that slices asked for since gpu_raise_irqs()
 * @crew: threads, or NULL: none but the owner's
 * @composition: composition page
 * @ctx_image: room for an image that is restored
 * @ctx_saved: room for an image that is saved
 * @latch: low halves of global 64-bit registers
 * @slices: the slices
 */
struct gpu {
	struct gpu_desc desc;
	uint64_t now;
	uint64_t event_pending;
	uint32_t irqs;
	struct crew *crew;
	struct tess_composition composition;
	uint8_t *ctx_image;
	uint8_t *ctx_saved;
	uint32_t latch[16];
	struct slice slices[];
};

/** gpu_irq() - have a vector raised when slices meet; in any thread */
void gpu_irq(struct gpu *g, unsigned int vector);

/** gpu_raise_irqs() - raise what was asked for */
void gpu_raise_irqs(struct gpu *g);

/** gpu_zero_vram() - zero a page-aligned range of VRAM */
void gpu_zero_vram(struct gpu *g, uint64_t off, uint64_t size);

/** gpu_read_time() - the TIME register: follows the wall clock while idle, if there is one */
uint64_t gpu_read_time(struct gpu *g);

/** gpu_tell_time() - somebody is about to see that the time is @now; in any thread */
void gpu_tell_time(struct gpu *g, uint64_t now);

/** gpu_set_time() - it goes on from @now */
void gpu_set_time(struct gpu *g, uint64_t now);

#endif /* TESS_MODEL_GPU_PRIV_H */
