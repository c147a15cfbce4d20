/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ADAPT_H_
#define _TESSERA_CORE_ADAPT_H_

struct tess_gpu;

void tess_adapt_init(struct tess_gpu *gpu);
void tess_adapt_stop(struct tess_gpu *gpu);

#endif
