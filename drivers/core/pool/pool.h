/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_POOL_H_
#define _TESSERA_CORE_POOL_H_

#include <linux/types.h>

struct tess_gpu;

bool tess_pool_each(void (*look)(struct tess_gpu *gpu, void *data), void *data);

int tess_pool_init(void);
void tess_pool_exit(void);

#endif
