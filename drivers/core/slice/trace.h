/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the core, system "tessera".
 *
 * DOC: Tracepoints
 *
 * They tell who had which slice when, and why that changed; Documentation/scheduling.rst
 * shows how to use them. All print key=value pairs and begin alike: gpu and slice are the
 * numbers in sysfs, vgpu is the owner's name there, vslice is its index in the vGPU, and
 * time is GPU time in cycles. A slice of -1 is none.
 *
 * A tracepoint that is off costs nothing. tess_kick and tess_complete have no GPU time at
 * hand and ask the GPU for it when they are on, which is an access to the device.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tessera

#if !defined(_TESSERA_CORE_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _TESSERA_CORE_TRACE_H_

#include <linux/tracepoint.h>
#include <tessera/gpu.h>

#include "algo/analyze.h"
#include "algo/swap.h"
#include "base/gpu.h"
#include "slice.h"
#include "vgpu.h"

#ifndef _TESSERA_CORE_TRACE_REASONS
#define _TESSERA_CORE_TRACE_REASONS

/**
 * enum tess_out_reason - why a vslice leaves its slice
 * @TESS_OUT_QUANTUM: it had its turn and somebody else is runnable
 * @TESS_OUT_IDLE: it has nothing to do and somebody else is runnable
 * @TESS_OUT_CAP: it used up its budget of the period
 * @TESS_OUT_MOVE: it goes on elsewhere, or when its vGPU is thawed or the GPU awake again
 * @TESS_OUT_REMOVE: its vGPU is destroyed
 * @TESS_OUT_TIMEOUT: it did not stop in time, the slice was reset
 * @TESS_OUT_FAULT: the host brings memory that it waits for, and somebody else is runnable
 */
enum tess_out_reason {
	TESS_OUT_QUANTUM,
	TESS_OUT_IDLE,
	TESS_OUT_CAP,
	TESS_OUT_MOVE,
	TESS_OUT_REMOVE,
	TESS_OUT_TIMEOUT,
	TESS_OUT_FAULT,
};

/**
 * enum tess_move_reason - who moves a vslice to another slice
 * @TESS_MOVE_CLIENT: the front-end, tess_vslice_move()
 * @TESS_MOVE_SYSFS: the administrator, by the file "slice"
 * @TESS_MOVE_SWAP: the swapper; tess_swap_decision says why
 * @TESS_MOVE_COMPOSE: its vGPU is composed anew
 * @TESS_MOVE_RETURN: that failed, it goes back
 */
enum tess_move_reason {
	TESS_MOVE_CLIENT,
	TESS_MOVE_SYSFS,
	TESS_MOVE_SWAP,
	TESS_MOVE_COMPOSE,
	TESS_MOVE_RETURN,
};
#endif

TRACE_DEFINE_ENUM(TESS_OUT_QUANTUM);
TRACE_DEFINE_ENUM(TESS_OUT_IDLE);
TRACE_DEFINE_ENUM(TESS_OUT_CAP);
TRACE_DEFINE_ENUM(TESS_OUT_MOVE);
TRACE_DEFINE_ENUM(TESS_OUT_REMOVE);
TRACE_DEFINE_ENUM(TESS_OUT_TIMEOUT);
TRACE_DEFINE_ENUM(TESS_OUT_FAULT);

TRACE_DEFINE_ENUM(TESS_MOVE_CLIENT);
TRACE_DEFINE_ENUM(TESS_MOVE_SYSFS);
TRACE_DEFINE_ENUM(TESS_MOVE_SWAP);
TRACE_DEFINE_ENUM(TESS_MOVE_COMPOSE);
TRACE_DEFINE_ENUM(TESS_MOVE_RETURN);

TRACE_DEFINE_ENUM(TESS_SWAP_CROWDED);
TRACE_DEFINE_ENUM(TESS_SWAP_REBALANCE);
TRACE_DEFINE_ENUM(TESS_SWAP_BALANCED);
TRACE_DEFINE_ENUM(TESS_SWAP_HELD);
TRACE_DEFINE_ENUM(TESS_SWAP_GAIN);
TRACE_DEFINE_ENUM(TESS_SWAP_NOWHERE);
TRACE_DEFINE_ENUM(TESS_KIND_NONE);
TRACE_DEFINE_ENUM(TESS_KIND_RENDER);
TRACE_DEFINE_ENUM(TESS_KIND_MIXED);

