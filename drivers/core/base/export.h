/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_EXPORT_H_
#define _TESSERA_CORE_EXPORT_H_

#include <tessera/memory.h>

struct tess_vram_export *tess_vram_export_of(struct tess_gpu *gpu, const struct tess_vram *vram,
					     struct tess_vram **banks, unsigned int count,
					     u64 offset, u64 size);
struct tess_gpu *tess_vram_export_end(struct tess_vram_export *export);
bool tess_vram_revoke(struct tess_gpu *gpu, const struct tess_vram *bank);

#endif
