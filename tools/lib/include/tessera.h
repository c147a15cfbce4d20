/* SPDX-License-Identifier: MIT */
/*
 * libtessera: compute on Tessera GPUs and vGPUs.
 *
 * Results. A function that returns int returns 0 on success and a negative errno
 * value on failure; tess_strerror() then tells what went wrong in words. Functions
 * without a documented failure cannot fail.
 *
 * Units. Sizes and offsets are bytes, GPU addresses are VAs of the GPU (38 bits,
 * never 0), times on the GPU are cycles of its clock, timeouts are nanoseconds from
 * now: 0 polls, negative waits for ever.
 *
 * Order. Operations (dispatch, copy, fill) of one device handle behave as if each
 * one started when all earlier ones are complete, unless TESS_OP_CONCURRENT says
 * that it does not depend on them. The CPU sees results after tess_fence_wait() or
 * tess_finish().
 *
 * Threads. All functions may be called from any thread; a handle must not be used
 * after or while it is destroyed. A process that forks must open its own device, and tess_abandon()
 * that of its parent.
 */
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define TESS_LIB_MAJOR 0
#define TESS_LIB_MINOR 1

#if defined(__GNUC__)
#define TESS_API __attribute__((visibility("default")))
#else
#define TESS_API
#endif

/** Slices of a GPU at most; a slice mask is a 64-bit word. */
#define TESS_MAX_SLICES 64
/** Bytes of arguments of a kernel at most. */
#define TESS_MAX_ARGS 1024

struct tess_device;
struct tess_buffer;
struct tess_program;
struct tess_kernel;
struct tess_args;
struct tess_fence;

/* ---- devices ---------------------------------------------------------------- */

/**
 * struct tess_node - a GPU or vGPU that can be opened
 * @node: path of its render node
 * @pci: PCI address "dddd:bb:dd.f", "" if it is no PCI device
 */
struct tess_node {
	char node[64];
	char pci[24];
};

/**
 * tess_list_devices() - find the GPUs of this machine
 * @list: filled with at most @max entries, in the order of their PCI addresses
 * @max: entries of @list, 0 to only count
 *
 * Returns the number of GPUs that there are, also if it is greater than @max, or a
 * negative errno value.
 */
TESS_API int tess_list_devices(struct tess_node *list, unsigned int max);

/**
 * tess_open() - open a GPU
 * @which: path of a render node, a PCI address ("0000:00:04.0" or "00:04.0"), or
 *	the index of the GPU in tess_list_devices(). NULL or "": the environment
 *	variable TESSERA_DEVICE, which has the same form; without it, GPU 0
 * @dev: out: handle
 *
 * Returns 0; -ENODEV no such GPU, or no GPU at all; -EACCES no permission; -ENOTTY
 * it is not driven by Tessera; -ENOMEM. tess_strerror(NULL) tells more.
 */
TESS_API int tess_open(const char *which, struct tess_device **dev);

/**
 * tess_close() - wait for the work of a device and close it
 * @dev: device or NULL; its buffers, programs and fences must not be used any more:
 *	they are freed with it
 */
TESS_API void tess_close(struct tess_device *dev);

/**
 * tess_abandon() - in a process that forked: have nothing of a device that is its parent's
 * @dev: device or NULL; no handle of it must be used any more, not even to destroy it
 *
 * The file and all mappings of buffers are gone in this process. The parent's work goes on. What the
 * handles take of the heap stays.
 */
TESS_API void tess_abandon(struct tess_device *dev);

/**
 * tess_strerror() - why the last failed call failed
 * @dev: device, or NULL for functions that have none (tess_open(), tess_args_*())
 *
 * Tells this thread's last failure on @dev; if it had none, that of any thread.
 * Returns one line without a line feed, "no error" if there was none. The text is
 * valid until the calling thread uses the library again.
 */
TESS_API const char *tess_strerror(const struct tess_device *dev);

