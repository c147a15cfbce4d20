/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_HANG_H_
#define _TESSERA_DRM_HANG_H_

struct tess_lane;
struct work_struct;

void tess_lane_fault_work(struct work_struct *work);
void tess_lane_watchdog(struct work_struct *work);
void tess_lane_watch_soon(struct tess_lane *lane);

#endif