#define tess_show_out_reason(reason)					\
	__print_symbolic(reason,					\
			 { TESS_OUT_QUANTUM, "quantum" },		\
			 { TESS_OUT_IDLE, "idle" },			\
			 { TESS_OUT_CAP, "cap" },			\
			 { TESS_OUT_MOVE, "move" },			\
			 { TESS_OUT_REMOVE, "remove" },			\
			 { TESS_OUT_TIMEOUT, "timeout" },		\
			 { TESS_OUT_FAULT, "fault" })

#define tess_show_move_reason(reason)					\
	__print_symbolic(reason,					\
			 { TESS_MOVE_CLIENT, "client" },		\
			 { TESS_MOVE_SYSFS, "sysfs" },			\
			 { TESS_MOVE_SWAP, "swap" },			\
			 { TESS_MOVE_COMPOSE, "compose" },		\
			 { TESS_MOVE_RETURN, "return" })

#define tess_show_swap_reason(reason)					\
	__print_symbolic(reason,					\
			 { TESS_SWAP_CROWDED, "crowded" },		\
			 { TESS_SWAP_REBALANCE, "rebalance" },		\
			 { TESS_SWAP_BALANCED, "balanced" },		\
			 { TESS_SWAP_HELD, "held" },			\
			 { TESS_SWAP_GAIN, "gain" },			\
			 { TESS_SWAP_NOWHERE, "nowhere" })

#define tess_show_leans(kind)						\
	__print_symbolic(kind,						\
			 { TESS_KIND_NONE, "any" },			\
			 { TESS_KIND_RENDER, "render" },		\
			 { TESS_KIND_MIXED, "mixed" })

/**
 * trace_tess_sched_in - a vslice became resident on its slice
 * @slice: slice
 * @vgpu: vGPU
 * @vslice: index
 * @time: GPU time of the switch
 * @waited: cycles of GPU time for which it was runnable and not resident
 */
TRACE_EVENT(tess_sched_in,
	    TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
		     unsigned int vslice, u64 time, u64 waited),
	    TP_ARGS(slice, vgpu, vslice, time, waited),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __field(unsigned int, slice)
			     __string(name, vgpu->name)
			     __field(unsigned int, vslice)
			     __field(u64, time)
			     __field(u64, waited)
	    ),
	    TP_fast_assign(__entry->gpu = slice->gpu->info.index;
			   __entry->slice = slice->index;
			   __assign_str(name);
			   __entry->vslice = vslice;
			   __entry->time = time;
			   __entry->waited = waited;
	    ),
	    TP_printk("gpu=%u slice=%u vgpu=%s vslice=%u time=%llu waited=%llu",
		      __entry->gpu, __entry->slice, __get_str(name), __entry->vslice,
		      __entry->time, __entry->waited)
);

/**
 * trace_tess_sched_out - a vslice is resident no more
 * @slice: slice
 * @vgpu: vGPU
 * @vslice: index
 * @time: GPU time of the switch
 * @ran: busy cycles that it was charged for since it came in
 * @reason: enum tess_out_reason
 */
TRACE_EVENT(tess_sched_out,
	    TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
		     unsigned int vslice, u64 time, u64 ran, enum tess_out_reason reason),
	    TP_ARGS(slice, vgpu, vslice, time, ran, reason),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __field(unsigned int, slice)
			     __string(name, vgpu->name)
			     __field(unsigned int, vslice)
			     __field(u64, time)
			     __field(u64, ran)
			     __field(unsigned int, reason)
	    ),
	    TP_fast_assign(__entry->gpu = slice->gpu->info.index;
			   __entry->slice = slice->index;
			   __assign_str(name);
			   __entry->vslice = vslice;
			   __entry->time = time;
			   __entry->ran = ran;
			   __entry->reason = reason;
	    ),
	    TP_printk("gpu=%u slice=%u vgpu=%s vslice=%u time=%llu ran=%llu reason=%s",
		      __entry->gpu, __entry->slice, __get_str(name), __entry->vslice,
		      __entry->time, __entry->ran, tess_show_out_reason(__entry->reason))
);