/**
 * struct tess_info - a GPU as its client sees it now
 * @node: path of the render node
 * @pci: PCI address, "" if there is none
 * @slice_mask: slices that work can be sent to
 * @generation: of the composition; grows whenever the slices change
 * @vram_size: bytes of VRAM
 * @vram_free: bytes of it that can be allocated
 * @bank_size: bytes of VRAM that are nearest to one slice
 * @slice_count: slice numbers are below it
 * @clock_khz: nominal clock
 * @is_vgpu: 1 for a composed vGPU, 0 for a whole GPU
 * @max_group_items: work-items of a work-group at most
 * @max_local_bytes: local memory of a work-group at most
 * @units: TESS_UNIT_* (tessera_units.h) of those slices that have units, 0 if no slice has
 */
struct tess_info {
	char node[64];
	char pci[24];
	uint64_t slice_mask;
	uint64_t generation;
	uint64_t vram_size;
	uint64_t vram_free;
	uint64_t bank_size;
	uint32_t slice_count;
	uint32_t clock_khz;
	uint32_t is_vgpu;
	uint32_t max_group_items;
	uint32_t max_local_bytes;
	uint32_t units;
};

#define TESS_KIND_COMPUTE 1
#define TESS_KIND_RENDER 2
#define TESS_KIND_MIXED 3

#define TESS_HAS_COMPUTE 0x1
#define TESS_HAS_COPY 0x2
#define TESS_HAS_RASTER 0x4
#define TESS_HAS_DISPLAY 0x8

/**
 * struct tess_slice_info - a slice
 * @kind: TESS_KIND_*, 0 if there is no such slice now
 * @cores: shader cores; each runs one work-group at a time
 * @engines: TESS_HAS_*
 * @available: 1 if work can be sent to it
 */
struct tess_slice_info {
	uint32_t kind;
	uint32_t cores;
	uint32_t engines;
	uint32_t available;
};

/**
 * tess_get_info() - ask for the current state of a GPU
 * @dev: device
 * @info: out
 *
 * Returns 0 or -ENODEV (the GPU is gone).
 */
TESS_API int tess_get_info(struct tess_device *dev, struct tess_info *info);

/**
 * tess_get_slice() - ask for the current state of a slice
 * @dev: device
 * @slice: number of the slice
 * @info: out
 *
 * Returns 0; -EINVAL no such number; -ENODEV (the GPU is gone).
 */
TESS_API int tess_get_slice(struct tess_device *dev, unsigned int slice,
			    struct tess_slice_info *info);

/**
 * tess_changed() - did the slices of a GPU change?
 * @dev: device
 * @generation: in: the generation that the caller knows, 0: none; out: the present one
 *
 * For programs that divide their work by slices themselves. Operations follow all changes
 * without it: new ones use the slices that there are, those under way are never lost.
 *
 * Returns 1 if the generation is another, 0 if not, -ENODEV (the GPU is gone).
 */
TESS_API int tess_changed(struct tess_device *dev, uint64_t *generation);

/**
 * struct tess_time - the GPU's clock and the CPU's at the same moment
 * @gpu_cycles: GPU time, as kernels and struct tess_times have it
 * @cpu_ns: CLOCK_MONOTONIC just before that was read
 * @span_ns: how long reading it took: the GPU's time is of a moment in between
 */
struct tess_time {
	uint64_t gpu_cycles;
	uint64_t cpu_ns;
	uint64_t span_ns;
};

/**
 * tess_get_time() - look at both clocks
 * @dev: device
 * @time: out
 *
 * Returns 0; -EINVAL the driver is older than version 1.1 of its interface; -ENODEV.
 */
TESS_API int tess_get_time(struct tess_device *dev, struct tess_time *time);

#define TESS_PRIORITY_NORMAL 0
#define TESS_PRIORITY_LOW 1
#define TESS_PRIORITY_HIGH 2

/**
 * tess_set_priority() - say how urgent the work of a device is, before any is started
 * @dev: device
 * @priority: TESS_PRIORITY_*: LOW gets a tenth of the GPU time of others that want the same slice,
 *	HIGH ten times as much, which takes CAP_SYS_NICE
 *
 * Returns 0; -EINVAL no such priority; -EBUSY work was started already. A priority to which the
 * process has no right fails operations with -EACCES.
 */
TESS_API int tess_set_priority(struct tess_device *dev, unsigned int priority);

