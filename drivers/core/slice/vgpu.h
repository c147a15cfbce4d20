/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_VGPU_H_
#define _TESSERA_CORE_VGPU_H_

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/ratelimit_types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <tessera/backend.h>
#include <tessera/ring.h>
#include <tessera/vgpu.h>

#include "algo/analyze.h"
#include "algo/generate.h"
#include "algo/swap.h"
#include "base/mem.h"
#include "complete.h"
#include "runq.h"
#include "slice.h"

struct tess_context;
struct tess_vgpu;
struct tess_vgpu_dir;

/**
 * enum tess_host_answer - what its owner says of a host fault
 * @TESS_HOST_NO_ANSWER: nothing
 * @TESS_HOST_RESUME: the access is to be repeated
 * @TESS_HOST_REFUSE: it becomes a client fault
 */
enum tess_host_answer {
	TESS_HOST_NO_ANSWER,
	TESS_HOST_RESUME,
	TESS_HOST_REFUSE,
};

/**
 * struct tess_vslice - a slice as a vGPU sees it, or, of an elastic vGPU, as a ring does
 * @vgpu: vGPU
 * @index: in it; of a ring, the vslice that it runs on
 * @slice: its slice (home), or NULL. Under both tess_slice.hw of it and tess_gpu.lock
 * @reach: vslices whose memory it reaches. Under tess_gpu.lock, changes under compose
 * @ring: ring that this is the vslice of; NULL: it is in tess_vgpu.vslices. Does not change, as
 *	the following two
 * @ring_ops: call-backs of the ring's client
 * @ring_priv: for them
 * @setup: what the host allows. Under tess_slice.hw of @slice, as the following unless they
 *	say otherwise
 * @stage2: translation; NULL: bypass, or of a mediated vGPU: it may not run. Set once
 * @context: state while it is parked; NULL: it is resident on @slice all the time
 * @parked: stores of the client must not reach the doorbell. Under tess_gpu.lock
 * @source: where its completions are found. Under tess_gpu.lock
 * @seen: last sequence number that the router saw, while it is parked
 * @fault_told: tess_slice.fault_told, while it is parked
 * @fault_owed: the fault is in @context, and the client was not told
 * @host_fault: number of the host fault that the owner was told of and has not answered; 0:
 *	none. Nothing runs until then
 * @host_wanted: what it asks for
 * @host_work: asks the owner. While it is queued or runs, the vGPU counts as one with a running
 *	call-back
 * @host_answer: answer that came while it was parked, to be given when it comes in
 * @fault_rate: client faults above this rate are handled late
 * @fault_hold: not before this time (jiffies)
 * @frames: hints of rings on it, of an elastic vGPU: pictures
 * @operations: the same: operations
 * @sched: what the scheduler knows
 * @analysis: what the analyzer knows, to decide by
 * @observed: what it tells readers
 * @swap: what the swapper remembers; for its work only
 * @relocated: when it came from another GPU, or was to go to one (jiffies); 0: never
 */
struct tess_vslice {
	struct tess_vgpu *vgpu;
	unsigned int index;
	struct tess_slice *slice;
	u64 reach;
	struct tess_ring *ring;
	const struct tess_ring_ops *ring_ops;
	void *ring_priv;
	struct tess_slice_setup setup;
	struct tess_as *stage2;
	struct tess_context *context;
	bool parked;
	struct tess_route_source source;
	u64 seen;
	bool fault_told;
	bool fault_owed;
	u64 host_fault;
	struct tess_host_fault host_wanted;
	struct delayed_work host_work;
	enum tess_host_answer host_answer;
	struct ratelimit_state fault_rate;
	unsigned long fault_hold;
	atomic64_t frames;
	atomic64_t operations;
	struct tess_sched_entity sched;
	struct tess_analysis analysis;
	struct tess_analysis observed;
	struct tess_swap_memory swap;
	unsigned long relocated;
};

