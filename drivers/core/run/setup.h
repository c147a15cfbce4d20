/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SETUP_H_
#define _TESSERA_CORE_SETUP_H_

#include <linux/types.h>

struct tess_blueprint;
struct tess_vgpu;
struct tess_slice;
struct tess_vslice;

u64 tess_topology_reach(const struct tess_blueprint *bp, unsigned int vslice, unsigned int count);
void tess_vslice_relink(struct tess_vslice *vs);
int tess_vslice_setup(struct tess_vslice *vs, u32 engines);
int tess_vslice_apply(struct tess_vslice *vs, struct tess_slice *slice);

#endif
