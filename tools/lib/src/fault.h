/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_FAULT_H
#define TESS_LIB_FAULT_H

#include <stddef.h>

struct drm_tessera_queue_state;
struct tess_queue;

/* Say in words what killed a queue; returns the negative errno value for it. */
int tess_fault_describe_locked(struct tess_queue *q, const struct drm_tessera_queue_state *state,
			       char *text, size_t size);

#endif