DECLARE_EVENT_CLASS(tess_context,
		    TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
			     unsigned int vslice, u64 time, size_t bytes),
		    TP_ARGS(slice, vgpu, vslice, time, bytes),
		    TP_STRUCT__entry(__field(unsigned int, gpu)
				     __field(unsigned int, slice)
				     __string(name, vgpu->name)
				     __field(unsigned int, vslice)
				     __field(u64, time)
				     __field(u64, bytes)
		    ),
		    TP_fast_assign(__entry->gpu = slice->gpu->info.index;
				   __entry->slice = slice->index;
				   __assign_str(name);
				   __entry->vslice = vslice;
				   __entry->time = time;
				   __entry->bytes = bytes;
		    ),
		    TP_printk("gpu=%u slice=%u vgpu=%s vslice=%u time=%llu bytes=%llu",
			      __entry->gpu, __entry->slice, __get_str(name), __entry->vslice,
			      __entry->time, __entry->bytes)
);

/**
 * trace_tess_save - the state of a vslice was saved
 * @slice: slice that it was on
 * @vgpu: vGPU
 * @vslice: index
 * @time: GPU time
 * @bytes: of the image
 */
DEFINE_EVENT(tess_context, tess_save,
	     TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
		      unsigned int vslice, u64 time, size_t bytes),
	     TP_ARGS(slice, vgpu, vslice, time, bytes));

/**
 * trace_tess_restore - a slice took a saved state over
 * @slice: slice
 * @vgpu: vGPU
 * @vslice: index
 * @time: GPU time
 * @bytes: of the image; 0: an empty one, of a client that just starts
 */
DEFINE_EVENT(tess_context, tess_restore,
	     TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
		      unsigned int vslice, u64 time, size_t bytes),
	     TP_ARGS(slice, vgpu, vslice, time, bytes));

/**
 * trace_tess_move - a vslice has another home
 * @vgpu: vGPU
 * @vslice: index
 * @time: GPU time
 * @from: number of its former slice, -1 none
 * @to: number of its slice, -1 none
 * @reason: enum tess_move_reason
 */
TRACE_EVENT(tess_move,
	    TP_PROTO(const struct tess_vgpu *vgpu, unsigned int vslice, u64 time, int from, int to,
		     enum tess_move_reason reason),
	    TP_ARGS(vgpu, vslice, time, from, to, reason),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __string(name, vgpu->name)
			     __field(unsigned int, vslice)
			     __field(u64, time)
			     __field(int, from)
			     __field(int, to)
			     __field(unsigned int, reason)
	    ),
	    TP_fast_assign(__entry->gpu = vgpu->gpu->info.index;
			   __assign_str(name);
			   __entry->vslice = vslice;
			   __entry->time = time;
			   __entry->from = from;
			   __entry->to = to;
			   __entry->reason = reason;
	    ),
	    TP_printk("gpu=%u slice=%d vgpu=%s vslice=%u time=%llu from=%d reason=%s",
		      __entry->gpu, __entry->to, __get_str(name), __entry->vslice, __entry->time,
		      __entry->from, tess_show_move_reason(__entry->reason))
);

/**
 * trace_tess_transfer - a client goes on with a vGPU of another GPU
 * @vgpu: vGPU that it has now
 * @from: vGPU that it had
 * @time: GPU time
 * @us: microseconds of the host's time for which all of it stood still
 */
TRACE_EVENT(tess_transfer,
	    TP_PROTO(const struct tess_vgpu *vgpu, const struct tess_vgpu *from, u64 time, s64 us),
	    TP_ARGS(vgpu, from, time, us),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __string(name, vgpu->name)
			     __field(u64, time)
			     __field(unsigned int, from)
			     __field(unsigned int, slices)
			     __field(u64, bytes)
			     __field(s64, us)
	    ),
	    TP_fast_assign(__entry->gpu = vgpu->gpu->info.index;
			   __assign_str(name);
			   __entry->time = time;
			   __entry->from = from->gpu->info.index;
			   __entry->slices = vgpu->blueprint.slices;
			   __entry->bytes = vgpu->vram.size;
			   __entry->us = us;
	    ),
	    TP_printk("gpu=%u slice=-1 vgpu=%s vslice=0 time=%llu from_gpu=%u slices=%u bytes=%llu us=%lld",
		      __entry->gpu, __get_str(name), __entry->time, __entry->from,
		      __entry->slices, __entry->bytes, __entry->us)
);

