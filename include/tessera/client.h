/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for front-ends: GPUs of the pool, vGPUs, memory, rings.
 *
 * A front-end makes vGPUs available to one type of client. It knows no back-end and
 * no register of a GPU beyond the client page, which is what a guest sees. All
 * functions may sleep and need process context unless they say otherwise; the core
 * checks every id and index that it is given. Pointers returned as error pointers
 * are said so.
 *
 * Lifetime: a &struct tess_gpu is valid between the gpu_add() and the return of the
 * gpu_remove() callback of the front-end; a &struct tess_vgpu from
 * tess_vgpu_create() to tess_vgpu_destroy(), also when its GPU goes away in between:
 * after the gone() callback, calls fail with -ENODEV and touch no hardware.
 */
#ifndef _TESSERA_CLIENT_H_
#define _TESSERA_CLIENT_H_

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <tessera/blueprint.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>
#include <tessera/memory.h>

struct device;
struct module;
struct tess_as;
struct tess_as_budget;
struct tess_gpu;
struct tess_vgpu;

/* ---- GPUs ---- */

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
 * @vram_phys: CPU physical address of VRAM offset 0 (of the BAR), if it is in one piece
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
	phys_addr_t vram_phys;
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

/* ---- vGPUs ---- */

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
 * struct tess_client_ops - call-backs of the core to the owner of a vGPU
 * @complete: the completion record of a vslice passed its event index; also once in a
 *	while without need. Hard interrupt context, at most a few microseconds. Optional
 * @fault: a vslice stopped with a client fault and stays stopped until
 *	tess_vslice_reset(), or a FAULT_ACK through tess_vslice_reg_write(). Process context, may
 *	sleep. Mandatory, but for an elastic vGPU, whose rings have call-backs of their own
 * @host_fault: map @hf->gpa in the stage-2 address space. Return 0 to repeat the
 *	access, negative errno to refuse it (the client sees an access fault), or a number
 *	of jiffies after which to ask again. Process context, may sleep and allocate, and
 *	is made for several vslices at once, each of which waits for its own. Mandatory if
 *	a stage 2 is set
 * @config: composition changed (tess_vgpu_composition() tells), or slices of the GPU did
 *	(tess_gpu_slice_info()): one whose kind is TESS_KIND_NONE now gets no new work, what
 *	was sent before runs to its end. Process context. Optional
 * @closing: elastic vGPUs only: @reclaim will follow for this vslice, perhaps after it was made
 *	for others: take no new work for it. Process context, does not wait for work. Optional
 * @reclaim: elastic vGPUs only: the slice behind @vslice is wanted by somebody else.
 *	Drain and return; on return all rings of this vslice are gone, and none is made
 *	until @restore. Process context, bounded time
 * @restore: elastic only: the slice behind @vslice came back, rings may be made
 * @evict: elastic vGPUs only: a vGPU is to be composed and VRAM is full: give up @bytes of it, or
 *	one allocation at least, whose contents are kept elsewhere. Returns the bytes that became
 *	free; 0: all that is left is in use. Process context, no lock of the core is held, bounded
 *	time. Optional
 * @parked: the vslice leaves its slice now; tess_vslice_doorbell_phys() says 0 already.
 *	On return no store of the client reaches the slice's doorbell any more; those
 *	that come later are caught and reported by tess_vslice_wake(). Process context,
 *	tess_slice.hw is held: no calls for this vslice. Mandatory if the blueprint is
 *	shared or automatic
 * @resumed: the vslice runs on a slice again; tess_vslice_doorbell_phys() tells where.
 *	True if a store was caught since parked() and was not passed on by
 *	tess_vslice_forward(): @wptr is its value. Context and locks as parked().
 *	Mandatory with it
 * @relocate: vGPU of one vslice that may be moved automatically (policy=auto): it would be
 *	better off on GPU number @gpu. To be done later, in a context of the owner's own,
 *	as the vGPU cannot be destroyed before this returns; or not at all. The owner says by
 *	tess_vgpu_relocated() when that is over. Process context, no lock is held. Optional:
 *	it stays on its GPU
 * @gone: the GPU was removed or does not answer; no further call-backs follow. Fail
 *	what is pending. Process context. Mandatory
 *
 * All may call the core for their own vGPU but not tess_vgpu_destroy();
 * Documentation/locking.rst says which locks the core holds.
 */