/** tess_kind_name() - "compute", "render", "mixed", or "none" */
TESS_API const char *tess_kind_name(unsigned int kind);

/* ---- buffers ---------------------------------------------------------------- */

#define TESS_BUFFER_SYSTEM 0x0 /* system memory */
#define TESS_BUFFER_VRAM 0x1 /* memory of the GPU; of the system where it has none */
#define TESS_BUFFER_READONLY 0x2 /* the GPU may only read it */
#define TESS_BUFFER_SAME 0x4 /* the CPU has it at the address that the GPU has it at */
#define TESS_BUFFER_CODE 0x8 /* shader cores may run what is in it */

/** As @near_slice of tess_buffer_create(): the first available slice. */
#define TESS_NEAR_ANY 0xffffffffu

/**
 * tess_buffer_create() - allocate memory that the GPU and the CPU can use
 * @dev: device
 * @size: bytes, not 0; rounded up to whole pages of 4 KiB
 * @flags: TESS_BUFFER_*
 * @near_slice: VRAM: slice that it should be near to, best effort; or TESS_NEAR_ANY
 * @buf: out
 *
 * The memory is zero and has a VA that does not change. With TESS_BUFFER_SAME it is mapped for
 * the CPU at that address at once, so that pointers into it mean the same on both sides.
 *
 * Returns 0; -EINVAL; -ENOSPC not so much VRAM is free, or the process has no room left at
 * addresses that the GPU can use; -ENOMEM.
 */
TESS_API int tess_buffer_create(struct tess_device *dev, uint64_t size, unsigned int flags,
				unsigned int near_slice, struct tess_buffer **buf);

/**
 * tess_buffer_import() - use memory of another open file, process or driver
 * @dev: device
 * @fd: dma-buf, which stays the caller's
 * @flags: TESS_BUFFER_READONLY, TESS_BUFFER_SAME: memory of this GPU only
 * @buf: out; one that is there already must be destroyed before it is imported again
 *
 * Returns 0; -EINVAL it is no dma-buf, or not one for this GPU; -ENOSPC as above; -ENOMEM.
 */
TESS_API int tess_buffer_import(struct tess_device *dev, int fd, unsigned int flags,
				struct tess_buffer **buf);

/**
 * tess_buffer_destroy() - wait for the work of the device and free a buffer
 * @buf: buffer or NULL
 */
TESS_API void tess_buffer_destroy(struct tess_buffer *buf);

/**
 * tess_buffer_map() - make a buffer accessible to the CPU
 * @buf: buffer
 *
 * Returns its address, the same one each time, or NULL (see tess_strerror()). The
 * mapping stays until the buffer is destroyed.
 */
TESS_API void *tess_buffer_map(struct tess_buffer *buf);

/** tess_buffer_va() - the GPU's address of a buffer */
TESS_API uint64_t tess_buffer_va(const struct tess_buffer *buf);

/** tess_buffer_size() - bytes of a buffer, a multiple of 4096 */
TESS_API uint64_t tess_buffer_size(const struct tess_buffer *buf);

/**
 * tess_buffer_damage() - tell where a new picture in a buffer differs from another one
 * @buf: buffer with a picture that a display head is to show, drawn or about to be drawn
 * @previous: buffer with the picture that it was compared with; NULL, or @buf: none, all may differ
 * @x1: left edge of what may differ, in pixels
 * @y1: its top edge
 * @x2: its right edge, the pixel behind the last one; @x1 if nothing differs
 * @y2: its bottom edge, in the same way
 *
 * For programs whose pictures are shown by another one, which does not know that. If a head of a
 * vGPU goes from @previous to @buf, its host is told that only this changed. A program that once
 * called it for a buffer calls it for each picture in it, before that is shown. It is a hint:
 * without display heads, and in a driver older than version 1.7 of its interface, it has no effect.
 *
 * Returns 0; -EINVAL @x1 above @x2, @y1 above @y2, or @previous of another device; -ENODEV.
 */
TESS_API int tess_buffer_damage(struct tess_buffer *buf, const struct tess_buffer *previous,
				uint32_t x1, uint32_t y1, uint32_t x2, uint32_t y2);

