/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_GATE_H_
#define _TESSERA_DRM_GATE_H_

#include <linux/types.h>

struct tess_lane;
struct tess_lanes;

bool tess_lanes_available(struct tess_lanes *lanes);
bool tess_lane_admit_locked(struct tess_lane *lane);
void tess_lane_job_over(struct tess_lane *lane, bool began, bool pushed);
void tess_lanes_update(struct tess_lanes *lanes);
void tess_lanes_close(struct tess_lanes *lanes);
void tess_lanes_restart(struct tess_lanes *lanes);

#endif
