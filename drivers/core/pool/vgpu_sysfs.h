/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_VGPU_SYSFS_H_
#define _TESSERA_CORE_VGPU_SYSFS_H_

#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>

struct tess_gpu;
struct tess_vgpu;

/**
 * struct tess_vgpu_dirs - directory "vgpus" of a GPU
 * @lock: protects @kobj, @list and tess_vgpu.dir. Outside of tess_gpu.compose; held while
 *	readers of files leave, so no file takes it
 * @kobj: the directory; NULL before the GPU is visible and after it was
 * @list: directories of vGPUs
 */
struct tess_vgpu_dirs {
	struct mutex lock;
	struct kobject *kobj;
	struct list_head list;
};

int tess_vgpus_show(struct tess_gpu *gpu);
void tess_vgpus_hide(struct tess_gpu *gpu);
int tess_vgpu_sysfs_add(struct tess_vgpu *vgpu, struct tess_vgpu *old);
void tess_vgpu_sysfs_remove(struct tess_vgpu *vgpu);

#endif
