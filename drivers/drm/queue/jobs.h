/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_JOBS_H_
#define _TESSERA_DRM_JOBS_H_

#include <linux/types.h>

struct list_head;
struct tess_lane;
struct tess_submit;

struct tess_submit *tess_lane_first_locked(struct tess_lane *lane, u64 *seq);
void tess_lane_charge(struct tess_lane *lane, const struct tess_submit *submit, u64 cycles);
void tess_lane_collect_locked(struct tess_lane *lane, struct list_head *done);
void tess_lane_fail_locked(struct tess_lane *lane, int error, struct list_head *done);
void tess_lane_signal(struct list_head *done);
void tess_lane_reap(struct tess_lane *lane);
void tess_submit_free(struct tess_submit *submit);

#endif