struct tess_client_ops {
	void (*complete)(struct tess_vgpu *vgpu, unsigned int vslice);
	void (*fault)(struct tess_vgpu *vgpu, unsigned int vslice, const struct tess_fault *fault);
	int (*host_fault)(struct tess_vgpu *vgpu, unsigned int vslice,
			  const struct tess_host_fault *hf);
	void (*config)(struct tess_vgpu *vgpu);
	void (*closing)(struct tess_vgpu *vgpu, unsigned int vslice);
	void (*reclaim)(struct tess_vgpu *vgpu, unsigned int vslice);
	void (*restore)(struct tess_vgpu *vgpu, unsigned int vslice);
	u64 (*evict)(struct tess_vgpu *vgpu, u64 bytes);
	void (*parked)(struct tess_vgpu *vgpu, unsigned int vslice);
	bool (*resumed)(struct tess_vgpu *vgpu, unsigned int vslice, u64 *wptr);
	void (*relocate)(struct tess_vgpu *vgpu, unsigned int gpu);
	void (*gone)(struct tess_vgpu *vgpu);
};

/**
 * struct tess_vgpu_params - arguments of tess_vgpu_create()
 * @name: owner as shown in sysfs ("drm", mdev UUID), copied
 * @blueprint: what is asked for; ignored if @elastic
 * @elastic: the vGPU has one vslice per slice of the GPU; it holds those that are
 *	free and gives them back (reclaim) when another vGPU needs them
 * @part: of a client that has more of them: only its owner composes it anew
 * @ops: call-backs
 * @priv: tess_vgpu_priv()
 * @owner: front-end module
 * @replaces: vGPU of the same name and GPU that the caller destroys when it has this one, which
 *	gets a directory in sysfs then; NULL: none
 * @continues: vGPU of the same name and another GPU of which it becomes the continuation
 *	(tess_vgpu_copy_state()); it is frozen until then, and has no directory. NULL: none
 * @reason: filled if it is refused; may be NULL
 */
struct tess_vgpu_params {
	const char *name;
	struct tess_blueprint blueprint;
	bool elastic;
	bool part;
	const struct tess_client_ops *ops;
	void *priv;
	struct module *owner;
	struct tess_vgpu *replaces;
	struct tess_vgpu *continues;
	struct tess_reason *reason;
};

/**
 * tess_vgpu_create() - compose a vGPU
 * @gpu: GPU that gives the slices
 * @params: what is wanted, copied
 *
 * Whole or not at all. Slices come reset, their rings disabled, and with scrubbed
 * memory. An elastic vGPU works without stage 2 (bypass). Of any other with host_fault()
 * nothing runs until tess_vgpu_set_stage2(): registers cannot be written. Call-backs may
 * come before it returns.
 *
 * Return: vGPU or error pointer: -EINVAL nonsense in the blueprint, -EOPNOTSUPP the GPU
 * cannot share slices, -ENOSPC not enough free slices of the kind or VRAM (the kernel log
 * says what was missing), -EBUSY the GPU has an elastic vGPU already, or sleeps with
 * the system, -ENODEV the GPU goes away, -ENOMEM.
 */
struct tess_vgpu *tess_vgpu_create(struct tess_gpu *gpu, const struct tess_vgpu_params *params);

/* Most parts whose compositions change together */
#define TESS_SPAN_PARTS_MAX 8

/**
 * struct tess_span_request - slices of several GPUs that are wanted
 * @name: owner, for messages
 * @blueprint: from tess_blueprint_parse(), with gpus above 1
 */
struct tess_span_request {
	const char *name;
	const struct tess_blueprint *blueprint;
};

