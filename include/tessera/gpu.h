/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for front-ends: GPUs of the pool, and front-ends that want to know of them.
 *
 * A front-end makes vGPUs available to one type of client. It knows no back-end and
 * no register of a GPU beyond the client page, which is what a guest sees. What follows holds
 * for this header and for vgpu.h, vslice.h, memory.h, ring.h and transfer.h.
 *
 * All functions may sleep and need process context unless they say otherwise; the core
 * checks every id and index that it is given. Pointers returned as error pointers
 * are said so.
 *
 * Lifetime: a &struct tess_gpu is valid between the gpu_add() and the return of the
 * gpu_remove() callback of the front-end; a &struct tess_vgpu from
 * tess_vgpu_create() to tess_vgpu_destroy(), also when its GPU goes away in between:
 * after the gone() callback, calls fail with -ENODEV and touch no hardware.
 */
#ifndef _TESSERA_GPU_H_
#define _TESSERA_GPU_H_

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct device;
struct kobject;
struct module;
struct tess_blueprint;
struct tess_gpu;

/* Bytes of VRAM that are in one piece in any case */
#define TESS_VRAM_CHUNK	SZ_2M

/* A pool has at most so many: their numbers are below it */
#define TESS_MAX_GPUS	256

/**
 * struct tess_gpu_info - what does not change while a GPU is in the pool
 * @index: number of the GPU in the pool, reused after it is gone
 * @slice_count: number of slices, at most TESS_MAX_SLICES
 * @caps: TESS_CAPS_*
 * @clock_khz: nominal clock
 * @vram_size: bytes of VRAM
 * @bank_size: bytes of the VRAM bank of a slice
 * @va_end: end of the addresses of a process (stage 1), which begin at 0
 * @vram_base: where slices find VRAM offset 0: a physical address of tess_as_map(). What is below
 *	is memory of the bus
 * @vram_phys: CPU physical address of VRAM offset 0 (of the BAR), if it is in one piece
 * @vram: VRAM offset 0 as the kernel maps it: write-combined, or ordinary memory. Valid as long as
 *	the GPU
 * @vram_chunks: CPU physical address of each TESS_VRAM_CHUNK bytes of VRAM, which are memory of the
 *	host; NULL: it is in one piece. Valid as long as the GPU
 * @group_slots: work-groups in flight per slice
 * @is_vgpu: the GPU is a vGPU itself, this is a guest
 */
struct tess_gpu_info {
	unsigned int index;
	unsigned int slice_count;
	u32 caps;
	u32 clock_khz;
	u64 vram_size;
	u64 bank_size;
	u64 va_end;
	u64 vram_base;
	phys_addr_t vram_phys;
	void __iomem *vram;
	const phys_addr_t *vram_chunks;
	u32 group_slots;
	bool is_vgpu;
};

/**
 * tess_vram_phys() - where the CPU finds VRAM
 * @info: of the GPU, which is there
 * @offset: in VRAM
 * @left: reduced to the bytes that follow in one piece
 *
 * Any context.
 *
 * Return: CPU physical address.
 */
static inline phys_addr_t tess_vram_phys(const struct tess_gpu_info *info, u64 offset, u64 *left)
{
	u64 in = offset % TESS_VRAM_CHUNK;

	if (!info->vram_chunks)
		return info->vram_phys + offset;
	*left = min(*left, TESS_VRAM_CHUNK - in);
	return info->vram_chunks[offset / TESS_VRAM_CHUNK] + in;
}

/**
 * struct tess_slice_info - what does not change of a slice
 * @kind: enum tess_slice_kind
 * @cores: shader cores
 * @engines: TESS_ENGINE_* that the slice has
 */
struct tess_slice_info {
	u32 kind;
	u32 cores;
	u32 engines;
};

/**
 * struct tess_fault - a fault of the client (stage 1, packets, instructions)
 * @cause: enum tess_cause
 * @info: TESS_FAULT_INFO_*
 * @addr: VA, or client address of the packet
 * @pc: of the work-item, if TESS_FAULT_INFO_HART
 * @packet: ring index
 * @indirect: index in the indirect buffer, if TESS_FAULT_INFO_INDIRECT
 * @asid: address space
 */
struct tess_fault {
	u32 cause;
	u32 info;
	u64 addr;
	u64 pc;
	u64 packet;
	u32 indirect;
	u32 asid;
};

/**
 * struct tess_host_fault - a fault of stage 2
 * @cause: DRM_TESSERA_CAUSE_*_GUEST_PAGE
 * @access: 0 fetch, 1 load, 2 store
 * @gpa: client-physical address
 */
struct tess_host_fault {
	u32 cause;
	u32 access;
	u64 gpa;
};

/**
 * tess_gpu_info() - what does not change while a GPU is in the pool
 * @gpu: GPU
 *
 * Any context.
 *
 * Return: valid as long as the GPU.
 */
const struct tess_gpu_info *tess_gpu_info(const struct tess_gpu *gpu);

/**
 * tess_gpu_slice_info() - shape of a slice
 * @gpu: GPU
 * @slice: number
 *
 * Any context.
 *
 * Return: valid as long as the GPU; NULL if there is no such slice. In a
 * guest the host can change the contents (config()); kind TESS_KIND_NONE: it is withdrawn.
 */
