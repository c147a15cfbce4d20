/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_PROFILE_H_
#define _TESSERA_CORE_PROFILE_H_

#include "run/run.h"

struct tess_profile;
struct tess_vgpu;

int tess_analyze_profile(struct tess_vgpu *vgpu, enum tess_analyze_who who,
			 struct tess_profile *profile);

#endif
