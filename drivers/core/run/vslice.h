/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_VSLICE_H_
#define _TESSERA_CORE_VSLICE_H_

#include <linux/types.h>

struct tess_slice;
struct tess_vslice;

int tess_vslice_write(struct tess_slice *slice, u32 off, unsigned int width, u64 val);
void tess_vslice_restart_parked(struct tess_slice *slice, struct tess_vslice *vs);

#endif