/**
 * tess_span_plan() - which GPUs would give how many slices?
 * @gpus: GPUs, in use. A part is of those that are like the first
 * @count: their number, at most TESS_POOL_GPUS_MAX
 * @req: what is wanted
 * @parts: result: for each of @gpus the blueprint of a vGPU there; slices 0: it gives none
 * @reason: filled if it is refused; may be NULL
 *
 * Takes nothing. Who wants them composes all parts, or gives up those that were composed; the
 * client's vslices are those of the first part, then those of the second and so on.
 *
 * Return: 0; -EINVAL; -EOPNOTSUPP the blueprint has memory, is shared or automatic; -ENOSPC not
 * enough free slices or GPUs; -ENOMEM.
 */
int tess_span_plan(struct tess_gpu *const *gpus, unsigned int count,
		   const struct tess_span_request *req, struct tess_blueprint *parts,
		   struct tess_reason *reason);

/**
 * tess_span_recompose() - give all parts of a vGPU another shape, while they run
 * @parts: vGPUs of different GPUs, with parked() and resumed()
 * @count: their number, at most TESS_SPAN_PARTS_MAX
 * @req: what they are to be together, with as many gpus, and as many slices as they have vslices
 *	at most
 * @reason: filled if it is refused; may be NULL
 *
 * Whole or not at all, as tess_vgpu_recompose(): each part is what it was until all can be what
 * is wanted. config() comes for each part, after the first of them was published.
 *
 * Return: as tess_vgpu_recompose(), and -EOPNOTSUPP as tess_span_plan().
 */
int tess_span_recompose(struct tess_vgpu *const *parts, unsigned int count,
			const struct tess_span_request *req, struct tess_reason *reason);

/**
 * tess_vgpu_destroy() - halt, reset, scrub, and return everything to the pool
 * @vgpu: from tess_vgpu_create(); rings and extra memory must be gone
 *
 * On return no call-back runs or comes, and the GPU makes no access for this client.
 */
void tess_vgpu_destroy(struct tess_vgpu *vgpu);

/**
 * tess_vgpu_priv() - &tess_vgpu_params.priv
 * @vgpu: vGPU
 *
 * Any context.
 *
 * Return: as given.
 */
void *tess_vgpu_priv(const struct tess_vgpu *vgpu);

/**
 * tess_vgpu_gpu() - GPU of a vGPU
 * @vgpu: vGPU
 *
 * Any context.
 *
 * Return: the GPU, also if it is gone.
 */
struct tess_gpu *tess_vgpu_gpu(const struct tess_vgpu *vgpu);

/**
 * tess_vgpu_vslices() - number of vslices
 * @vgpu: vGPU
 *
 * As many as the blueprint's max when it was created. Those from the number of slices
 * on are withheld: not in tess_vgpu_slice_mask(), and not to be offered to the client's
 * programs. What a client still has there runs all the same, in turns with the vslice whose
 * slice it is.
 *
 * Any context.
 *
 * Return: their number, which does not change.
 */
unsigned int tess_vgpu_vslices(const struct tess_vgpu *vgpu);

/**
 * tess_vgpu_slice_mask() - vslices that can run now
 * @vgpu: vGPU
 *
 * Return: all that are not withheld; of an elastic vGPU those that it holds and need not
 * give back. In a guest without those that the host withdrew.
 */
u64 tess_vgpu_slice_mask(const struct tess_vgpu *vgpu);

/**
 * tess_vgpu_slice() - slice that runs a vslice
 * @vgpu: vGPU
 * @vslice: index
 *
 * Return: number of the slice, -EINVAL no such vslice, -ENXIO no slice runs it now.
 */
int tess_vgpu_slice(const struct tess_vgpu *vgpu, unsigned int vslice);

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
 * tess_vgpu_composition() - fill a composition page
 * @vgpu: vGPU
 * @page: one zeroed page; written seqlock-style if it is already visible to a client
 */
void tess_vgpu_composition(struct tess_vgpu *vgpu, struct tess_composition *page);

