/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SAVE, RESTORE and SWITCH; Documentation/hw/context.rst. */
#ifndef TESS_MODEL_CONTEXT_H
#define TESS_MODEL_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <tessera/hw/tess_context.h>

#include "slice.h"

/* Documentation/hw/timing.rst */
#define CYCLES_CTX 16
#define CTX_BYTES_PER_CYCLE 32768

/**
 * struct ctx_load - an image that is being read
 * @at: next section
 * @end: of the image
 * @left: sections that the header announces
 * @slice: the candidate
 * @group: sections of groups by slot
 * @order: slots in the order of the sections
 * @nr_groups: number of groups
 */
struct ctx_load {
	const uint8_t *at;
	const uint8_t *end;
	uint32_t left;
	struct slice slice;
	const struct tess_ctx_group *group[DRM_TESSERA_GROUP_SLOTS];
	uint8_t order[DRM_TESSERA_GROUP_SLOTS];
	unsigned int nr_groups;
};

/** context_start() - CTX_OP was written */
void context_start(struct slice *s, uint32_t op);

/** context_step() - let @cycles pass; the operation may end */
void context_step(struct slice *s, uint64_t cycles);

/** context_size() - bytes of the image of a slice as it is now */
uint64_t context_size(const struct slice *s);

/** context_encode() - write the image to @image, context_size() bytes, 8-byte aligned */
void context_encode(const struct slice *s, void *image);

/** context_checksum() - what the checksum field of an image has to be */
uint32_t context_checksum(const void *image, uint64_t size);

/**
 * context_decode() - check an image
 * @l: filled, for context_apply()
 * @s: the slice that shall continue it
 * @host: host page that it will have then
 * @image: the image, 8-byte aligned, in memory that nobody else changes
 * @size: its bytes, as its header says
 *
 * Returns TESS_CTX_DONE or TESS_CTX_ERR_*.
 */
uint32_t context_decode(struct ctx_load *l, const struct slice *s, const struct host_regs *host,
			const void *image, uint64_t size);

/** context_apply() - continue an image that was found to be good and is still there */
void context_apply(struct slice *s, const struct ctx_load *l);

/*
 * Parts of operations. Each returns TESS_CTX_DONE or TESS_CTX_ERR_*; @used is set
 * to the size of the image, or to what is needed after TESS_CTX_ERR_SPACE.
 */

/** context_move() - copy from or to physical memory; false, and nothing is moved, if it is none */
bool context_move(struct slice *s, uint64_t pa, void *buf, uint64_t size, bool write);

/** context_present() - is there memory at physical address @pa for @size bytes? */
bool context_present(struct slice *s, uint64_t pa, uint64_t size, bool write);

/** context_save_check() - can the slice be saved to @space bytes at @pa? */
uint32_t context_save_check(struct slice *s, uint64_t pa, uint64_t space, uint64_t *used);

/** context_save() - save it there, after the check */
uint32_t context_save(struct slice *s, uint64_t pa);

/** context_restore_check() - read and check an image in @space bytes at @pa for context_apply() */
uint32_t context_restore_check(struct ctx_load *l, struct slice *s, const struct host_regs *host,
			       uint64_t pa, uint64_t space, uint64_t *used);

/** context_cycles() - time that it takes to move an image */
uint64_t context_cycles(uint64_t bytes);

/**
 * context_switch() - SWITCH: check all, then do all
 * @s: slice; unchanged on an error
 * @op: operation; filled
 */
uint32_t context_switch(struct slice *s, struct ctx_op *op);

/** context_switch_answer() - write the results of a SWITCH that ends at @time to its descriptor */
void context_switch_answer(struct slice *s, const struct ctx_op *op, uint32_t status,
			   uint64_t time);

/*
 * Single sections. What was decoded is encoded again and compared: so every bit
 * of an image has a meaning, or is zero.
 */
void context_encode_client(const struct client *c, struct tess_ctx_client *out);
void context_encode_processor(const struct client *c, struct tess_ctx_processor *out);
void context_encode_packet(const struct client *c, struct tess_ctx_packet *out);
void context_encode_hfault(const struct host_fault *h, struct tess_ctx_hfault *out);

/** context_has_packet() - does the image of this client have a PACKET section? */
bool context_has_packet(const struct client *c);

#endif /* TESS_MODEL_CONTEXT_H */
