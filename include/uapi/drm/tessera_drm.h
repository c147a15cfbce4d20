/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * DRM interface of Tessera GPUs and vGPUs.
 *
 * Version 1.0. From now on it only grows, by these rules:
 *
 * - The minor version of the driver (DRM_IOCTL_VERSION) grows with each addition; what came
 *   with which version is written at the addition. A program asks for the version before it
 *   uses something that is newer than 1.0.
 * - A structure only grows at its end. What an older program does not pass counts as zero,
 *   and zero means what happened before the field existed. The part of the argument of an
 *   ioctl that an older kernel does not know is ignored.
 * - Arrays are passed as struct drm_tessera_array, with the size that an element has for the
 *   program. Elements grow by the same rule; the part of an element that the kernel does not
 *   know must be zero (-E2BIG).
 * - Answers of QUERY grow at their end, too: a program gets as much as it has room for.
 * - Flags, values and pads that are not named here are refused with -EINVAL, so that they can
 *   get a meaning later. A number, name or error never changes its meaning.
 *
 * Fields marked "out" only are not read.
 *
 * Every ioctl can fail with -ENODEV when the device is gone, -EFAULT for a bad user
 * pointer, -ENOMEM, and -EINTR when a signal arrives (repeat the call with the same
 * structure). All ioctls are available on the render node.
 *
 * Objects: a *BO* is memory; a *VM* is an address space of the GPU, 38 bits; a
 * *queue* sends command buffers of one VM to one slice, or to several. A command buffer is an
 * array of packets (tessera_packet.h) in the VM's memory; it runs unprivileged.
 * All belong to the open file and go away with it.
 */
#ifndef _UAPI_TESSERA_DRM_H_
#define _UAPI_TESSERA_DRM_H_

#include <drm/drm.h>
#include "tessera_packet.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define DRM_TESSERA_QUERY		0x00
#define DRM_TESSERA_BO_CREATE		0x01
#define DRM_TESSERA_BO_MMAP_OFFSET	0x02
#define DRM_TESSERA_VM_CREATE		0x03
#define DRM_TESSERA_VM_DESTROY		0x04
#define DRM_TESSERA_VM_BIND		0x05
#define DRM_TESSERA_QUEUE_CREATE	0x06
#define DRM_TESSERA_QUEUE_DESTROY	0x07
#define DRM_TESSERA_QUEUE_STATE		0x08
#define DRM_TESSERA_SUBMIT		0x09
#define DRM_TESSERA_BO_DAMAGE		0x0a

/**
 * struct drm_tessera_array - an array of structures that may grow
 * @stride: bytes from one element to the next: the size of the structure as the program
 *	knows it, at least that of version 1.0 and at most 4096
 * @count: number of elements; 0: none, then nothing else counts
 * @array: user pointer to the first one
 *
 * Errors: -EINVAL @stride, or more elements than there may be; -E2BIG an element has a part
 * that the kernel does not know, and it is not zero.
 */
struct drm_tessera_array {
	__u32 stride;
	__u32 count;
	__u64 array;
};

/**
 * enum drm_tessera_query_type - what to query
 * @DRM_TESSERA_QUERY_GPU: struct drm_tessera_query_gpu
 * @DRM_TESSERA_QUERY_SLICES: array of struct drm_tessera_query_slice, one per slice
 * @DRM_TESSERA_QUERY_MEMORY: struct drm_tessera_query_memory
 * @DRM_TESSERA_QUERY_LIMITS: since 1.1: struct drm_tessera_query_limits
 * @DRM_TESSERA_QUERY_TIME: since 1.1: struct drm_tessera_query_time. The argument of the query is
 *	the clock of the CPU: CLOCK_REALTIME, _MONOTONIC, _MONOTONIC_RAW, _BOOTTIME or _TAI
 * @DRM_TESSERA_QUERY_VM: since 1.3: struct drm_tessera_query_vm. The argument is the VM's id
 */
