/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SCHED_H_
#define _TESSERA_CORE_SCHED_H_

#include <linux/types.h>

#include "algo/policy.h"

struct tess_gpu;
struct tess_slice;
struct tess_vgpu;

#define TESS_QUANTUM_US_DEFAULT		2000
#define TESS_QUANTUM_US_MIN		100
#define TESS_QUANTUM_US_MAX		1000000
#define TESS_TIMEOUT_US_DEFAULT		10000
#define TESS_TIMEOUT_US_MIN		1000
#define TESS_TIMEOUT_US_MAX		10000000

void tess_sched_init_slice(struct tess_slice *slice);
void tess_sched_stop(struct tess_gpu *gpu);

int tess_sched_set_policy(struct tess_slice *slice, enum tess_policy_kind kind);
int tess_sched_set_quantum(struct tess_slice *slice, u32 us);
int tess_sched_set_timeout(struct tess_slice *slice, u32 us);

int tess_sched_share_changed(struct tess_vgpu *vgpu);

#endif
