/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ACCESS_H_
#define _TESSERA_CORE_ACCESS_H_

struct tess_slice;
struct tess_vgpu;

struct tess_slice *tess_vslice_begin(struct tess_vgpu *vgpu, unsigned int vslice, int *idx);
void tess_vslice_end(struct tess_slice *slice, int idx);

#endif