/**
 * trace_tess_kick - a new write index, or the news that there is one, reached the host
 * @slice: home of the vslice
 * @vgpu: vGPU
 * @vslice: index
 * @wptr: packets ever written; 0: not known yet (a store to the doorbell of a parked vslice)
 * @parked: the vslice is not resident; it is runnable now
 *
 * Stores to a mapped doorbell of a resident vslice reach the GPU without the host.
 */
TRACE_EVENT(tess_kick,
	    TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
		     unsigned int vslice, u64 wptr, bool parked),
	    TP_ARGS(slice, vgpu, vslice, wptr, parked),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __field(unsigned int, slice)
			     __string(name, vgpu->name)
			     __field(unsigned int, vslice)
			     __field(u64, time)
			     __field(u64, wptr)
			     __field(bool, parked)
	    ),
	    TP_fast_assign(__entry->gpu = slice->gpu->info.index;
			   __entry->slice = slice->index;
			   __assign_str(name);
			   __entry->vslice = vslice;
			   __entry->time = tess_gpu_time(slice->gpu);
			   __entry->wptr = wptr;
			   __entry->parked = parked;
	    ),
	    TP_printk("gpu=%u slice=%u vgpu=%s vslice=%u time=%llu wptr=%llu parked=%d",
		      __entry->gpu, __entry->slice, __get_str(name), __entry->vslice,
		      __entry->time, __entry->wptr, __entry->parked)
);

/**
 * trace_tess_complete - a client is told of completions
 * @slice: slice
 * @vgpu: vGPU
 * @vslice: index
 * @seq: sequence number in its completion record; 0 if the register route is used
 *
 * Hard interrupt context.
 */
TRACE_EVENT(tess_complete,
	    TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
		     unsigned int vslice, u64 seq),
	    TP_ARGS(slice, vgpu, vslice, seq),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __field(unsigned int, slice)
			     __string(name, vgpu->name)
			     __field(unsigned int, vslice)
			     __field(u64, time)
			     __field(u64, seq)
	    ),
	    TP_fast_assign(__entry->gpu = slice->gpu->info.index;
			   __entry->slice = slice->index;
			   __assign_str(name);
			   __entry->vslice = vslice;
			   __entry->time = tess_gpu_time(slice->gpu);
			   __entry->seq = seq;
	    ),
	    TP_printk("gpu=%u slice=%u vgpu=%s vslice=%u time=%llu seq=%llu",
		      __entry->gpu, __entry->slice, __get_str(name), __entry->vslice,
		      __entry->time, __entry->seq)
);

/**
 * trace_tess_swap_decision - the swapper looked at a GPU
 * @gpu: GPU
 * @name: of the vGPU that it is about; "-": of none
 * @vslice: index
 * @time: GPU time
 * @from: its slice, -1 none
 * @to_gpu: another GPU to which its owner is asked to move it; -1: none
 * @to: slice that it is moved to, -1: it stays
 * @gain: permille of a slice that the pool does more afterwards
 * @reason: enum tess_swap_reason
 * @rc: 0, or why the move failed
 */
TRACE_EVENT(tess_swap_decision,
	    TP_PROTO(const struct tess_gpu *gpu, const char *name, unsigned int vslice, u64 time,
		     int from, int to_gpu, int to, unsigned int gain,
		     enum tess_swap_reason reason, int rc),
	    TP_ARGS(gpu, name, vslice, time, from, to_gpu, to, gain, reason, rc),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __string(name, name)
			     __field(unsigned int, vslice)
			     __field(u64, time)
			     __field(int, from)
			     __field(int, to_gpu)
			     __field(int, to)
			     __field(unsigned int, gain)
			     __field(unsigned int, reason)
			     __field(int, rc)
	    ),
	    TP_fast_assign(__entry->gpu = gpu->info.index;
			   __assign_str(name);
			   __entry->vslice = vslice;
			   __entry->time = time;
			   __entry->from = from;
			   __entry->to_gpu = to_gpu;
			   __entry->to = to;
			   __entry->gain = gain;
			   __entry->reason = reason;
			   __entry->rc = rc;
	    ),
	    TP_printk("gpu=%u slice=%d vgpu=%s vslice=%u time=%llu to=%d gain=%u reason=%s rc=%d to_gpu=%d",
		      __entry->gpu, __entry->from, __get_str(name), __entry->vslice,
		      __entry->time, __entry->to, __entry->gain,
		      tess_show_swap_reason(__entry->reason), __entry->rc, __entry->to_gpu)
);

