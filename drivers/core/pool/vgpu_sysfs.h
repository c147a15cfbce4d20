/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_VGPU_SYSFS_H_
#define _TESSERA_CORE_VGPU_SYSFS_H_

struct tess_gpu;
struct tess_vgpu;

int tess_vgpus_show(struct tess_gpu *gpu);
void tess_vgpus_hide(struct tess_gpu *gpu);
int tess_vgpu_sysfs_add(struct tess_vgpu *vgpu, struct tess_vgpu *old);
void tess_vgpu_sysfs_remove(struct tess_vgpu *vgpu);

#endif
