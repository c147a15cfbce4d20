/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_LANE_RING_H_
#define _TESSERA_DRM_LANE_RING_H_

#include <linux/types.h>

struct tess_lane;

bool tess_lane_takes_turns(const struct tess_lane *lane);
int tess_lane_start(struct tess_lane *lane);
void tess_lane_stop(struct tess_lane *lane, int error);
void tess_lane_stop_locked(struct tess_lane *lane, int error);

#endif
