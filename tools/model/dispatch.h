/* SPDX-License-Identifier: GPL-2.0-or-later */
/* DISPATCH and DISPATCH_RANGE: work-groups on the shader cores of a slice. */
#ifndef TESS_MODEL_DISPATCH_H
#define TESS_MODEL_DISPATCH_H

#include "cp.h"

struct slice;

/** dispatch_init() - make the engine and room for groups in flight; -ENOMEM */
int dispatch_init(struct slice *s);
void dispatch_fini(struct slice *s);

/** dispatch_range() - groups that the packet in progress, which is good, asks for */
void dispatch_range(const struct slice *s, uint64_t *first, uint64_t *end);

/** dispatch_shape() - work-items and local memory of a group of the packet in progress */
void dispatch_shape(const struct slice *s, uint32_t index, uint32_t *items, uint32_t *local_bytes);

/**
 * dispatch_continue() - put a group of a context image into slot @n
 *
 * It waits for a core, behind those that were put in before it, and then for
 * @ahead cycles. Registers are those of a new group, local memory is not touched.
 */
void dispatch_continue(struct slice *s, unsigned int n, uint32_t index, uint64_t ahead);

/** dispatch_group_ahead() - time that the group in slot @n is ahead of the GPU */
uint64_t dispatch_group_ahead(const struct slice *s, unsigned int n);

/** dispatch_order() - slots in use, DRM_TESSERA_GROUP_SLOTS at most, in the order in which they should get a core */
unsigned int dispatch_order(const struct slice *s, uint8_t *order);

/** dispatch_drop() - forget all groups in flight */
void dispatch_drop(struct slice *s);

/** dispatch_check() - check the packet in progress; a cause, or 0 */
int dispatch_check(struct slice *s);

/** dispatch_units() - units (ISA_UNIT_*) that the packet in progress asks for, or was granted */
uint32_t dispatch_units(const struct slice *s);

/** dispatch_begin() - start with the first group */
void dispatch_begin(struct slice *s);

/** dispatch_exec() - run groups until @until */
enum cp_result dispatch_exec(struct slice *s, uint64_t until);

#endif /* TESS_MODEL_DISPATCH_H */
