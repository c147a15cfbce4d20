/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Context operations on the bench. */
#ifndef TESS_MODEL_TESTS_CTX_RIG_H
#define TESS_MODEL_TESTS_CTX_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include <tessera/hw/tess_context.h>

#include "rig.h"

#define CTX_BUFFER (RIG_SYS + (12ULL << 20))
#define CTX_SPACE (2ULL << 20)
#define CTX_SAVED (RIG_SYS + (10ULL << 20)) /* where a SWITCH saves */
#define CTX_DESC (RIG_SYS + 0x12000) /* descriptor of a SWITCH */

/* Halt or run a slice; stage 2 stays as it is. */
void ctx_halt(struct rig *r, unsigned int n);
void ctx_go(struct rig *r, unsigned int n);

/* Do an operation on a halted slice with the whole buffer; returns CTX_STATUS. */
unsigned int ctx_op(struct rig *r, unsigned int n, uint32_t op);

/*
 * Halt slice @from, save it and reset it; restore it on slice @to, which was reset
 * too, and let it run. Returns the size of the image, 0 if something failed.
 */
uint64_t ctx_move(struct rig *r, unsigned int from, unsigned int to);

/*
 * Descriptor of a SWITCH with the settings of an unrestricted slice: save to
 * CTX_SAVED, restore from CTX_BUFFER, as @flags say.
 */
struct tess_ctx_switch ctx_desc(uint32_t flags);

/* Start a SWITCH; ctx_wait() ends it. */
void ctx_switch_start(struct rig *r, unsigned int n, const struct tess_ctx_switch *d);

/* Wait for the end of an operation; returns CTX_STATUS. */
unsigned int ctx_wait(struct rig *r, unsigned int n);

/* Do a SWITCH; returns CTX_STATUS. Results are in ctx_result(). */
unsigned int ctx_switch(struct rig *r, unsigned int n, const struct tess_ctx_switch *d);
struct tess_ctx_switch *ctx_result(struct rig *r);

/*
 * Take the client off slice @from with a SWITCH that leaves no client, and put it
 * on slice @to with another one. Returns the size of the image, 0 if one failed.
 */
uint64_t ctx_switch_move(struct rig *r, unsigned int from, unsigned int to);

/* Image in the buffer. */
void *ctx_image(struct rig *r);

/* Section number @nr of a type in the image, NULL if there is none. */
void *ctx_section(struct rig *r, uint32_t type, unsigned int nr);

/* Set the checksum right again. Written from the specification. */
void ctx_sign(void *image);

/* A reproducible random number below @n. */
uint32_t ctx_random(uint32_t n);

#endif
