/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_MEM_H_
#define _TESSERA_CORE_MEM_H_

#include <tessera/memory.h>

struct tess_hw_as;

u64 tess_vram_available(struct tess_gpu *gpu, u64 granule);
int tess_vram_clear(struct tess_vram *vram);
int tess_vram_zero(struct tess_gpu *gpu, const struct tess_vram *vram, u64 off, u64 size);
int tess_vram_copy(struct tess_vram *to, const struct tess_vram *from);

struct tess_hw_as *tess_as_hw(const struct tess_as *as);
struct tess_gpu *tess_as_gpu(const struct tess_as *as);
enum tess_as_stage tess_as_stage(const struct tess_as *as);

#endif