enum drm_tessera_query_type {
	DRM_TESSERA_QUERY_GPU = 0,
	DRM_TESSERA_QUERY_SLICES = 1,
	DRM_TESSERA_QUERY_MEMORY = 2,
	DRM_TESSERA_QUERY_LIMITS = 3,
	DRM_TESSERA_QUERY_TIME = 4,
	DRM_TESSERA_QUERY_VM = 5,
};

/**
 * struct drm_tessera_query - DRM_IOCTL_TESSERA_QUERY
 * @type: enum drm_tessera_query_type
 * @size: in: bytes at @data; out: bytes that the answer has. With @size 0 nothing is
 *	copied, only the size is told
 * @data: user pointer; as much of the answer as fits is copied
 * @stride: an answer that is an array: size of an element as the program knows it, from
 *	that of version 1.0 to 4096; what the kernel does not know of it is zero. Else zero
 * @arg: what @type needs to know, else zero
 *
 * Errors: -EINVAL unknown @type, @stride, @arg; -ENOENT no such VM.
 */
struct drm_tessera_query {
	__u32 type;
	__u32 size;
	__u64 data;
	__u32 stride;
	__u32 arg;
};

/**
 * struct drm_tessera_query_gpu - the GPU
 * @slice_mask: slices that jobs can be sent to now
 * @generation: of the composition; grows when @slice_mask or a slice changes. The
 *	device's node sends a uevent (change) with TESSERA_EVENT=composition and
 *	TESSERA_GENERATION=@generation, too
 * @vram_size: bytes
 * @bank_size: bytes of VRAM that are nearest to one slice
 * @va_end: VAs are [0, @va_end)
 * @slice_count: slice numbers are [0, @slice_count)
 * @clock_khz: nominal clock of the GPU
 * @caps: TESS_CAPS_* as in the hardware specification; bit 0: this is a vGPU
 * @group_slots: work-groups in flight per slice; private memory is needed for each
 * @max_group_items: work-items of a work-group
 * @max_local_bytes: local memory of a work-group
 * @max_submit_packets: packets of a command buffer
 * @pad: zero
 */
struct drm_tessera_query_gpu {
	__u64 slice_mask;
	__u64 generation;
	__u64 vram_size;
	__u64 bank_size;
	__u64 va_end;
	__u32 slice_count;
	__u32 clock_khz;
	__u32 caps;
	__u32 group_slots;
	__u32 max_group_items;
	__u32 max_local_bytes;
	__u32 max_submit_packets;
	__u32 pad;
};

/**
 * struct drm_tessera_query_slice - one slice
 * @kind: 1 compute, 2 render, 3 mixed; 0 if there is no such slice now (jobs that were sent
 *	to it before run on)
 * @cores: shader cores
 * @engines: bit 0 compute, 1 copy, 2 raster, 3 display: those that were given
 * @flags: DRM_TESSERA_SLICE_AVAILABLE
 */
struct drm_tessera_query_slice {
	__u32 kind;
	__u32 cores;
	__u32 engines;
	__u32 flags;
};

#define DRM_TESSERA_SLICE_AVAILABLE	(1 << 0)

/**
 * struct drm_tessera_query_memory - memory
 * @vram_total: bytes of VRAM of the (v)GPU, or of the node if that has its own
 * @vram_free: bytes of it that can be allocated now
 * @vram_limit: since 1.1: bytes of it that this file may have
 * @vram_used: since 1.1: bytes of it that this file has, without @vram_evicted
 * @system_limit: since 1.1: bytes of system memory that this file may have
 * @system_used: since 1.1: bytes of it that this file has, pages that are there
 * @system_total_limit: since 1.1: bytes of system memory that all files together may have
 * @system_total_used: since 1.1: bytes of it that they have
 * @vram_evicted: since 1.3: bytes of @system_used that buffers have which were made in VRAM
 */
struct drm_tessera_query_memory {
	__u64 vram_total;
	__u64 vram_free;
	__u64 vram_limit;
	__u64 vram_used;
	__u64 system_limit;
	__u64 system_used;
	__u64 system_total_limit;
	__u64 system_total_used;
	__u64 vram_evicted;
};