/**
 * tess_vgpu_set_stage2() - translate the client-physical addresses of a vGPU
 * @vgpu: vGPU with all rings disabled
 * @as: stage-2 address space; it has to stay until the vGPU was destroyed
 *
 * If it fails, the vGPU may use @as all the same.
 *
 * Return: 0, -EINVAL not a stage 2 of this GPU, or the vGPU is elastic or has no
 * host_fault(); -EOPNOTSUPP the GPU has no stage 2; -ENODEV.
 */
int tess_vgpu_set_stage2(struct tess_vgpu *vgpu, struct tess_as *as);

/**
 * tess_vgpu_scrub() - make a vGPU as tess_vgpu_create() gave it
 * @vgpu: vGPU without rings of the core
 * @blocks: bitmap: blocks of its VRAM, if it has any, that CPUs may have written to since the
 *	last scrub; all, if there was none. The GPU's are added
 * @zeroed: result: bytes that were zeroed
 *
 * Resets every vslice (ring set-up, faults, counters, local memory, translations) and zeroes what
 * was written of the reserved memory; stage 2 and composition stay. On return the GPU makes no
 * access for the client until it sets a ring up again. A call-back that started before may
 * still run: host_fault() takes as long as the client's memory, which is not waited for.
 *
 * If a part of it fails, all else is done nevertheless. The vGPU must not be given to
 * anybody then, nor its memory shown: what the client left may be there, and its work may
 * still run, within its stage 2.
 *
 * Return: 0; -EIO a slice cannot be reset, gone() follows; -ENODEV.
 */
int tess_vgpu_scrub(struct tess_vgpu *vgpu, unsigned long *blocks, u64 *zeroed);

/**
 * tess_vgpu_set_weight() - share of a vGPU in the slices that it shares
 * @vgpu: vGPU
 * @weight: 1 to TESS_WEIGHT_MAX, relative to the others on the slice
 *
 * Takes effect at once; no work is lost.
 *
 * Return: 0, -EINVAL out of range (the kernel log says which), -EOPNOTSUPP not shared.
 */
int tess_vgpu_set_weight(struct tess_vgpu *vgpu, u32 weight);

/**
 * tess_vgpu_set_cap() - limit of a vGPU in the slices that it shares
 * @vgpu: vGPU
 * @cap: percent of a slice's time, 1 to TESS_CAP_MAX; 0: none. Where the slice's policy
 *	is "fixed" it is what the vGPU gets, used by others or not
 *
 * Return: as tess_vgpu_set_weight().
 */
int tess_vgpu_set_cap(struct tess_vgpu *vgpu, u32 cap);

/**
 * tess_vgpu_set_automatic() - may the swapper move the vslices?
 * @vgpu: vGPU
 * @automatic: it may
 *
 * Return: 0, -EOPNOTSUPP its client cannot be parked, or has more vGPUs than this one.
 */
int tess_vgpu_set_automatic(struct tess_vgpu *vgpu, bool automatic);

/**
 * tess_vgpu_relocated() - the answer to tess_client_ops.relocate()
 * @vgpu: vGPU of the same owner as it is now, which went to the other GPU or stayed
 *
 * Process context.
 */
void tess_vgpu_relocated(struct tess_vgpu *vgpu);

/**
 * tess_vgpu_blueprint() - a vGPU's blueprint as it is now
 * @vgpu: vGPU
 * @bp: filled; engines and weight are resolved
 */
void tess_vgpu_blueprint(const struct tess_vgpu *vgpu, struct tess_blueprint *bp);

/**
 * tess_vgpu_profile() - what the client of a vGPU does with it
 * @vgpu: vGPU that is not elastic
 * @profile: averages up to now
 *
 * Return: 0, -ENODEV.
 */
int tess_vgpu_profile(struct tess_vgpu *vgpu, struct tess_profile *profile);

