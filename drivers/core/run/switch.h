/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SWITCH_H_
#define _TESSERA_CORE_SWITCH_H_

#include "slice/trace.h"

struct tess_slice;
struct tess_vslice;

int tess_switch(struct tess_slice *slice, struct tess_vslice *next, enum tess_out_reason reason);

#endif