/* Instruction set of the shader cores: bit n is the extension of the (n + 1)th letter */
#define DRM_TESSERA_ISA_A		(1ull << 0)
#define DRM_TESSERA_ISA_C		(1ull << 2)
#define DRM_TESSERA_ISA_D		(1ull << 3)
#define DRM_TESSERA_ISA_F		(1ull << 5)
#define DRM_TESSERA_ISA_I		(1ull << 8)
#define DRM_TESSERA_ISA_M		(1ull << 12)
#define DRM_TESSERA_ISA_ZICSR		(1ull << 32)
#define DRM_TESSERA_ISA_ZIFENCEI	(1ull << 33)
#define DRM_TESSERA_ISA_ZIHINTPAUSE	(1ull << 34)
#define DRM_TESSERA_ISA_ZBA		(1ull << 35)
#define DRM_TESSERA_ISA_ZBB		(1ull << 36)
#define DRM_TESSERA_ISA_ZBS		(1ull << 37)

/**
 * struct drm_tessera_query_limits - what there may be, and what there is of the architecture
 * @isa: DRM_TESSERA_ISA_*
 * @xlen: bits of a register
 * @wave_items: work-items that run in lockstep
 * @page_size: bytes; mappings have multiples of it
 * @big_page_size: bytes; mappings, and buffers of video memory, that are multiples of it at
 *	addresses that are, need less translation
 * @max_vms: VMs of a file
 * @max_queues: queues of a file
 * @max_bind_ops: operations of a VM_BIND
 * @max_cmds: command buffers of a SUBMIT
 * @max_syncs: syncs of each sort
 * @priorities: mask of the queue priorities that this process may use
 */
struct drm_tessera_query_limits {
	__u64 isa;
	__u32 xlen;
	__u32 wave_items;
	__u32 page_size;
	__u32 big_page_size;
	__u32 max_vms;
	__u32 max_queues;
	__u32 max_bind_ops;
	__u32 max_cmds;
	__u32 max_syncs;
	__u32 priorities;
};

/**
 * struct drm_tessera_query_time - the GPU's clock and the CPU's at the same time
 * @gpu_cycles: time of the GPU in cycles, as TIMESTAMP writes it
 * @cpu_ns: time of the CPU's clock before that was read
 * @span_ns: how long reading it took: the GPU's time is of a moment in between
 * @clock_khz: nominal clock of the GPU
 * @pad: zero
 */
struct drm_tessera_query_time {
	__u64 gpu_cycles;
	__u64 cpu_ns;
	__u64 span_ns;
	__u32 clock_khz;
	__u32 pad;
};

#define DRM_TESSERA_VM_GUILTY		(1 << 0) /* since 1.3: @faulted or @hung is not 0 */
#define DRM_TESSERA_VM_INNOCENT		(1 << 1) /* since 1.3: @lost is not 0 */
#define DRM_TESSERA_VM_BANNED		(1 << 2) /* since 1.3: its file gets no more GPU time */

/**
 * struct drm_tessera_query_vm - what became of the jobs of a VM
 * @faulted: jobs that faulted
 * @hung: jobs that ran too long and were stopped
 * @lost: jobs that ended without a fault of theirs: their slice or the GPU was taken away
 * @flags: DRM_TESSERA_VM_*
 * @pad: zero
 *
 * Since 1.3. From the VM's creation, over all its queues, also those that are destroyed. Jobs that
 * are cancelled because an earlier one of their queue failed do not count. When the GPU is gone QUERY
 * fails with -ENODEV: then all jobs that were not complete are lost, and no VM is guilty of that.
 */
struct drm_tessera_query_vm {
	__u64 faulted;
	__u64 hung;
	__u64 lost;
	__u32 flags;
	__u32 pad;
};

#define DRM_TESSERA_BO_VRAM		(1 << 0)
#define DRM_TESSERA_BO_CONTIGUOUS	(1 << 1) /* since 1.1 */
#define DRM_TESSERA_BO_WRITE_COMBINED	(1 << 2) /* since 1.1 */

