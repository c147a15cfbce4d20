/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_VSLICE_H_
#define _TESSERA_CORE_VSLICE_H_

#include <linux/types.h>

struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

struct tess_slice *tess_vslice_begin(struct tess_vgpu *vgpu, unsigned int vslice, int *idx);
void tess_vslice_end(struct tess_slice *slice, int idx);
int tess_vslice_write(struct tess_slice *slice, u32 off, unsigned int width, u64 val);
void tess_vslice_restart_parked(struct tess_slice *slice, struct tess_vslice *vs);

#endif
