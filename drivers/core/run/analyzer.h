/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ANALYZER_H_
#define _TESSERA_CORE_ANALYZER_H_

#include <linux/types.h>

#include "algo/analyze.h"

struct tess_profile;
struct tess_slice;
struct tess_vgpu;
struct tess_vslice;

/**
 * enum tess_analyze_who - for whom averages are
 * @TESS_ANALYZE_DECIDE: the swapper or the policy "auto"; the resident vslice is charged, too
 * @TESS_ANALYZE_OBSERVE: a reader, who changes nothing that anybody decides by
 */
enum tess_analyze_who {
	TESS_ANALYZE_DECIDE,
	TESS_ANALYZE_OBSERVE,
};

void tess_analyze_sample(struct tess_slice *slice, struct tess_vgpu *vgpu, unsigned int vslice,
			 u64 time, const u64 *counters, u64 waited, u64 queue);
int tess_analyze_read(struct tess_vgpu *vgpu, unsigned int vslice, enum tess_analyze_who who,
		      struct tess_load *load);
int tess_analyze_profile(struct tess_vgpu *vgpu, enum tess_analyze_who who,
			 struct tess_profile *profile);

#endif