/**
 * tess_vgpu_recompose() - give a vGPU another shape, while it runs
 * @vgpu: vGPU with parked() and resumed()
 * @bp: from tess_blueprint_parse(); as many slices as it has vslices at most, the memory that
 *	it has, exclusive or shared as it is
 * @reason: filled if it is refused; may be NULL
 *
 * Whole or not at all. New slices are taken before anything changes, vslices are parked, moved
 * and resumed with all their work, one after the other, then config() tells the client, then
 * slices that are left over are scrubbed and free. The client's memory stays where it is.
 *
 * Return: 0; -EINVAL nonsense; -EBUSY it cannot be changed to this while it is in use: more
 * vslices, other memory, shared instead of exclusive; -ENOSPC not enough free slices;
 * -EOPNOTSUPP the GPU or the client cannot; -EIO, -ENOMEM, -ENODEV. All but the last leave
 * what there was.
 */
int tess_vgpu_recompose(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			struct tess_reason *reason);

/*
 * A vGPU is of one GPU for life. Its client is moved to another GPU in this way, by whoever
 * owns both: compose a vGPU there that continues the first, freeze the first, copy its state
 * and memory, give the client the second instead, thaw that, destroy the first. Until the
 * client is given the second, the second can be destroyed and the first thawed instead, and
 * nothing has happened.
 */

/**
 * tess_vgpu_freeze() - no vslice runs from now on
 * @vgpu: vGPU with parked() and resumed()
 * @reason: filled if it is refused; may be NULL
 *
 * Parks all vslices with all their work: the GPU makes no access for the client. What it
 * stores to doorbells is caught and is not acted upon, writes to registers wait. Nobody
 * composes it anew or moves its vslices.
 *
 * Return: 0; -EOPNOTSUPP the GPU or the client cannot; -EBUSY it is frozen; -ENOMEM, -ENODEV.
 * It runs on then.
 */
int tess_vgpu_freeze(struct tess_vgpu *vgpu, struct tess_reason *reason);

/**
 * tess_vgpu_thaw() - vslices run again
 * @vgpu: vGPU, frozen or not
 */
void tess_vgpu_thaw(struct tess_vgpu *vgpu);

/**
 * tess_vgpu_copy_state() - what the vslices of a vGPU are about to do, for its continuation
 * @to: made with tess_vgpu_params.continues, has its stage 2
 * @from: frozen; the caller makes no other call for its vslices
 * @reason: filled if it is refused; may be NULL
 *
 * All but completion records, and stores to doorbells that the owner caught: those it tells
 * by tess_vslice_set_record() and tess_vslice_wake(), when the client has @to.
 *
 * Return: 0; -EOPNOTSUPP slices of @to lack engines; -EBUSY @from was composed anew
 * meanwhile; -EINVAL, -ENOMEM, -ENODEV.
 */
int tess_vgpu_copy_state(struct tess_vgpu *to, struct tess_vgpu *from, struct tess_reason *reason);

/**
 * tess_vgpu_copy_memory() - the memory that the blueprint reserved, for its continuation
 * @to: made with tess_vgpu_params.continues
 * @from: frozen; its client does not store to its memory
 *
 * Takes no lock of a slice.
 *
 * Return: 0; -EINVAL, -ENOMEM, -ENODEV.
 */
int tess_vgpu_copy_memory(struct tess_vgpu *to, struct tess_vgpu *from);

/**
 * tess_vgpu_is_gone() - has the GPU of a vGPU gone, or is it about to?
 * @vgpu: vGPU
 *
 * Any context.
 *
 * Return: true: gone() is called or was.
 */
bool tess_vgpu_is_gone(const struct tess_vgpu *vgpu);

/**
 * tess_vslice_move() - move a vslice to another slice of its GPU
 * @vgpu: vGPU with parked() and resumed()
 * @vslice: index
 * @slice: number of a slice that is free, or that is shared if the vGPU is
 *
 * Parks the vslice, with all its work, and goes on with it there; the client's memory
 * stays where it is. Whole or not at all. Call-backs: parked(), resumed(), config().
 *
 * Return: 0 (also if it is there already), -EINVAL no such vslice or slice, -EBUSY the
 * slice is another's, -ENOSPC too many share it, -EOPNOTSUPP, -EIO, -ENODEV.
 */
int tess_vslice_move(struct tess_vgpu *vgpu, unsigned int vslice, unsigned int slice);

