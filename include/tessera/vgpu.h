/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for front-ends: vGPUs, what their owners are told, and their shape.
 *
 * What gpu.h says of contexts, of lifetime and of error pointers holds here, too.
 */
#ifndef _TESSERA_VGPU_H_
#define _TESSERA_VGPU_H_

#include <linux/types.h>
#include <tessera/blueprint.h>

struct module;
struct tess_as;
struct tess_composition;
struct tess_fault;
struct tess_gpu;
struct tess_host_fault;
struct tess_vgpu;

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
 * @reclaim: elastic vGPUs only: the slice behind @vslice is wanted by somebody else, or was given
 *	up by tess_vgpu_recompose().
 *	Drain and return; on return all rings of this vslice are gone, and none is made
 *	until @restore. Process context, bounded time
 * @restore: elastic only: the slice behind @vslice is there, rings may be made. Also for those
 *	that it has from the start, before tess_vgpu_create() returns
 * @evict: elastic vGPUs only: a vGPU is to be composed and VRAM is full, or this one is to have
 *	less: give up @bytes of it, or one allocation at least, whose contents are kept elsewhere.
 *	Returns the bytes that became free; 0: all that is left is in use. Process context, no lock
 *	of the core is held, bounded time. Optional
 * @revoked: elastic vGPUs only: memory of other vGPUs that was imported (tess_vram_import()) is
 *	theirs no more: take it from the GPU and end those imports
 *	(tess_vram_export_is_revoked()). Process context, no lock is held, bounded time, one
 *	at a time. Mandatory for importers
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
	void (*revoked)(struct tess_vgpu *vgpu);
	void (*parked)(struct tess_vgpu *vgpu, unsigned int vslice);
	bool (*resumed)(struct tess_vgpu *vgpu, unsigned int vslice, u64 *wptr);
	void (*relocate)(struct tess_vgpu *vgpu, unsigned int gpu);
	void (*gone)(struct tess_vgpu *vgpu);
};

/**
 * struct tess_vgpu_params - arguments of tess_vgpu_create()
 * @name: owner as shown in sysfs ("drm", mdev UUID), copied
 * @blueprint: what is asked for
 * @elastic: the vGPU has one vslice per slice of the GPU, and rings (ring.h) on those that it
 *	holds. Without a blueprint (no slices) it holds those that are free and gives them back
 *	(reclaim) when another vGPU needs them. With one it claims what that says: slices, and
 *	the right to as much VRAM, which it allocates by tess_vram_alloc()
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
 * memory, but for elastic ones. These work without stage 2 (bypass). Of any other with host_fault()
 * nothing runs until tess_vgpu_set_stage2(): registers cannot be written. Call-backs may
 * come before it returns.
 *
 * Return: vGPU or error pointer: -EINVAL nonsense in the blueprint, -EOPNOTSUPP the GPU
 * cannot share slices, -ENOSPC not enough free slices of the kind or VRAM (the kernel log
 * says what was missing), -EBUSY the GPU has one already that holds what is free, or sleeps with
 * the system, -ENODEV the GPU goes away, -ENOMEM.
 */
struct tess_vgpu *tess_vgpu_create(struct tess_gpu *gpu, const struct tess_vgpu_params *params);

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
 * tess_vgpu_is_gone() - has the GPU of a vGPU gone, or is it about to?
 * @vgpu: vGPU
 *
 * Any context.
 *
 * Return: true: gone() is called or was.
 */
bool tess_vgpu_is_gone(const struct tess_vgpu *vgpu);

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
 *	last scrub, and those that tess_vgpu_written() found since; all, if there was none. The
 *	GPU's are added
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
 * tess_vgpu_written() - which blocks of its VRAM did the GPU write to?
 * @vgpu: vGPU
 * @blocks: bitmap: those that slices may have written to since the last call, scrubs included, are
 *	added; all, if the GPU does not know
 *
 * The slices run on. What they write until this returns may count to this call alone, so whoever
 * copies reads after it. The caller serializes calls for a vGPU, scrubs included.
 *
 * Return: 0; -ENODEV.
 */
int tess_vgpu_written(struct tess_vgpu *vgpu, unsigned long *blocks);

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
 * tess_vgpu_set_shown() - say what the heads of a vGPU show now
 * @vgpu: vGPU with heads
 * @shown: what they show, and to whom
 *
 * The vGPU's profile has it, and if the vGPU is automatic the host follows: it gets slices with the
 * memory bandwidth for that. Any context that may not be an interrupt.
 */
void tess_vgpu_set_shown(struct tess_vgpu *vgpu, const struct tess_shown *shown);

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
 * @vgpu: vGPU with parked() and resumed(), or an elastic one that claims what it has
 * @bp: from tess_blueprint_parse(); as many slices as it has vslices at most, the memory that
 *	it has, exclusive or shared as it is. One that claims can have other memory
 * @reason: filled if it is refused; may be NULL
 *
 * Whole or not at all. New slices are taken before anything changes, vslices are parked, moved
 * and resumed with all their work, one after the other, then config() tells the client, then
 * slices that are left over are scrubbed and free. The client's memory stays where it is.
 * Of an elastic vGPU slices come by restore(), then others go by closing() and reclaim(), with
 * evict() before if it is to have less VRAM than it has allocated.
 *
 * Return: 0; -EINVAL nonsense; -EBUSY it cannot be changed to this while it is in use: more
 * vslices, other memory, shared instead of exclusive; -ENOSPC not enough free slices;
 * -EOPNOTSUPP the GPU or the client cannot; -EIO, -ENOMEM, -ENODEV. All but the last leave
 * what there was.
 */
int tess_vgpu_recompose(struct tess_vgpu *vgpu, const struct tess_blueprint *bp,
			struct tess_reason *reason);

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
 * The function takes nothing. A front-end composes all parts, or gives up those that it
 * composed; the client's vslices are those of the first part, then those of the second and so on.
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

#endif