const struct tess_slice_info *tess_gpu_slice_info(const struct tess_gpu *gpu, unsigned int slice);

/**
 * tess_gpu_dev() - device that a GPU is on, for DMA and as a parent
 * @gpu: GPU
 *
 * Any context.
 *
 * Return: the device.
 */
struct device *tess_gpu_dev(const struct tess_gpu *gpu);

/**
 * tess_gpu_kobj() - directory of a GPU in sysfs, gpuN/
 * @gpu: GPU that the caller was given by gpu_add()
 *
 * What a front-end puts there it removes in gpu_remove().
 *
 * Return: parent for kobjects.
 */
struct kobject *tess_gpu_kobj(struct tess_gpu *gpu);

/**
 * tess_gpu_hold() - keep the module of the back-end while the GPU is in use
 * @gpu: GPU
 * @owner: set to the module; give it to module_put() in the end, GPU or no GPU
 *
 * The GPU can still be taken away from its driver. A vGPU that is not elastic holds the
 * module without this.
 *
 * Return: 0, -ENODEV the module or the GPU is about to go.
 */
int tess_gpu_hold(struct tess_gpu *gpu, struct module **owner);

/**
 * tess_gpu_time() - GPU time
 * @gpu: GPU
 *
 * Any context.
 *
 * Return: cycles; 0 if the GPU is gone.
 */
u64 tess_gpu_time(struct tess_gpu *gpu);

/**
 * tess_gpu_able_slices() - how many slices of a GPU can do their part of a vGPU's work?
 * @gpu: GPU
 * @bp: of the vGPU
 *
 * Whoever has them now. They are of its kind, and as fast as it demands.
 *
 * Return: their number.
 */
unsigned int tess_gpu_able_slices(struct tess_gpu *gpu, const struct tess_blueprint *bp);

/**
 * tess_gpu_available() - how many vGPUs could be created now?
 * @gpu: GPU
 * @bp: each with this blueprint
 *
 * Return: exactly how many, if nobody else takes or returns anything in between; 0 for
 * nonsense.
 */
unsigned int tess_gpu_available(struct tess_gpu *gpu, const struct tess_blueprint *bp);

/**
 * tess_gpu_room() - how good is it for a vGPU, compared with other GPUs?
 * @gpu: GPU
 * @bp: of the vGPU
 *
 * The more vGPUs of that kind could be created the better. If frames are copied for a viewer
 * elsewhere (path=remote), what counts is how many slices that can copy are idle.
 *
 * Return: 0: there is no room.
 */
unsigned int tess_gpu_room(struct tess_gpu *gpu, const struct tess_blueprint *bp);

/**
 * struct tess_frontend - a registered front-end
 * @name: for messages and sysfs
 * @owner: module, pinned while one of its vGPUs exists (but for elastic ones)
 * @gpu_add: a GPU came (also called for those that are there at registration); an
 *	error only means that this front-end does not serve that GPU. Optional
 * @gpu_drain: the GPU is about to go, for good, and works until this returns: let other GPUs
 *	have what can go there. No vGPU is composed on it any more. It is called only if
 *	@gpu_add succeeded, and gone() and @gpu_remove follow for what is left; not if the
 *	GPU goes without notice. Bounded time. Optional
 * @gpu_wedged: the GPU was lost (gone() was called), and nobody resets it but an administrator: say
 *	so to those who look for that. Called only if @gpu_add succeeded. Optional
 * @gpu_remove: leave a GPU; called only if @gpu_add succeeded: the GPU goes away (all
 *	vGPUs of the front-end on it got gone() before) or the front-end is unregistered.
 *	On return the front-end uses the GPU no more; it may still hold vGPUs, address
 *	spaces, memory and rings of it, which are empty shells then. Must return in
 *	bounded time, also while clients have it open
 *
 * Call-backs run in process context, one at a time for all front-ends, may sleep and may
 * call everything but tess_frontend_register() and tess_frontend_unregister().
 */
struct tess_frontend {
	const char *name;
	struct module *owner;
	int (*gpu_add)(struct tess_frontend *fe, struct tess_gpu *gpu);
	void (*gpu_drain)(struct tess_frontend *fe, struct tess_gpu *gpu);
	void (*gpu_wedged)(struct tess_frontend *fe, struct tess_gpu *gpu);
	void (*gpu_remove)(struct tess_frontend *fe, struct tess_gpu *gpu);

	/* private: core */
	struct list_head link;
	struct xarray gpus;
};

/**
 * tess_frontend_register() - offer all GPUs to a front-end
 * @fe: front-end, kept until it is unregistered
 *
 * gpu_add() is called for the GPUs that are there before it returns.
 *
 * Return: 0, -EINVAL it has no name.
 */
int tess_frontend_register(struct tess_frontend *fe);

/**
 * tess_frontend_unregister() - the front-end leaves all GPUs
 * @fe: registered front-end without vGPUs but those that its gpu_remove() destroys
 */
void tess_frontend_unregister(struct tess_frontend *fe);

#endif
