/* SPDX-License-Identifier: GPL-2.0-only */
/* What other rooms may use of auto/ */
#ifndef _TESSERA_CORE_AUTO_H_
#define _TESSERA_CORE_AUTO_H_

struct tess_gpu;

void tess_swapper_init(struct tess_gpu *gpu);
void tess_swapper_stop(struct tess_gpu *gpu);

void tess_adapt_init(struct tess_gpu *gpu);
void tess_adapt_stop(struct tess_gpu *gpu);

#endif
