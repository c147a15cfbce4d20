/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_SCHED_H_
#define _TESSERA_DRM_SCHED_H_

struct tess_lane;

int tess_lane_sched_init(struct tess_lane *lane);

#endif
