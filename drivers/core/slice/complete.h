/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_COMPLETE_H_
#define _TESSERA_CORE_COMPLETE_H_

#include <linux/types.h>

struct tess_completion_record;
struct tess_gpu;
struct tess_hw_ring;
struct tess_slice;
struct tess_vslice;

/**
 * struct tess_route_source - where the completions of a vslice are found
 * @rec: completion record, of a client that drives registers; or NULL
 * @ring: ring, of a client in the kernel; or NULL. At most one of both is set
 */
struct tess_route_source {
	struct tess_completion_record *rec;
	struct tess_hw_ring *ring;
};

bool tess_route_hints(struct tess_gpu *gpu, struct tess_vslice *vs, u64 *frames,
		      u64 *operations);
void tess_route_clear(struct tess_slice *slice);
void tess_route_restart(struct tess_slice *slice);
void tess_route_attach(struct tess_slice *slice, struct tess_vslice *vs,
		       const struct tess_route_source *source, u64 seen);
void tess_route_detach(struct tess_gpu *gpu, struct tess_vslice *vs);
void tess_route_exchange(struct tess_slice *slice, struct tess_vslice *out,
			 struct tess_vslice *in);

#endif