/**
 * struct drm_tessera_bo_create - DRM_IOCTL_TESSERA_BO_CREATE
 * @size: in: bytes, not 0; out: rounded up to whole pages of 4 KiB
 * @flags: DRM_TESSERA_BO_VRAM: memory of the GPU; else system memory.
 *	_CONTIGUOUS, with _VRAM: in one piece, so that a display head can show it.
 *	_WRITE_COMBINED: the CPU maps system memory without its caches; VRAM always is so
 * @near_slice: VRAM: slice that it should be near to, best effort; a number that is
 *	no slice: anywhere. Ignored for system memory
 * @handle: out: GEM handle
 * @vm: since 1.1: the only VM that it can be bound in; it cannot be exported then. 0: any VM
 *
 * The memory reads as zero. Pages of system memory are allocated when the BO is bound or mapped,
 * where -ENOMEM also says that all BOs, or those of this file, have what they may (parameters
 * system_percent and client_percent of the module). Errors: -EINVAL @size is 0 or more than a VM
 * has, flags; -ENOENT no such VM; -ENOSPC @size is more than there is VRAM, or this file or its
 * control group has what it may (parameter client_vram_percent); -ENOMEM, also if @size is more
 * than this file may have.
 *
 * Since 1.3 VRAM is preferred and not sure: when there is none, buffers that were not used for
 * long are moved to system memory, without _CONTIGUOUS, and so may the new one be (before, and
 * with _CONTIGUOUS: -ENOSPC). The GPU and the CPU reach it there, too. It comes back when
 * there is room.
 */
struct drm_tessera_bo_create {
	__u64 size;
	__u32 flags;
	__u32 near_slice;
	__u32 handle;
	__u32 vm;
};

/**
 * struct drm_tessera_bo_mmap_offset - DRM_IOCTL_TESSERA_BO_MMAP_OFFSET
 * @handle: GEM handle
 * @flags: zero
 * @offset: out: for mmap() on this file
 *
 * VRAM is mapped shared only (-EINVAL from mmap() else). When the GPU goes away, an
 * access to mapped VRAM raises SIGBUS. Errors: -EINVAL flags, or memory of a display head, which the
 * CPU does not map; -ENOENT no such handle.
 */
struct drm_tessera_bo_mmap_offset {
	__u32 handle;
	__u32 flags;
	__u64 offset;
};

/**
 * struct drm_tessera_bo_damage - DRM_IOCTL_TESSERA_BO_DAMAGE
 * @handle: GEM handle of a buffer with a new picture, drawn or about to be drawn
 * @previous: GEM handle of the buffer with the picture that this one was compared with; 0, or the same
 *	buffer: none, all may differ
 * @x1: left edge of what may differ, in pixels of the framebuffer
 * @y1: its top edge
 * @x2: its right edge, the pixel behind the last one; @x1 if nothing differs
 * @y2: its bottom edge, in the same way
 * @flags: zero
 * @pad: zero
 *
 * Since 1.7. For programs whose pictures another one flips to: a flip from a framebuffer of @previous
 * to one of @handle, of the same format, pitch, offset and visible part, tells the host of a vGPU that
 * only the rectangle changed, unless it has FB_DAMAGE_CLIPS. The head has to show @previous as the
 * last call for that, before this one, told of it. Other flips change all of the picture.
 *
 * A program that once told of a buffer has to do so for each picture that it draws there, before
 * the flip. With @previous 0 the rectangle does not count. On a GPU without display heads it does
 * nothing. Errors: -EINVAL flags, padding, @x1 above @x2, @y1 above @y2; -ENOENT no such handle.
 */
struct drm_tessera_bo_damage {
	__u32 handle;
	__u32 previous;
	__u32 x1;
	__u32 y1;
	__u32 x2;
	__u32 y2;
	__u32 flags;
	__u32 pad;
};

/**
 * struct drm_tessera_vm_create - DRM_IOCTL_TESSERA_VM_CREATE
 * @flags: zero
 * @id: out: VM id, not 0
 *
 * Errors: -EINVAL flags; -EMFILE more than 64 VMs in this file.
 */
struct drm_tessera_vm_create {
	__u32 flags;
	__u32 id;
};

