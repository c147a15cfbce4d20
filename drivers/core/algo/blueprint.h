/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_BLUEPRINT_H_
#define _TESSERA_CORE_BLUEPRINT_H_

#include <tessera/blueprint.h>

/* Memory of vslices comes in such pieces */
#define TESS_MEMORY_GRANULE	(2ULL << 20)
/* All of VRAM that can be addressed */
#define TESS_MEMORY_MAX		(TESS_PA_END - TESS_PA_VRAM)

/* One of them copies pictures for a viewer elsewhere */
#define TESS_ENGINES_CAPTURE	(TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY)

/* Of a frame in memory */
#define TESS_BYTES_PER_PIXEL	4
/* A remote path reads each frame twice, to show and to copy it, and writes the copy */
#define TESS_REMOTE_PASSES	3

/* Hz of a display if only its size is known */
#define TESS_REFRESH_DEFAULT	60

/**
 * struct tess_demand - what a slice has to be able to do
 * @texels: per second
 * @pixels: per second
 * @bytes: of memory per second
 */
struct tess_demand {
	u64 texels;
	u64 pixels;
	u64 bytes;
};

u32 tess_kind_engines(u32 kind);
void tess_blueprint_resolve(struct tess_blueprint *bp);
struct tess_demand tess_blueprint_demand(const struct tess_blueprint *bp);
bool tess_blueprint_is_remote(const struct tess_blueprint *bp);
u32 tess_blueprint_display_slices(const struct tess_blueprint *bp, u64 bandwidth);
u64 tess_blueprint_display_bytes(const struct tess_blueprint *bp);
bool tess_blueprint_is_same(const struct tess_blueprint *a, const struct tess_blueprint *b);

#endif
