/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ROOM_H_
#define _TESSERA_CORE_ROOM_H_

#include <linux/types.h>

struct tess_gpu;

void tess_gpu_make_room(struct tess_gpu *gpu, u64 want);
void tess_room_revoked(struct tess_gpu *gpu);

#endif
