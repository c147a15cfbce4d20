/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_COMPLETE_H_
#define _TESSERA_CORE_COMPLETE_H_

#include <linux/types.h>

struct tess_completion_record;
struct tess_gpu;
struct tess_slice;
struct tess_vslice;

void tess_route_clear(struct tess_slice *slice);
void tess_route_restart(struct tess_slice *slice);
void tess_route_attach(struct tess_slice *slice, struct tess_vslice *vs,
		       struct tess_completion_record *rec, u64 seen);
void tess_route_detach(struct tess_gpu *gpu, struct tess_vslice *vs);
void tess_route_exchange(struct tess_slice *slice, struct tess_vslice *out,
			 struct tess_vslice *in);

#endif
