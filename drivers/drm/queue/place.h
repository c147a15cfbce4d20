/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_PLACE_H_
#define _TESSERA_DRM_PLACE_H_

#include <linux/types.h>

struct tess_entity;
struct tess_queue;

struct tess_entity *tess_queue_place(struct tess_queue *queue, u64 slices, const u8 *taken);

#endif
