/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_QUEUE_QUEUE_STATE_H_
#define _TESSERA_DRM_QUEUE_QUEUE_STATE_H_

#include <linux/types.h>

struct tess_fault;
struct tess_queue;

void tess_queue_put(struct tess_queue *queue);
bool tess_queue_is_dead(struct tess_queue *queue);
void tess_queue_fail(struct tess_queue *queue, u32 flag);
void tess_queue_fault(struct tess_queue *queue, const struct tess_fault *fault, u32 cmd,
		      u32 slice);
int tess_queue_module_init(void);
void tess_queue_module_exit(void);

#endif