/**
 * struct drm_tessera_vm_destroy - DRM_IOCTL_TESSERA_VM_DESTROY
 * @id: VM; queues keep it alive but it can't be named any more
 * @pad: zero
 *
 * Errors: -EINVAL padding; -ENOENT no such VM.
 */
struct drm_tessera_vm_destroy {
	__u32 id;
	__u32 pad;
};

#define DRM_TESSERA_BIND_MAP		0
#define DRM_TESSERA_BIND_UNMAP		1

#define DRM_TESSERA_BIND_READONLY	(1 << 0)
#define DRM_TESSERA_BIND_NOEXEC		(1 << 1)
#define DRM_TESSERA_BIND_NULL		(1 << 2) /* since 1.2 */

/**
 * struct drm_tessera_vm_bind_op - one change of an address space
 * @op: DRM_TESSERA_BIND_MAP or DRM_TESSERA_BIND_UNMAP
 * @flags: MAP: DRM_TESSERA_BIND_READONLY, _NOEXEC; _NULL: there is no memory behind it (sparse):
 *	what is read is undefined, what is written is lost, no instruction is fetched. Else 0
 * @handle: MAP without _NULL: GEM handle; else 0
 * @pad: zero
 * @offset: MAP without _NULL: in the BO, 4 KiB aligned; else 0
 * @va: 4 KiB aligned
 * @size: bytes, a multiple of 4 KiB, not 0
 */
struct drm_tessera_vm_bind_op {
	__u32 op;
	__u32 flags;
	__u32 handle;
	__u32 pad;
	__u64 offset;
	__u64 va;
	__u64 size;
};

/**
 * struct drm_tessera_vm_bind - DRM_IOCTL_TESSERA_VM_BIND
 * @vm: VM id
 * @flags: zero
 * @ops: struct drm_tessera_vm_bind_op, 1 to 1024, done in order
 * @in_syncs: since 1.2: struct drm_tessera_sync, at most 64: the call waits for them before the
 *	first op
 * @out_syncs: since 1.2: struct drm_tessera_sync, at most 64: they are signalled when all ops
 *	are done. If one fails they stay as they were
 * @done: in: ops of the array to skip, 0 for a new call; out, also on an error: ops from the
 *	beginning of the array that are done. So a call that failed with -EINTR goes on where it
 *	was when it is repeated with the same structure, as drmIoctl() does
 * @pad: zero
 *
 * Synchronous: on return the new mappings can be used. MAP replaces what was mapped
 * in its range; a mapping keeps its BO, also when the handle is closed. Holes in the
 * range of an UNMAP are fine. An UNMAP, or a replacing MAP, makes work that is still
 * using the old range fault; wait for it first. The op that fails leaves its range as it
 * was or, for want of memory, unmapped. Errors: -ENOENT no such VM or handle; -EDQUOT more
 * page tables than a file may have (module parameter page_tables); -EINVAL a BO of another VM,
 * counts, @done, alignment, range, flags, padding; those of struct drm_tessera_array. Of memory of
 * a display head (since 1.8, linux/tessera_view.h): -EACCES without READONLY; -ESTALE its vGPU has it
 * no more.
 */
struct drm_tessera_vm_bind {
	__u32 vm;
	__u32 flags;
	struct drm_tessera_array ops;
	struct drm_tessera_array in_syncs;
	struct drm_tessera_array out_syncs;
	__u32 done;
	__u32 pad;
};

#define DRM_TESSERA_PRIORITY_NORMAL	0
#define DRM_TESSERA_PRIORITY_LOW	1
#define DRM_TESSERA_PRIORITY_HIGH	2 /* since 1.1 */