/* ---- programs --------------------------------------------------------------- */

/**
 * tess_program_load() - load an ELF program from memory
 * @dev: device
 * @name: how to call it in messages, or NULL
 * @elf: bytes of the file, not needed after the call
 * @size: bytes
 * @prog: out
 *
 * The program must be a position-independent RISC-V executable without undefined
 * symbols (Documentation/kernel-authors-guide.rst; tessera-cc makes them).
 *
 * Returns 0; -ENOEXEC it is not, tess_strerror() tells in what; -ENOMEM.
 */
TESS_API int tess_program_load(struct tess_device *dev, const char *name, const void *elf,
			       size_t size, struct tess_program **prog);

/**
 * tess_program_load_file() - load an ELF program from a file
 * @dev: device
 * @path: file
 * @prog: out
 *
 * Returns 0, an error of open(2) or read(2), or one of tess_program_load().
 */
TESS_API int tess_program_load_file(struct tess_device *dev, const char *path,
				    struct tess_program **prog);

/**
 * tess_program_unload() - wait for the work of the device and free a program
 * @prog: program or NULL; its kernels go with it
 */
TESS_API void tess_program_unload(struct tess_program *prog);

/**
 * tess_program_kernel() - find a kernel
 * @prog: program
 * @name: name of the kernel: one that TESS_KERNEL() declares, or any function in the
 *	symbol table. NULL: the only one that TESS_KERNEL() declares
 *
 * Returns the kernel, or NULL (see tess_strerror()).
 */
TESS_API const struct tess_kernel *tess_program_kernel(struct tess_program *prog, const char *name);

/**
 * tess_program_kernel_at() - list the kernels that TESS_KERNEL() declares
 * @prog: program
 * @index: 0, 1, ...
 *
 * Returns a kernel, or NULL if there is no such index.
 */
TESS_API const struct tess_kernel *tess_program_kernel_at(struct tess_program *prog,
							  unsigned int index);

/** tess_kernel_name() - name of a kernel */
TESS_API const char *tess_kernel_name(const struct tess_kernel *kernel);

/** tess_kernel_va() - the GPU's address of its first instruction */
TESS_API uint64_t tess_kernel_va(const struct tess_kernel *kernel);

/** tess_kernel_private_bytes() - private memory (stack) that a work-item gets */
TESS_API uint32_t tess_kernel_private_bytes(const struct tess_kernel *kernel);

/** tess_kernel_local_bytes() - local memory that the kernel itself declares */
TESS_API uint32_t tess_kernel_local_bytes(const struct tess_kernel *kernel);

/* ---- arguments -------------------------------------------------------------- */

/*
 * What a kernel finds behind its only parameter. A program that shares a struct
 * with its kernel passes that; the functions below build one member by member,
 * each at its natural alignment, as a C compiler lays out a struct.
 */

/** tess_args_create() - new, empty arguments; returns NULL without memory */
TESS_API struct tess_args *tess_args_create(void);

/** tess_args_destroy() - free arguments, which may be NULL */
TESS_API void tess_args_destroy(struct tess_args *args);

/**
 * tess_args_add() - append a member
 * @args: arguments
 * @value: its bytes
 * @size: number of bytes, not 0
 * @align: alignment, a power of two up to 16
 *
 * Returns 0; -EINVAL; -E2BIG more than TESS_MAX_ARGS bytes.
 */
TESS_API int tess_args_add(struct tess_args *args, const void *value, size_t size, size_t align);

/** tess_args_add_u32() - append a 32-bit integer; errors of tess_args_add() */
TESS_API int tess_args_add_u32(struct tess_args *args, uint32_t value);

/** tess_args_add_u64() - append a 64-bit integer; errors of tess_args_add() */
TESS_API int tess_args_add_u64(struct tess_args *args, uint64_t value);

/** tess_args_add_f32() - append a float; errors of tess_args_add() */
TESS_API int tess_args_add_f32(struct tess_args *args, float value);

/** tess_args_add_f64() - append a double; errors of tess_args_add() */
TESS_API int tess_args_add_f64(struct tess_args *args, double value);

