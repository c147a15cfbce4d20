/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ANALYZER_H_
#define _TESSERA_CORE_ANALYZER_H_

#include <linux/types.h>

struct tess_slice;
struct tess_vgpu;

void tess_analyze_sample(struct tess_slice *slice, struct tess_vgpu *vgpu, unsigned int vslice,
			 u64 time, const u64 *counters, u64 waited, u64 queue);

#endif