/**
 * struct tess_vgpu - a composition
 * @link: in tess_gpu.vgpus
 * @gpu: GPU, a reference to its device is held
 * @name: owner
 * @blueprint: what was asked for, resolved. Under tess_gpu.lock; slices, kind, topology
 *	and engines change under tess_gpu.compose
 * @elastic: its rings run on what it holds: what is free, unless it claims
 * @claims: elastic, and what it holds is its own
 * @quota: VRAM of one that claims
 * @part: never automatic: it is a part of what its owner composes as a whole
 * @dedicated: its slices are run by the scheduler, for it alone. Set under compose
 * @frozen: no vslice is to run. Set under compose
 * @settled: frozen for as long as its owner likes: it can be composed anew. Set under compose
 * @frozen_at: when it was, monotonic. Its owner freezes and thaws it, nobody else
 * @leaving: its owner was asked to bring it to another GPU, and has not answered. Under
 *	tess_gpu.lock
 * @continues: vGPU of another GPU that it is to become, until it is thawed or settled
 * @ops: call-backs
 * @priv: of the owner
 * @backend: module of the GPU's back-end, pinned; NULL if elastic
 * @owner: its module, pinned; NULL if elastic: that vGPU is there as long as the
 *	front-end and the GPU are, and would keep both from ever leaving
 * @dying: no new call-back starts. Under tess_gpu.lock
 * @active: call-backs that run. Under tess_gpu.lock
 * @idle: woken when @active is 0
 * @published: tess_vgpu_create() is past the point of failure. Under tess_gpu.lock,
 *	written once
 * @told_gone: gone() was called. Under tess_gpu.lock
 * @generation: of the composition. Under tess_gpu.lock
 * @shown: what its client's heads show now. Under tess_gpu.lock
 * @adapt: what was thought of its number of slices; for that work only, as the following
 * @adapt_hold: looks to leave out
 * @dir: in sysfs, or NULL. Under tess_vgpu_dirs.lock, as the following
 * @predecessor: has the directory that is to be this one's, or NULL
 * @successor: gets the directory, or NULL
 * @banks: memory of each vslice, or NULL
 * @vram: all of it, in order
 * @lacks_memory: it was not composed because there was not enough VRAM. Under compose
 * @nr_vslices: entries of @vslices
 * @vslices: by index. Those of an elastic vGPU are never on a slice: its rings are, and what
 *	the scheduler knows of rings that are gone is added up there
 */
struct tess_vgpu {
	struct list_head link;
	struct tess_gpu *gpu;
	char *name;
	struct tess_blueprint blueprint;
	bool elastic;
	bool claims;
	struct tess_vram_quota quota;
	bool part;
	bool dedicated;
	bool frozen;
	bool settled;
	ktime_t frozen_at;
	bool leaving;
	struct tess_vgpu *continues;
	const struct tess_client_ops *ops;
	void *priv;
	struct module *backend;
	struct module *owner;
	bool dying;
	unsigned int active;
	wait_queue_head_t idle;
	bool published;
	bool told_gone;
	u64 generation;
	struct tess_shown shown;
	struct tess_adapt adapt;
	unsigned int adapt_hold;
	struct tess_vgpu_dir *dir;
	struct tess_vgpu *predecessor;
	struct tess_vgpu *successor;
	struct tess_vram **banks;
	struct tess_vram vram;
	bool lacks_memory;
	unsigned int nr_vslices;
	struct tess_vslice vslices[] __counted_by(nr_vslices);
};

/* The vslice that is on a slice now, or NULL; the slice's hw mutex is held */
static inline struct tess_vslice *tess_slice_resident(const struct tess_slice *slice)
{
	lockdep_assert_held(&slice->hw);
	return slice->resident;
}

/* Another one is on the slice, or nobody; the slice's hw mutex and tess_gpu.lock are held */
static inline void tess_slice_set_resident(struct tess_slice *slice, struct tess_vslice *vs)
{
	lockdep_assert_held(&slice->hw);
	slice->resident = vs;
	if (slice->state == TESS_SLICE_ELASTIC)
		return;
	slice->client = vs ? vs->vgpu : NULL;
	slice->vslice = vs ? vs->index : 0;
}

/* Is it on its slice? The hw mutex of its home, or tess_gpu.lock is held */
static inline bool tess_vslice_is_resident(const struct tess_vslice *vs)
{
	return vs->slice && vs->slice->resident == vs;
}

/* Do its vslices take turns, with others' or with each other? Else each has its own slice */
static inline bool tess_vgpu_takes_turns(const struct tess_vgpu *vgpu)
{
	return vgpu->blueprint.shared || vgpu->dedicated;
}

/* Is it the client's to use? Others are there, too, and run what they have left */
static inline bool tess_vslice_is_given(const struct tess_vslice *vs)
{
	return vs->vgpu->elastic || vs->index < READ_ONCE(vs->vgpu->blueprint.slices);
}

/* Does its client drive the registers itself, in a machine whose addresses are not the host's? */
static inline bool tess_vgpu_is_mediated(const struct tess_vgpu *vgpu)
{
	return !vgpu->elastic && vgpu->ops->host_fault;
}

/* May it not run yet? Without stage 2 it would reach all memory. Its home's hw mutex is held */
static inline bool tess_vslice_is_denied(const struct tess_vslice *vs)
{
	return tess_vgpu_is_mediated(vs->vgpu) && !vs->stage2;
}

static inline struct tess_vslice *to_tess_vslice(struct tess_policy_entity *e)
{
	return container_of(e, struct tess_vslice, sched.policy);
}

bool tess_vgpu_get(struct tess_vgpu *vgpu);
void tess_vgpu_put_client(struct tess_vgpu *vgpu);
void tess_vgpu_wait_idle(struct tess_vgpu *vgpu);
void tess_vgpu_tell(struct tess_vgpu *vgpu);
bool tess_vgpus_each(struct tess_gpu *gpu, bool (*want)(struct tess_vgpu *vgpu),
		     void (*look)(struct tess_vgpu *vgpu));
void tess_vgpus_tell_gone(struct tess_gpu *gpu);

#endif