/* ---- vslices of a client that drives the registers itself (a VM) ---- */

/*
 * An elastic vGPU has rings (below) and none of this: -EOPNOTSUPP.
 *
 * A vslice of a shared vGPU is resident on its slice, or parked. Reads of a parked one
 * come from its saved context; RESET and TLB_INVALIDATE take effect there; what else is
 * written waits until it is its turn, which takes bounded time.
 */

/**
 * tess_vslice_reg_read() - read a register of the client page
 * @vgpu: vGPU
 * @vslice: index
 * @off: TESS_SREG_*
 * @width: 4 or 8 bytes
 * @val: result; 0 for what is no register
 *
 * Return: 0, -EINVAL bad index or width, -ENODEV.
 */
int tess_vslice_reg_read(struct tess_vgpu *vgpu, unsigned int vslice, u32 off, unsigned int width,
			 u64 *val);
/**
 * tess_vslice_reg_write() - write a register of the client page
 * @vgpu: vGPU
 * @vslice: index
 * @off: TESS_SREG_*
 * @width: 4 or 8 bytes
 * @val: what the hardware ignores is ignored
 *
 * Return: 0, -EINVAL bad index or width, -ENXIO no slice runs it now, -ENODEV.
 */
int tess_vslice_reg_write(struct tess_vgpu *vgpu, unsigned int vslice, u32 off,
			  unsigned int width, u64 val);

/**
 * tess_vslice_reset() - client reset of a vslice, as TESS_SREG_RESET
 * @vgpu: vGPU
 * @vslice: index
 *
 * Return: as tess_vslice_reg_write().
 */
int tess_vslice_reset(struct tess_vgpu *vgpu, unsigned int vslice);

/**
 * tess_vslice_kick() - a new write index, as a store to the doorbell
 * @vgpu: vGPU
 * @vslice: index
 * @wptr: packets ever written
 *
 * Return: as tess_vslice_reg_write().
 */
int tess_vslice_kick(struct tess_vgpu *vgpu, unsigned int vslice, u64 wptr);

/**
 * tess_vslice_wake() - a parked vslice has work: its client stored to a doorbell
 * @vgpu: vGPU
 * @vslice: index
 *
 * Any context; does no harm if it is resident. resumed() follows when it is its turn.
 */
void tess_vslice_wake(struct tess_vgpu *vgpu, unsigned int vslice);

/**
 * tess_vslice_forward() - pass a store on that was caught while a vslice was parked
 * @vgpu: vGPU
 * @vslice: index
 * @wptr: value of the last one
 *
 * Only from resumed(), for an owner whose client could reach the slice's doorbell, and
 * store a newer value, before resumed() has returned. Takes no lock.
 */
void tess_vslice_forward(struct tess_vgpu *vgpu, unsigned int vslice, u64 wptr);

/**
 * tess_vslice_doorbell_phys() - where a client's stores reach the slice directly
 * @vgpu: vGPU
 * @vslice: index
 *
 * Does not sleep and takes no lock that is held around call-backs. The answer holds
 * until parked(), or until config() if the vslice leaves its slice for good.
 *
 * Return: CPU physical address of the doorbell page of the slice that runs the vslice
 * now; 0 if none does.
 */
phys_addr_t tess_vslice_doorbell_phys(struct tess_vgpu *vgpu, unsigned int vslice);

/**
 * tess_vslice_set_record() - tell the completion router where to look
 * @vgpu: vGPU
 * @vslice: index
 * @rec: kernel address of the completion record, valid until replaced; NULL: none
 *
 * On return the router looks at the old record no more, whatever is returned. The
 * contents are hostile: they only decide whether complete() of this very vGPU is called.
 * A client must zero its record before it uses a ring that was reset.
 *
 * Return: 0, -EINVAL bad index, or the vGPU has no complete(); -ENXIO, -ENODEV.
 */
int tess_vslice_set_record(struct tess_vgpu *vgpu, unsigned int vslice,
			   struct tess_completion_record *rec);

#endif