/** tess_args_add_buffer() - append a pointer to a buffer; errors of tess_args_add() */
TESS_API int tess_args_add_buffer(struct tess_args *args, const struct tess_buffer *buf);

/**
 * tess_args_add_local() - append a pointer to local memory
 * @args: arguments
 * @kernel: kernel that they are for
 * @bytes: local memory to allocate, 16-byte aligned, after what the kernel declares
 *	itself and what earlier calls allocated
 *
 * Errors: those of tess_args_add(); -EINVAL more local memory than a group can have.
 */
TESS_API int tess_args_add_local(struct tess_args *args, const struct tess_kernel *kernel,
				 uint32_t bytes);

/** tess_args_data() - the bytes built so far */
TESS_API const void *tess_args_data(const struct tess_args *args);

/** tess_args_size() - how many there are */
TESS_API size_t tess_args_size(const struct tess_args *args);

/** tess_args_local_bytes() - local memory that tess_args_add_local() allocated */
TESS_API uint32_t tess_args_local_bytes(const struct tess_args *args);

/* ---- operations ------------------------------------------------------------- */

#define TESS_OP_CONCURRENT 0x1 /* does not depend on earlier operations, nor on their failures */

/**
 * struct tess_dispatch - a grid of work-items to run
 * @kernel: kernel
 * @grid: work-items in x, y, z; 0 counts as 1. Groups at the edges may be partial
 * @group: work-items of a work-group in x, y, z; 0 counts as 1
 * @flags: TESS_OP_*
 * @args: argument bytes, copied; NULL if @args_size is 0
 * @args_size: at most TESS_MAX_ARGS
 * @local_bytes: local memory of a group on top of what the kernel declares
 * @private_bytes: private memory of a work-item; 0: what the kernel declares
 * @slice_count: use at most this many slices; 0: all
 * @slice_mask: use only these slices; 0: all
 *
 * The work-groups are split over the slices in proportion to their shader cores.
 * Clear the struct before filling it: members may be added at its end.
 */
struct tess_dispatch {
	const struct tess_kernel *kernel;
	uint32_t grid[3];
	uint32_t group[3];
	uint32_t flags;
	uint32_t args_size;
	const void *args;
	uint32_t local_bytes;
	uint32_t private_bytes;
	uint64_t slice_mask;
	uint32_t slice_count;
	uint32_t reserved;
};

/**
 * tess_dispatch() - start a kernel
 * @dev: device
 * @d: what to run
 * @fence: out: to wait for; destroy it after use. NULL: only tess_finish() waits
 *
 * If the composition changes meanwhile, the rest of the work goes to the slices that are
 * there then; what was sent already runs to its end, once.
 *
 * Waits while a queue that it needs has no room (each takes 64 jobs); other operations of the
 * device wait behind it then, nothing else does.
 *
 * Returns 0; -EINVAL, -E2BIG a bad size; -ENXIO no slice can run it; -ENOMEM,
 * -ENOSPC; -ENODEV the GPU is gone. After an error nothing of it runs. What goes wrong once a
 * part of it was sent (all slices are taken away, say) is told by the fence.
 */
TESS_API int tess_dispatch(struct tess_device *dev, const struct tess_dispatch *d,
			   struct tess_fence **fence);

/**
 * struct tess_transfer - a copy or a fill
 * @dst: buffer to write
 * @dst_offset: first byte in @dst; for a fill a multiple of 4
 * @src: buffer to read; NULL for a fill
 * @src_offset: first byte in @src
 * @bytes: how many, not 0; for a fill a multiple of 4
 * @pattern: fill: value of every 32-bit word
 * @flags: TESS_OP_*
 * @slice_mask: use only the copy engines of these slices; 0: all
 * @slice_count: use at most this many slices; 0: all
 * @reserved: 0
 *
 * Source and destination of a copy must not overlap.
 */
struct tess_transfer {
	struct tess_buffer *dst;
	uint64_t dst_offset;
	struct tess_buffer *src;
	uint64_t src_offset;
	uint64_t bytes;
	uint32_t pattern;
	uint32_t flags;
	uint64_t slice_mask;
	uint32_t slice_count;
	uint32_t reserved;
};

