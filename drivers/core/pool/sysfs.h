/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SYSFS_H_
#define _TESSERA_CORE_SYSFS_H_

#include <linux/kobject.h>

struct attribute_group;
struct tess_gpu;

extern const struct attribute_group *tess_gpu_groups[];
extern const struct kobj_type tess_slice_ktype;

int tess_slices_show(struct tess_gpu *gpu);
void tess_slices_hide(struct tess_gpu *gpu);

#endif
