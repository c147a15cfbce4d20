/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _TESSERA_CORE_SLICE_H_
#define _TESSERA_CORE_SLICE_H_

#include <linux/kobject.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <tessera/backend.h>

#include "complete.h"
#include "runq.h"

struct tess_gpu;
struct tess_vgpu;
struct tess_vslice;

/**
 * enum tess_slice_state - who has a slice
 * @TESS_SLICE_FREE: nobody
 * @TESS_SLICE_ELASTIC: an elastic vGPU, which gives it back on demand
 * @TESS_SLICE_USED: a vGPU
 * @TESS_SLICE_SHARED: several vslices, one at a time is resident; of several vGPUs, or
 *	of one if it is dedicated to it
 * @TESS_SLICE_FAULTY: it did not answer a reset; out of use until it answers one
 * @TESS_SLICE_ABSENT: the host of this vGPU took it away, and nobody has it
 * @TESS_SLICE_OFFLINE: the administrator took it out of service, and nobody has it
 */
enum tess_slice_state {
	TESS_SLICE_FREE,
	TESS_SLICE_ELASTIC,
	TESS_SLICE_USED,
	TESS_SLICE_SHARED,
	TESS_SLICE_FAULTY,
	TESS_SLICE_ABSENT,
	TESS_SLICE_OFFLINE,
};

/**
 * struct tess_slice - a slice of a GPU
 * @kobj: directory in sysfs; holds a reference to the GPU's device
 * @gpu: GPU
 * @index: number
 * @info: kind, cores, engines. Changed only by tess_gpu_reconfigure(), under
 *	tess_gpu.lock; readers that can bear a mixture need no lock
 * @state: enum tess_slice_state, under tess_gpu.lock
 * @owner: of a shared one: vGPU that it is dedicated to, or NULL. Under tess_gpu.lock
 * @client: vGPU that has it, or that is resident if it is shared. Under tess_gpu.lock
 * @vslice: as which vslice, under tess_gpu.lock
 * @resident: who is on it now: of an elastic vGPU the vslice of a ring; NULL: nobody. Under
 *	tess_gpu.lock
 * @leaving: a new owner is chosen, the elastic one still has it. Under tess_gpu.lock
 * @out: out of service: it gets no new owner. Changes under tess_gpu.compose and tess_gpu.lock
 *
 * @hw: serializes calls into the back-end for this slice, and protects @past
 *	and @fault_told. It also orders acknowledgments of faults
 * @is_paired: @hw is held together with that of another slice, under @hw
 * @past: counters of the time before the last reset, under @hw
 * @fault_told: the client was told of the fault that is pending
 * @fault_work: reads faults and tells the client
 * @rq: those that share it
 *
 * @route_lock: protects the fields below; the completion interrupt takes it
 * @source: where completions are found
 * @route: vslice whose client is told
 * @seen: last sequence number that the router saw
 */
struct tess_slice {
	struct kobject kobj;
	struct tess_gpu *gpu;
	unsigned int index;
	struct tess_slice_info info;
	enum tess_slice_state state;
	struct tess_vgpu *owner;
	struct tess_vgpu *client;
	unsigned int vslice;
	struct tess_vslice *resident;
	bool leaving;
	bool out;

	struct mutex hw;
	bool is_paired;
	u64 past[TESS_COUNTS];
	bool fault_told;
	struct delayed_work fault_work;
	struct tess_runq rq;

	spinlock_t route_lock;
	struct tess_route_source source;
	struct tess_vslice *route;
	u64 seen;
};

/**
 * tess_slice_takes_turns() - does the scheduler decide who is on the slice?
 * @slice: slice, its hw mutex is held
 *
 * Return: true if several vslices share it, or an elastic vGPU has rings on it that can be
 * parked.
 */
static inline bool tess_slice_takes_turns(const struct tess_slice *slice)
{
	return slice->state == TESS_SLICE_SHARED ||
	       (slice->state == TESS_SLICE_ELASTIC && slice->rq.policy.count);
}

const char *tess_kind_name(u32 kind);
const char *tess_slice_state_name(enum tess_slice_state state);
u64 tess_slice_bank_offset(const struct tess_slice *slice);
bool tess_slice_is_withdrawn(const struct tess_slice *slice);
bool tess_slice_can_be_had(const struct tess_slice *slice);

void tess_slice_init(struct tess_slice *slice, struct tess_gpu *gpu, unsigned int index,
		     const struct tess_slice_info *info);
void tess_slice_lock_two(struct tess_slice *a, struct tess_slice *b);
void tess_slice_unlock_two(struct tess_slice *a, struct tess_slice *b);
int tess_slice_reset(struct tess_slice *slice);
int tess_slice_counters(struct tess_slice *slice, u64 counters[TESS_COUNTS]);
int tess_slice_take(struct tess_slice *slice, struct tess_vgpu *vgpu, unsigned int vslice);
int tess_slice_renew(struct tess_slice *slice);
int tess_slice_share(struct tess_slice *slice, struct tess_vgpu *owner);
bool tess_slice_is_shared(const struct tess_slice *slice, const struct tess_vgpu *vgpu);
void tess_slice_vacate(struct tess_slice *slice);
void tess_slice_give_up(struct tess_slice *slice);

#endif
