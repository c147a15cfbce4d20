/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SWAPPER_H_
#define _TESSERA_CORE_SWAPPER_H_

struct tess_gpu;

void tess_swapper_init(struct tess_gpu *gpu);
void tess_swapper_stop(struct tess_gpu *gpu);

#endif
