/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SAVE and RESTORE; Documentation/hw/context.rst. */
#ifndef TESS_MODEL_CONTEXT_H
#define TESS_MODEL_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <tessera/hw/tess_context.h>

struct client;
struct host_fault;
struct slice;

/* Documentation/hw/timing.rst */
#define CYCLES_CTX 16
#define CTX_BYTES_PER_CYCLE 8192

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
 * context_decode() - check an image and continue it
 * @s: a slice; unchanged if the image is bad
 * @image: the image, 8-byte aligned, in memory that nobody else changes
 * @size: its bytes, as its header says
 *
 * Returns TESS_CTX_DONE or TESS_CTX_ERR_*.
 */
uint32_t context_decode(struct slice *s, const void *image, uint64_t size);

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
