/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_GEM_H_
#define _TESSERA_DRM_GEM_H_

#include <drm/drm_gem_shmem_helper.h>
#include <tessera/display.h>
#include "lru.h"

struct dma_buf_attachment;
struct dmem_cgroup_pool_state;
struct drm_device;
struct drm_file;
struct drm_mode_create_dumb;
struct page;
struct sg_table;
struct tess_device;
struct tess_usage;
struct tess_vm;
struct tess_vram;
struct tess_vram_export;

/**
 * struct tess_bo_picture - what a program told of the picture in a BO
 * @serial: of the picture, another one of each that was told of to the device; 0: nothing was told
 * @previous: that of the picture that it was compared with; 0: none
 * @damage: where the two may differ, in pixels; empty: nowhere
 */
struct tess_bo_picture {
	u64 serial;
	u64 previous;
	struct tess_head_rect damage;
};

/**
 * struct tess_bo - memory that the CPU and the GPU can map
 * @shmem: of a BO in system memory; only its @base is in use for one in VRAM
 * @link: in tess_device::bos
 * @sgt: DMA mapping of system memory, made when the BO is bound first, or of @pages. Written under
 *	the BO's reservation
 * @is_vram: made in VRAM, wherever it is now; if the GPU went away, nowhere
 * @is_contiguous: in VRAM, in one piece: a display head can show it, and it stays there
 * @is_import: memory of a vGPU (import.c): @vram is of @export, or NULL when that was left
 * @is_left: it was revoked, and is left. Under tess_device::bo_lock
 * @export: of the vGPU; NULL: none, or not any more. Written under the BO's reservation
 * @near: made in VRAM: slice that it should be near to, or -1
 * @vram: allocation; NULL: none. Written under the BO's reservation
 * @pages: made in VRAM, but evicted: where it is instead, NULL: it is not. Written under the BO's
 *	reservation
 * @pins: made in VRAM: users of @pages who cannot bear that it moves. Under the BO's reservation
 * @used: when it was made, bound, or mapped by the CPU, in ns of CLOCK_MONOTONIC
 * @lru: in the order of use, if it is in VRAM. Under tess_device::lru_lock
 * @usage: of the file that made it, which pays for it; NULL: imported
 * @system_pages: pages of system memory that it pays for, 0 before there are any. Under the BO's
 *	reservation
 * @dmem: VRAM: pool of the control group that pays
 * @attach: imported: to the dma-buf. Its mapping is @shmem.sgt until the GPU goes
 * @picture: what is in it. Under tess_device::damage_lock
 * @vm_root: whose reservation is the BO's, of the one VM that may map it; NULL: any may
 */
struct tess_bo {
	struct drm_gem_shmem_object shmem;
	struct list_head link;
	struct sg_table *sgt;
	bool is_vram;
	bool is_contiguous;
	bool is_import;
	bool is_left;
	struct tess_vram_export *export;
	int near;
	struct tess_vram *vram;
	struct page **pages;
	unsigned int pins;
	u64 used;
	struct tess_lru_node lru;
	struct tess_usage *usage;
	unsigned long system_pages;
	struct dmem_cgroup_pool_state *dmem;
	struct dma_buf_attachment *attach;
	struct tess_bo_picture picture;
	struct drm_gem_object *vm_root;
};

static inline struct tess_bo *to_tess_bo(struct drm_gem_object *obj)
{
	return container_of(to_drm_gem_shmem_obj(obj), struct tess_bo, shmem);
}

/**
 * typedef tess_bo_walk_fn - called for each contiguous piece of a BO
 * @priv: of the caller
 * @pa: physical address as the GPU sees it
 * @offset: from the start of the walk
 * @size: bytes
 *
 * Return: 0 to go on, negative errno to stop.
 */
typedef int (*tess_bo_walk_fn)(void *priv, u64 pa, u64 offset, u64 size);

struct drm_gem_object *tess_bo_create_object(struct drm_device *drm, size_t size);
void tess_bo_free(struct drm_gem_object *obj);
enum drm_gem_object_status tess_bo_status(struct drm_gem_object *obj);
int __must_check tess_bo_pin_locked(struct tess_bo *bo);
int tess_bo_walk(struct tess_bo *bo, u64 start, u64 size, tess_bo_walk_fn fn, void *priv);
void tess_bo_release_all(struct tess_device *tdev);
struct tess_bo *tess_bo_create_scratch(struct tess_usage *usage, struct tess_vm *vm, u64 size);

int __must_check tess_bo_alloc_pages(struct tess_bo *bo, bool zero);
void tess_bo_unmap_pages(struct tess_bo *bo);
void tess_bo_free_pages(struct tess_bo *bo);
void tess_bo_free_vram(struct tess_bo *bo);
int __must_check tess_bo_withdraw(struct tess_bo *bo);
bool tess_bo_is_idle(struct tess_bo *bo);
int __must_check tess_bo_evict_locked(struct tess_bo *bo);
int tess_bo_return_locked(struct tess_bo *bo);

int __must_check tess_vram_pin(struct drm_gem_object *obj);
void tess_vram_unpin(struct drm_gem_object *obj);
struct sg_table *tess_vram_get_sg_table(struct drm_gem_object *obj);
int __must_check tess_vram_vmap(struct drm_gem_object *obj, struct iosys_map *map);
void tess_vram_vunmap(struct drm_gem_object *obj, struct iosys_map *map);
struct dma_buf *tess_bo_export(struct drm_gem_object *obj, int flags);
struct drm_gem_object *tess_bo_import(struct drm_device *drm, struct dma_buf_attachment *attach,
				      struct sg_table *sgt);

extern const struct vm_operations_struct tess_vram_vm_ops;
int tess_vram_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma);

int tess_bo_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int tess_bo_create_dumb(struct drm_file *file, struct drm_device *drm,
			struct drm_mode_create_dumb *args);
int tess_bo_mmap_offset_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
