/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SETUP_H_
#define _TESSERA_CORE_SETUP_H_

struct tess_slice;
struct tess_vslice;

int tess_vslice_apply(struct tess_vslice *vs, struct tess_slice *slice);

#endif
