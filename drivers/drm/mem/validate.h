/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_VALIDATE_H_
#define _TESSERA_DRM_VALIDATE_H_

struct dma_fence;
struct drm_exec;
struct drm_gpuvm_bo;
struct drm_gpuvm_exec;
struct tess_vm;

int tess_vm_validate_bo(struct drm_gpuvm_bo *vm_bo, struct drm_exec *exec);
int __must_check tess_vm_lock_for_job(struct tess_vm *vm, struct drm_gpuvm_exec *exec);
void tess_vm_add_job(struct drm_gpuvm_exec *exec, struct dma_fence *fence);

#endif
