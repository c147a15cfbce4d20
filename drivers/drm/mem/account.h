/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_ACCOUNT_H_
#define _TESSERA_DRM_ACCOUNT_H_

#include <linux/types.h>

struct dmem_cgroup_pool_state;
struct tess_device;
struct tess_usage;

u64 tess_account_system_limit(void);
u64 tess_account_system_total_limit(void);
u64 tess_account_system_used(void);
u64 tess_account_vram_limit(const struct tess_device *tdev);

int __must_check tess_account_system(struct tess_usage *usage, unsigned long pages);
void tess_unaccount_system(struct tess_usage *usage, unsigned long pages);

int __must_check tess_account_vram(struct tess_device *tdev, struct tess_usage *usage, u64 size,
				   struct dmem_cgroup_pool_state **pool);
void tess_unaccount_vram(struct tess_usage *usage, u64 size, struct dmem_cgroup_pool_state *pool);

#endif
