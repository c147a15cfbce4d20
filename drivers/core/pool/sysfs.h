/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SYSFS_H_
#define _TESSERA_CORE_SYSFS_H_

#include <linux/kobject.h>

struct attribute_group;
struct tess_gpu;
struct tess_slice;

extern const struct attribute_group *tess_gpu_groups[];

void tess_slice_kobject_init(struct tess_slice *slice);
int tess_slices_show(struct tess_gpu *gpu);
void tess_slices_hide(struct tess_gpu *gpu);

#endif
