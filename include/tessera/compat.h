/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One source for Linux 6.12 to 7.2.
 *
 * The source is written for the newest kernel; this header gives the older ones what
 * they lack. Probe for a macro or a header first: distributions backport interfaces,
 * and a version test is then wrong. No other file tests a version.
 */
#ifndef _TESSERA_COMPAT_H_
#define _TESSERA_COMPAT_H_

#include <linux/export.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/version.h>

/*
 * Namespace of the symbols that tessera.ko exports, for EXPORT_SYMBOL_NS_GPL() and
 * MODULE_IMPORT_NS(): an identifier before 6.13, a string since. It leaves no macro
 * to probe for.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define TESS_NS TESSERA
#define TESS_DMA_BUF_NS DMA_BUF
#define TESS_IOMMUFD_NS IOMMUFD
#else
#define TESS_NS "TESSERA"
#define TESS_DMA_BUF_NS "DMA_BUF"
#define TESS_IOMMUFD_NS "IOMMUFD"
#endif

/*
 * vmf_insert_pfn_pmd() and vmf_insert_mixed() took a pfn_t until that type was removed; sparse has
 * no __has_include()
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#include <linux/pfn_t.h>
#define tess_pfn_arg(pfn)	__pfn_to_pfn_t(pfn, PFN_DEV)
#else
#define tess_pfn_arg(pfn)	(pfn)
#endif

/* hrtimer_init() left the function to be set until 6.15 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define tess_hrtimer_setup(timer, func, clock, mode) do { \
	hrtimer_init(timer, clock, mode); \
	(timer)->function = (func); \
} while (0)
#else
#define tess_hrtimer_setup	hrtimer_setup
#endif

/* VFIO_DEVICE_GET_REGION_INFO arrives in .ioctl, there is no .get_region_info_caps */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define TESS_VFIO_REGION_INFO_IOCTL
#endif

/* struct drm_driver had a date, printed by DRM_IOCTL_VERSION, until 6.14 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define TESS_DRM_DRIVER_DATE	.date = "20250101",
#else
#define TESS_DRM_DRIVER_DATE
#endif

/* drm_gpuvm_sm_map() takes a structure since 6.18 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define tess_gpuvm_sm_map(gpuvm, priv, addr, size, obj, offset) \
	drm_gpuvm_sm_map(gpuvm, priv, addr, size, obj, offset)
#else
#define tess_gpuvm_sm_map(gpuvm, priv, addr_, size_, obj_, offset_) \
	drm_gpuvm_sm_map(gpuvm, priv, &(struct drm_gpuvm_map_req){ \
		.map.va.addr = (addr_), \
		.map.va.range = (size_), \
		.map.gem.obj = (obj_), \
		.map.gem.offset = (offset_), \
	})
#endif

/* drm_gpuvm_bo_obtain() says since 7.0 that a lock must be held; it always had to */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define tess_gpuvm_bo_obtain	drm_gpuvm_bo_obtain
#else
#define tess_gpuvm_bo_obtain	drm_gpuvm_bo_obtain_locked
#endif

/* The control group of device memory came with 6.14 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
struct dmem_cgroup_pool_state;
struct dmem_cgroup_region;
struct drm_device;

static inline struct dmem_cgroup_region *
tess_dmem_register(struct drm_device *drm, const char *name, u64 size)
{
	return NULL;
}

static inline int tess_dmem_charge(struct dmem_cgroup_region *region, u64 size,
				   struct dmem_cgroup_pool_state **pool)
{
	return 0;
}

static inline void tess_dmem_uncharge(struct dmem_cgroup_pool_state *pool, u64 size)
{
}
#else
#include <linux/cgroup_dmem.h>
#define tess_dmem_register			drmm_cgroup_register_region
#define tess_dmem_charge(region, size, pool)	dmem_cgroup_try_charge(region, size, pool, NULL)
#define tess_dmem_uncharge			dmem_cgroup_uncharge
#endif

/* drm_client_setup() moved with 6.14: Kbuild of tessera_drm looks for its header, if any */
#ifdef TESS_DRM_CLIENTS
#include <drm/clients/drm_client_setup.h>
#elif defined(TESS_DRM_CLIENT)
#include <drm/drm_client_setup.h>
#endif

/* drm_mode_config_funcs.fb_create() has the format found already since 6.17 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define TESS_FB_FORMAT_PARAM
#define TESS_FB_FORMAT
#else
#define TESS_FB_FORMAT_PARAM	const struct drm_format_info *format,
#define TESS_FB_FORMAT		format,
#endif

/* Binary attributes of sysfs are const since 6.16 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define TESS_BIN_ATTR
#else
#define TESS_BIN_ATTR		const
#endif

/* What is committed was struct drm_atomic_state until 7.2 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define tess_atomic_commit	drm_atomic_state
#else
#define tess_atomic_commit	drm_atomic_commit
#endif

/* drm_plane_helper_funcs.atomic_async_check() is told since 6.14 if it is for a flip */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define TESS_ASYNC_PARAMS	struct drm_plane *plane, struct tess_atomic_commit *state
#else
#define TESS_ASYNC_PARAMS	struct drm_plane *plane, struct tess_atomic_commit *state, bool flip
#endif

/* IN_FORMATS_ASYNC: which formats a plane can flip to without waiting for a frame */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define TESS_HAS_ASYNC_FORMATS
#endif

#endif