/**
 * trace_tess_adapt - an automatic vGPU was to have another number of slices, or another kind
 * @vgpu: vGPU
 * @time: GPU time
 * @from: slices that it had
 * @wanted: what it is to be
 * @profile: why
 * @rc: 0, or why it has not
 */
TRACE_EVENT(tess_adapt,
	    TP_PROTO(const struct tess_vgpu *vgpu, u64 time, unsigned int from,
		     const struct tess_blueprint *wanted, const struct tess_profile *profile,
		     int rc),
	    TP_ARGS(vgpu, time, from, wanted, profile, rc),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __string(name, vgpu->name)
			     __field(u64, time)
			     __field(unsigned int, from)
			     __field(unsigned int, to)
			     __field(unsigned int, utilization)
			     __field(unsigned int, queue)
			     __field(unsigned int, leans)
			     __field(int, rc)
	    ),
	    TP_fast_assign(__entry->gpu = vgpu->gpu->info.index;
			   __assign_str(name);
			   __entry->time = time;
			   __entry->from = from;
			   __entry->to = wanted->slices;
			   __entry->leans = wanted->leans;
			   __entry->utilization = profile->utilization;
			   __entry->queue = profile->queue_milli;
			   __entry->rc = rc;
	    ),
	    TP_printk("gpu=%u slice=-1 vgpu=%s vslice=0 time=%llu from=%u to=%u utilization=%u queue=%u rc=%d leans=%s",
		      __entry->gpu, __get_str(name), __entry->time, __entry->from, __entry->to,
		      __entry->utilization, __entry->queue, __entry->rc,
		      tess_show_leans(__entry->leans))
);

/**
 * trace_tess_analyze - the averages of a vslice were renewed
 * @slice: slice that it is on
 * @vgpu: vGPU
 * @vslice: index
 * @time: GPU time
 * @load: averages
 */
TRACE_EVENT(tess_analyze,
	    TP_PROTO(const struct tess_slice *slice, const struct tess_vgpu *vgpu,
		     unsigned int vslice, u64 time, const struct tess_load *load),
	    TP_ARGS(slice, vgpu, vslice, time, load),
	    TP_STRUCT__entry(__field(unsigned int, gpu)
			     __field(unsigned int, slice)
			     __string(name, vgpu->name)
			     __field(unsigned int, vslice)
			     __field(u64, time)
			     __field(u32, utilization)
			     __field(u32, demand)
			     __field(u32, queue_depth)
			     __field(u32, shader)
			     __field(u32, flop)
			     __field(u32, stall)
			     __field(u32, texture)
			     __field(u32, pixel)
			     __field(u32, ray)
			     __field(u32, units)
			     __field(u32, memory)
	    ),
	    TP_fast_assign(__entry->gpu = slice->gpu->info.index;
			   __entry->slice = slice->index;
			   __assign_str(name);
			   __entry->vslice = vslice;
			   __entry->time = time;
			   __entry->utilization = load->utilization;
			   __entry->demand = load->demand;
			   __entry->queue_depth = load->queue_depth;
			   __entry->shader = load->shader;
			   __entry->flop = load->flop;
			   __entry->stall = load->stall;
			   __entry->texture = load->texture;
			   __entry->pixel = load->pixel;
			   __entry->ray = load->ray;
			   __entry->units = load->units;
			   __entry->memory = load->memory;
	    ),
	    TP_printk("gpu=%u slice=%u vgpu=%s vslice=%u time=%llu utilization=%u demand=%u queue_depth=%u shader=%u memory=%u flop=%u stall=%u texture=%u pixel=%u ray=%u units=%u",
		      __entry->gpu, __entry->slice, __get_str(name), __entry->vslice,
		      __entry->time, __entry->utilization, __entry->demand, __entry->queue_depth,
		      __entry->shader, __entry->memory, __entry->flop, __entry->stall,
		      __entry->texture, __entry->pixel, __entry->ray, __entry->units)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