/**
 * tess_transfer() - start copy engines
 * @dev: device
 * @t: what to copy or fill
 * @fence: out, as for tess_dispatch()
 *
 * Returns 0; -EINVAL outside of a buffer, overlap, alignment; else as tess_dispatch().
 */
TESS_API int tess_transfer(struct tess_device *dev, const struct tess_transfer *t,
			   struct tess_fence **fence);

/**
 * struct tess_counters - what an operation cost
 * @cycles: GPU cycles from start to end, of the slice that took longest
 * @busy: cycles in which slices worked, summed over slices
 * @stall: core cycles lost to address translation and fabric links, summed
 * @instructions: retired by shader cores, summed
 * @flops: floating-point operations (a fused multiply-add is two), summed
 * @bytes: moved by copy engines, summed
 * @link_bytes: bytes that crossed fabric links, summed
 * @groups: work-groups completed, summed
 * @slices: slices that took part
 * @jobs: jobs sent to them
 */
struct tess_counters {
	uint64_t cycles;
	uint64_t busy;
	uint64_t stall;
	uint64_t instructions;
	uint64_t flops;
	uint64_t bytes;
	uint64_t link_bytes;
	uint64_t groups;
	uint32_t slices;
	uint32_t jobs;
};

/**
 * tess_fence_wait() - wait for an operation
 * @fence: fence
 * @timeout_ns: nanoseconds; 0 polls, negative waits for ever
 * @counters: out: what it cost, or NULL
 *
 * Returns 0: it is complete; -ETIME not yet: wait again; -EFAULT a work-item or a
 * packet faulted, tess_strerror() names cause, address and place in the kernel;
 * -ETIMEDOUT it ran too long and was stopped; -ECANCELED an earlier operation on
 * the same slice failed; -ENXIO a slice was taken away while it ran; -ENODEV the
 * GPU is gone. The answer stays the same from then on.
 */
TESS_API int tess_fence_wait(struct tess_fence *fence, int64_t timeout_ns,
			     struct tess_counters *counters);

/**
 * struct tess_times - when an operation ran
 * @begin: GPU time in cycles when its first slice began
 * @end: GPU time in cycles when its last slice ended
 */
struct tess_times {
	uint64_t begin;
	uint64_t end;
};

/**
 * tess_fence_times() - when did an operation run?
 * @fence: fence for which tess_fence_wait() returned 0
 * @times: out; tess_get_time() tells what its cycles are on the CPU's clock
 *
 * Returns 0; -EINVAL the operation is not complete, or failed.
 */
TESS_API int tess_fence_times(struct tess_fence *fence, struct tess_times *times);

/**
 * tess_fence_destroy() - forget a fence; the operation goes on
 * @fence: fence or NULL
 */
TESS_API void tess_fence_destroy(struct tess_fence *fence);

/**
 * tess_finish() - wait for all operations
 * @dev: device
 * @timeout_ns: as in tess_fence_wait()
 *
 * Returns 0; -ETIME; else the first error of an operation without a fence since
 * the last tess_finish().
 */
TESS_API int tess_finish(struct tess_device *dev, int64_t timeout_ns);

/**
 * tess_run() - start a kernel and wait until it is complete
 * @dev: device
 * @d: what to run
 * @counters: out: what it cost, or NULL
 *
 * Errors: those of tess_dispatch() and tess_fence_wait().
 */
TESS_API int tess_run(struct tess_device *dev, const struct tess_dispatch *d,
		      struct tess_counters *counters);

/**
 * tess_hint() - say what the work is, for whoever gives the GPU its slices
 * @dev: device
 * @frames: pictures that are complete with what was started so far
 * @operations: operations that the program asked for since the last hint, as it counts them
 *	(instructions of a shader times the pixels that it is for, say)
 *
 * It changes nothing about how work runs. It is added up, goes to the kernel with the next work
 * that is started, and appears in the profile of the (v)GPU (words "fps" and "ops"). Kernels with
 * a version of the interface before 1.6 ignore it.
 */
TESS_API void tess_hint(struct tess_device *dev, unsigned int frames, uint64_t operations);

#if defined(__cplusplus)
}
#endif

#endif
