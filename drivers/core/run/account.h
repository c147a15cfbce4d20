/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_ACCOUNT_H_
#define _TESSERA_CORE_ACCOUNT_H_

#include <linux/types.h>

struct tess_gpu;
struct tess_slice;
struct tess_vslice;

u64 tess_sched_cycles(const struct tess_gpu *gpu, u32 us);
bool tess_sched_wants(const struct tess_vslice *vs);

void tess_sched_charge(struct tess_slice *slice, struct tess_vslice *vs, u64 now, u64 busy,
		       bool idle);
bool tess_sched_charge_resident(struct tess_slice *slice, struct tess_vslice *cur);
void tess_sched_ask_time(struct tess_slice *slice);
void tess_sched_restarted(struct tess_slice *slice, struct tess_vslice *vs);

#endif