/**
 * struct drm_tessera_queue_create - DRM_IOCTL_TESSERA_QUEUE_CREATE
 * @vm: VM id
 * @flags: zero
 * @slices: mask of the slices that the queue may send to: bit n is slice n. One bit, since 1.4
 *	also more: then the driver chooses, for each SUBMIT, one that is available and has little to
 *	do; slices that come and go meanwhile are heeded
 * @priority: DRM_TESSERA_PRIORITY_NORMAL; _LOW: a tenth of the GPU time of others, or, where jobs
 *	take no turns, only when no job of another queue of the slice is ready; _HIGH: ten times as
 *	much, or before all others; for those with CAP_SYS_NICE and the DRM master
 * @id: out: queue id, not 0
 *
 * Errors: -ENOENT no such VM; -EINVAL flags, priority, no slice, or a slice number that
 * there is not; -EACCES not the right to this priority, or too many jobs of this file hung;
 * -ENXIO none of the slices is available now; -EMFILE more than 1024 queues in this file.
 */
struct drm_tessera_queue_create {
	__u32 vm;
	__u32 flags;
	__u64 slices;
	__u32 priority;
	__u32 id;
};

/**
 * struct drm_tessera_queue_destroy - DRM_IOCTL_TESSERA_QUEUE_DESTROY
 * @id: queue; jobs in it that have not started end with the error -ESRCH, those that
 *	have run on
 * @pad: zero
 *
 * Errors: -EINVAL padding; -ENOENT no such queue.
 */
struct drm_tessera_queue_destroy {
	__u32 id;
	__u32 pad;
};

#define DRM_TESSERA_QUEUE_FAULTED	(1 << 0) /* a job faulted; the fault fields tell */
#define DRM_TESSERA_QUEUE_HUNG		(1 << 1) /* a job did not stop, and was dropped */
#define DRM_TESSERA_QUEUE_LOST		(1 << 2) /* the slice went away with a job on it */
#define DRM_TESSERA_QUEUE_BANNED	(1 << 3) /* too many jobs of this open file hung */

/**
 * struct drm_tessera_queue_state - DRM_IOCTL_TESSERA_QUEUE_STATE
 * @id: queue
 * @flags: out: DRM_TESSERA_QUEUE_*; not 0: the queue takes no more jobs (-EIO), make
 *	a new one
 * @cause: out: FAULTED: enum tess_cause
 * @info: out: FAULTED: bits 7:0 packet type; bit 8 in an indirect buffer; bit 9 by a
 *	work-item; bits 11:10 access (0 fetch, 1 load, 2 store)
 * @addr: out: FAULTED: VA that faulted
 * @pc: out: FAULTED: pc of the work-item
 * @packet: out: FAULTED: index of the packet in the command buffer
 * @cmd: out: FAULTED: index of the command buffer in its SUBMIT
 * @slice: out: FAULTED: where
 * @pad: zero
 * @submit: out: since 1.5: number of the SUBMIT whose job faulted if FAULTED, else of the first
 *	whose job hung if HUNG, else zero. The queue counts those that succeeded, from 1
 *
 * Errors: -EINVAL padding; -ENOENT no such queue.
 */
struct drm_tessera_queue_state {
	__u32 id;
	__u32 flags;
	__u32 cause;
	__u32 info;
	__u64 addr;
	__u64 pc;
	__u32 packet;
	__u32 cmd;
	__u32 slice;
	__u32 pad;
	__u64 submit;
};

/**
 * struct drm_tessera_sync - a syncobj to wait for or to signal
 * @handle: DRM syncobj
 * @flags: zero
 * @point: timeline point; 0: binary syncobj
 */
struct drm_tessera_sync {
	__u32 handle;
	__u32 flags;
	__u64 point;
};

/**
 * struct drm_tessera_cmd - a command buffer
 * @va: where it begins in the queue's VM, 64-byte aligned
 * @count: packets, 1 to max_submit_packets
 * @flags: zero
 * @slices: zero; since 1.4, with DRM_TESSERA_SUBMIT_PARALLEL, mask of slices of the queue on one of
 *	which it runs, instead of @slices of the SUBMIT
 */
struct drm_tessera_cmd {
	__u64 va;
	__u32 count;
	__u32 flags;
	__u64 slices;
};

#define DRM_TESSERA_SUBMIT_PARALLEL	(1 << 0) /* since 1.4: @cmds need no order */

