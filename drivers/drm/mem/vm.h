/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_DRM_VM_H_
#define _TESSERA_DRM_VM_H_

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <drm/drm_gpuvm.h>

#define TESS_MAX_VMS		64

struct drm_device;
struct drm_file;
struct tess_as;
struct tess_as_budget;
struct tess_device;
struct tess_file;

/**
 * struct tess_vm - an address space of the GPU
 * @base: what is mapped where, under @lock. The VM has a reference to its DRM device of its
 *	own, which drm_gpuvm_init() does not take on all kernels: jobs that wait for a fence of
 *	another driver keep queue and VM beyond the last file and the GPU
 * @ref: held by the id and by queues
 * @lock: serializes changes of the tree
 * @tables: serializes changes of what is in @as. Inside of reservations
 * @as: page tables; NULL once the GPU is gone. Changes under @lock and
 *	tess_device::vm_lock
 * @used: time of the last SUBMIT, in ns of CLOCK_MONOTONIC
 * @moved: mappings are missing, of BOs that moved. Set under the BO's reservation, cleared under
 *	those of all that the VM maps
 * @returns: BOs may come back to VRAM. Under the VM's reservation
 * @return_at: jiffies when they may next. No more than a hint
 * @evicted: bytes of BOs that are evicted, some of which may not be mapped any more
 * @faulted: jobs that faulted
 * @hung: jobs that hung
 * @lost: jobs that ended through no fault of theirs
 * @scratch: memory behind null mappings; NULL: there was none yet. Under @lock
 * @link: in tess_device::vms
 */
struct tess_vm {
	struct drm_gpuvm base;
	struct kref ref;
	struct mutex lock;
	struct mutex tables;
	struct tess_as *as;
	u64 used;
	bool moved;
	bool returns;
	unsigned long return_at;
	atomic64_t evicted;
	atomic64_t faulted;
	atomic64_t hung;
	atomic64_t lost;
	struct drm_gem_object *scratch;
	struct list_head link;
};

/**
 * struct tess_va - a mapping
 * @base: in the tree of its VM
 * @prot: TESS_AS_*
 * @mapped: in the page tables. Under the reservation of its BO
 * @dead: in tess_bind::dead
 */
struct tess_va {
	struct drm_gpuva base;
	u32 prot;
	bool mapped;
	struct list_head dead;
};

static inline struct tess_va *to_tess_va(struct drm_gpuva *va)
{
	return container_of(va, struct tess_va, base);
}

static inline struct tess_vm *to_tess_vm(struct drm_gpuvm *gpuvm)
{
	return container_of(gpuvm, struct tess_vm, base);
}

struct tess_vm *tess_vm_lookup(struct tess_file *tfile, u32 id);
struct tess_as_budget *tess_vm_tables_create(void);
void tess_vm_put(struct tess_vm *vm);
void tess_vm_close_all(struct tess_file *tfile);
void tess_vm_release_all(struct tess_device *tdev);

int tess_vm_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int tess_vm_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

#endif