/**
 * struct drm_tessera_submit - DRM_IOCTL_TESSERA_SUBMIT
 * @queue: queue id
 * @flags: DRM_TESSERA_SUBMIT_*
 * @slices: zero: any of the queue's; since 1.4 mask of those of them that may run this job
 * @cmds: struct drm_tessera_cmd, 1 to 64 (before 1.1 one), run on one slice in this order as one
 *	job: the first waits for the in syncs, the last signals the out syncs. None is taken, or
 *	all. With _PARALLEL each goes to the slice that has least to do: they run side by side as far
 *	as there are slices, so none may wait for another one; all wait for the in syncs, and the
 *	out syncs are signalled when all are over
 * @in_syncs: struct drm_tessera_sync to wait for, at most 64
 * @out_syncs: struct drm_tessera_sync to signal, at most 64
 * @operations: since 1.6: hint: operations that the program asked for since its last hint, as it counts
 *	them (instructions of a shader times the pixels that it is for, say)
 * @frames: since 1.6: hint: pictures that are complete with this SUBMIT, and what came before it
 * @pad: zero
 *
 * Hints change nothing about how jobs run. They are added up, and the profile of the (v)GPU tells
 * its host how many pictures a second the client draws, and how much there is to do for each.
 *
 * Jobs of a queue run in order. A job that fails signals its out syncs with an error, that of
 * the command buffer that failed:
 * -EFAULT it faulted, -ETIME it hung, -ENXIO its slice was taken away for another vGPU of
 * this machine, -ENODEV the GPU went away; the later ones of its queue with -ECANCELED. What runs
 * beside it on other slices is not stopped, the out syncs wait for that, too. Other
 * queues are not disturbed. A job whose slice is withdrawn by the host of a guest runs on.
 *
 * Errors: -ENOENT no such queue or syncobj; -EINVAL flags, padding, masks with slices that are not the
 * queue's, counts, a command buffer, an in sync that has no fence; those of struct
 * drm_tessera_array; -EIO the queue is dead (DRM_IOCTL_TESSERA_QUEUE_STATE tells
 * why); -ENXIO its slices were taken away, and the job was not taken: use another slice, or
 * try again when @generation of struct drm_tessera_query_gpu changed; -ESTALE the VM maps memory of
 * a display head whose vGPU has it no more (since 1.8): unbind it, and try again.
 */
struct drm_tessera_submit {
	__u32 queue;
	__u32 flags;
	__u64 slices;
	struct drm_tessera_array cmds;
	struct drm_tessera_array in_syncs;
	struct drm_tessera_array out_syncs;
	__u64 operations;
	__u32 frames;
	__u32 pad;
};

#define DRM_IOCTL_TESSERA_QUERY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_QUERY, struct drm_tessera_query)
#define DRM_IOCTL_TESSERA_BO_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_BO_CREATE, struct drm_tessera_bo_create)
#define DRM_IOCTL_TESSERA_BO_MMAP_OFFSET \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_BO_MMAP_OFFSET, struct drm_tessera_bo_mmap_offset)
#define DRM_IOCTL_TESSERA_VM_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_VM_CREATE, struct drm_tessera_vm_create)
#define DRM_IOCTL_TESSERA_VM_DESTROY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_VM_DESTROY, struct drm_tessera_vm_destroy)
#define DRM_IOCTL_TESSERA_VM_BIND \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_VM_BIND, struct drm_tessera_vm_bind)
#define DRM_IOCTL_TESSERA_QUEUE_CREATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_QUEUE_CREATE, struct drm_tessera_queue_create)
#define DRM_IOCTL_TESSERA_QUEUE_DESTROY \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_QUEUE_DESTROY, struct drm_tessera_queue_destroy)
#define DRM_IOCTL_TESSERA_QUEUE_STATE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_QUEUE_STATE, struct drm_tessera_queue_state)
#define DRM_IOCTL_TESSERA_SUBMIT \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_SUBMIT, struct drm_tessera_submit)
#define DRM_IOCTL_TESSERA_BO_DAMAGE \
	DRM_IOWR(DRM_COMMAND_BASE + DRM_TESSERA_BO_DAMAGE, struct drm_tessera_bo_damage)

#if defined(__cplusplus)
}
#endif

#endif
