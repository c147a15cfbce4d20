/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core interface for back-ends: how a type of GPU becomes part of the pool.
 *
 * A back-end knows its chip and nothing of clients. It registers each GPU that it
 * finds and from then on is called through &struct tess_backend_ops. The core owns
 * who has which slice and checks all indices: a back-end gets no slice number at or
 * above tess_gpu_info.slice_count. Ops are small: encode, decode, kick, ack.
 *
 * A GPU can disappear at any moment. Ops then fail with -ENODEV, or read zero, in
 * bounded time; none of them polls a device that answers all ones.
 */
#ifndef _TESSERA_BACKEND_H_
#define _TESSERA_BACKEND_H_

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/kref.h>
#include <linux/types.h>
#include <tessera/counters.h>
#include <tessera/display.h>
#include <tessera/gpu.h>
#include <tessera/hw/tess_regs.h>
#include <tessera/memory.h>

struct device;
struct tess_backend_ops;

/**
 * struct tess_backend - a GPU as its back-end sees it, embedded in its device structure
 * @ops: what it can do
 * @dev: device for DMA and messages; parent of what the core shows in sysfs
 * @gpu: set by tess_gpu_register() before anything of the GPU is visible, NULL again
 *	after tess_gpu_unregister()
 * @asleep: set by tess_gpu_suspend(), cleared by tess_gpu_resume(), or by the back-end before
 *	tess_gpu_register(): ops touch no register and no VRAM. On all slices nothing runs, and
 *	they are as after slice_reset(): what has to be done to that end is done. Time stands
 *	still. VRAM cannot be had, read or written (-EBUSY)
 */
struct tess_backend {
	const struct tess_backend_ops *ops;
	struct device *dev;
	struct tess_gpu *gpu;
	bool asleep;
};

/**
 * struct tess_slice_setup - what the host allows a slice
 * @engines: TESS_ENGINE_* that work; packets for others fault
 * @links: bit j: the VRAM bank of slice j can be reached
 */
struct tess_slice_setup {
	u32 engines;
	u64 links;
};

/**
 * struct tess_slice_rates - nominal performance of a slice
 * @instructions: shader instructions per second
 * @bandwidth: bytes per second of the copy engine
 * @texels: texels per second; 0: no unit for textures
 * @pixels: pixels per second; 0: no unit for pixels
 * @rays: intersections of rays per second; 0: no unit for rays
 */
struct tess_slice_rates {
	u64 instructions;
	u64 bandwidth;
	u64 texels;
	u64 pixels;
	u64 rays;
};

/**
 * struct tess_hw_as - page tables, embedded in the back-end's own structure
 * @be: GPU
 * @stage: which stage they serve
 * @budget: where tables but the root are taken from; NULL: there is no limit. The core sets
 *	it after as_create(), and it stays until as_destroy() has returned
 */
struct tess_hw_as {
	struct tess_backend *be;
	enum tess_as_stage stage;
	struct tess_as_budget *budget;
};

/**
 * struct tess_as_budget - page tables that a client may have
 * @ref: held by the client and its address spaces
 * @left: tables that it may still have
 */
struct tess_as_budget {
	struct kref ref;
	atomic_t left;
};

/* One table: false if there is none left */
static inline bool __must_check tess_as_budget_take(struct tess_as_budget *budget)
{
	return !budget || atomic_dec_if_positive(&budget->left) >= 0;
}

static inline void tess_as_budget_give(struct tess_as_budget *budget)
{
	if (budget)
		atomic_inc(&budget->left);
}

/**
 * struct tess_hw_vram - memory, embedded in the back-end's own structure
 * @vram: what it is. It is the back-end's and does not change until vram_free(); the core has a
 *	copy, which may outlive this structure
 */
struct tess_hw_vram {
	struct tess_vram vram;
};

/**
 * struct tess_hw_ring - ring of a kernel client, embedded in the back-end's own structure
 * @event: job that ring_arm() was called for last, 0 at first. The core sets it
 * @slice: slice that runs it
 * @capacity: jobs that fit
 * @parked: it is not on the slice, as after ring_alloc(). The core sets it, before ring_destroy()
 *	at the latest
 */
struct tess_hw_ring {
	u64 event;
	unsigned int slice;
	unsigned int capacity;
	bool parked;
};

/**
 * struct tess_hw_context - saved state of a client of a slice, embedded in the
 *	back-end's own structure
 * @be: GPU
 * @used: bytes of the image; 0: none, a client that just starts
 *
 * Memory of the host that no client reaches. The back-end keeps room for the largest
 * image, so that a save cannot fail for want of memory.
 */
struct tess_hw_context {
	struct tess_backend *be;
	size_t used;
};

/**
 * enum tess_client_value - what the core asks of a client of a slice
 * @TESS_CLIENT_HAS_WORK: 1: packets are left, and nothing keeps the slice from running them; 0: the
 *	ring is empty, disabled, or stopped by a client fault
 * @TESS_CLIENT_QUEUE: packets that were submitted and are not complete
 * @TESS_CLIENT_BUSY: cycles in which packets ran, since the client was reset
 * @TESS_CLIENT_FENCE: sequence number of the last completion, 0 after a reset
 */
enum tess_client_value {
	TESS_CLIENT_HAS_WORK,
	TESS_CLIENT_QUEUE,
	TESS_CLIENT_BUSY,
	TESS_CLIENT_FENCE,
};

/**
 * enum tess_reg_role - what an access to the client page means to the core
 * @TESS_ROLE_PLAIN: nothing, it is between the client and its slice
 * @TESS_ROLE_KIND: read: enum tess_slice_kind
 * @TESS_ROLE_CORES: read: shader cores
 * @TESS_ROLE_ENGINES: read: TESS_ENGINE_*
 * @TESS_ROLE_RESET: write: reset of the client, as @reset of struct tess_reg_ops
 * @TESS_ROLE_FAULT_ACK: write: the client acknowledges its fault
 * @TESS_ROLE_INVALIDATE: write: drop translations. A client that is parked comes back without
 */
enum tess_reg_role {
	TESS_ROLE_PLAIN,
	TESS_ROLE_KIND,
	TESS_ROLE_CORES,
	TESS_ROLE_ENGINES,
	TESS_ROLE_RESET,
	TESS_ROLE_FAULT_ACK,
	TESS_ROLE_INVALIDATE,
};

/* What tess_gpu_slice_event() reports */
#define TESS_SLICE_EVENT_TIMER	BIT(0)
#define TESS_SLICE_EVENT_IDLE	BIT(1)

/**
 * struct tess_hw_switch - exchange the client of a slice
 * @save: where the present client's state goes; NULL: it is dropped
 * @restore: state of the next client, never the same as @save; NULL: no client, the
 *	slice is left halted
 * @setup: what the next client may use
 * @stage2: translation for the next client, NULL: bypass
 * @timer: cycles of GPU time from the end of the switch to TESS_SLICE_EVENT_TIMER; 0: none
 * @notify_idle: report TESS_SLICE_EVENT_IDLE, once
 * @timeout: cycles of GPU time in which the present client must have stopped
 * @time: set: GPU time of the switch
 */
struct tess_hw_switch {
	struct tess_hw_context *save;
	struct tess_hw_context *restore;
	struct tess_slice_setup setup;
	struct tess_hw_as *stage2;
	u64 timer;
	bool notify_idle;
	u64 timeout;
	u64 time;
};

/**
 * struct tess_switch_ops - a type of GPU that can exchange the client of a slice
 *
 * All are mandatory. Rules are those of struct tess_backend_ops.
 *
 * @alloc: memory for the state of a client, empty. No lock is held. Error pointer
 * @free: free it. No lock is held
 * @clear: empty it, as a client reset does
 * @copy: make it the same as one of another GPU with these ops, which nobody changes meanwhile
 * @pack: write it for another machine, as @unpack reads it. @buf NULL: only say how many bytes.
 *	Return: bytes; -ENOSPC more than @size; -EBADMSG the image is damaged
 * @unpack: make it what @pack wrote elsewhere. Nothing of @buf is trusted. -EINVAL: it is not what
 *	@pack writes, and the context is empty then
 * @get: as client_get() of a client that is saved there. -EBADMSG: the image is damaged
 * @counters: as counters() of a client that is saved there. -EBADMSG
 * @fault: as fault_read() of a client that is saved there
 * @capture: the present client cannot be saved: make a context of what its registers say, its
 *	packet in progress dropped and a pending client fault @cause in its place.
 *	slice_reset() follows. -EALREADY: the exchange that was given up has ended after all;
 *	the same @exchange again tells how
 * @lose: @restore was not accepted: make a context of what its registers said when it was
 *	saved, as above. -EBADMSG: that was tried before
 * @forget: the GPU forgot the present client: make a context of what is known of it from its last
 *	save, with a pending client fault @cause. If that is nothing, or it has another ring by now,
 *	the fault is one of no packet (U64_MAX). No device access
 * @exchange: exchange the client. Waits for the end. The present client's stage 2 and masks
 *	are not used any more on 0; old translations are dropped. On an error the present
 *	client runs on: -ETIME it does not stop within @timeout (the slice must be reset, or
 *	the same asked for again, once: 0 if it did stop after all), -EBADMSG @restore is not
 *	accepted, -EIO anything else, -ENODEV
 * @notify: arm what @exchange would: @timer (0: none) and @idle. Replaces what was armed; an
 *	idle slice reports at once
 */
struct tess_switch_ops {
	struct tess_hw_context *(*alloc)(struct tess_backend *be);
	void (*free)(struct tess_hw_context *ctx);
	void (*clear)(struct tess_hw_context *ctx);
	void (*copy)(struct tess_hw_context *to, const struct tess_hw_context *from);
	ssize_t (*pack)(struct tess_hw_context *ctx, void *buf, size_t size);
	int (*unpack)(struct tess_hw_context *ctx, const void *buf, size_t size);
	int (*get)(struct tess_hw_context *ctx, enum tess_client_value what, u64 *val);
	int (*counters)(struct tess_hw_context *ctx, u64 counters[TESS_COUNTS]);
	bool (*fault)(struct tess_hw_context *ctx, struct tess_fault *fault);
	int (*capture)(struct tess_backend *be, unsigned int slice, struct tess_hw_context *ctx,
		       u32 cause);
	int (*lose)(struct tess_backend *be, unsigned int slice, struct tess_hw_context *ctx,
		    u32 cause);
	void (*forget)(struct tess_backend *be, unsigned int slice, struct tess_hw_context *ctx,
		       u32 cause);
	int (*exchange)(struct tess_backend *be, unsigned int slice, struct tess_hw_switch *sw);
	void (*notify)(struct tess_backend *be, unsigned int slice, u64 timer, bool idle);
};

/**
 * struct tess_reg_ops - a type of GPU whose slices have clients that drive registers (VMs)
 *
 * What such a client sees is a client page (Documentation/hw/registers.rst), whatever the GPU
 * has. A GPU with other registers translates here. @off is below TESS_PAGE_SIZE and a multiple of
 * @width, which is 4 or 8. All are mandatory, @read_saved if the GPU can exchange clients. Rules
 * are those of struct tess_backend_ops.
 *
 * @role: what an access means to the core; @val is that of a write. Any context, computed
 * @read: read a register; what is none reads 0. -EAGAIN: the GPU forgot its clients, and
 *	tess_gpu_crashed() or tess_gpu_lost() follows
 * @write: write a register; what the hardware ignores is ignored. -EAGAIN
 * @reset: reset the client of the slice: ring disabled, no fault, counters and sequence numbers 0,
 *	no access under way. What the host set up stays
 * @read_saved: as @read of a client that is saved there. Those with a role read 0, and so does all
 *	of an empty context but defaults. -EBADMSG: the image is damaged
 */
struct tess_reg_ops {
	enum tess_reg_role (*role)(u32 off, unsigned int width, bool write, u64 val);
	int (*read)(struct tess_backend *be, unsigned int slice, u32 off, unsigned int width,
		    u64 *val);
	int (*write)(struct tess_backend *be, unsigned int slice, u32 off, unsigned int width,
		     u64 val);
	int (*reset)(struct tess_backend *be, unsigned int slice);
	int (*read_saved)(struct tess_hw_context *ctx, u32 off, unsigned int width, u64 *val);
};

/**
 * struct tess_backend_ops - a type of GPU
 *
 * Unless an op says otherwise: it is mandatory, called in process context, may sleep
 * and allocate, and the core holds the mutex of the slice concerned, so that calls
 * for one slice do not run at the same time. "Any context" is hard interrupt context
 * at worst: no sleeping, no allocation.
 *
 * @time: GPU time in cycles. Any context
 * @rates: nominal performance of a slice, computed; writes all of it. Any context, no device
 *	access
 *
 * @slice_reset: the slice as after power-on. Guaranteed on 0: nothing of a former
 *	client runs, no access of it to memory is under way or will come, its
 *	translations are dropped, its registers are clear; engines and links are all on,
 *	stage 2 is off. -EIO: the slice does not answer and must not be used
 * @cut: stop all accesses of the GPU to memory, for good. No lock is held
 * @lost: tess_gpu_lost() took effect: all clients were told, nothing enters the back-end. The
 *	back-end may reset the GPU, unregister it and register it again, but not in this call.
 *	Optional. No lock is held
 * @slice_setup: set what the host allows. Optional: a GPU that cannot restrict slices
 * @slice_stage2: @as translates the client-physical addresses of the slice; NULL:
 *	bypass. On return the old translations are dropped. Optional: without it clients
 *	that drive registers themselves get no isolation and the core refuses them
 * @client_get: a value of the slice's client. -ENODEV
 * @counters: TESS_COUNT_* in order; @total: over all clients since power-on, else
 *	of this client
 * @kick: the write index grew, as a store to the doorbell. Any context. Mandatory with @regs
 * @doorbell: CPU physical address of the doorbell page. Any context. Mandatory with @regs
 *
 * @completion_take: has a FENCE of the slice raised the completion vector since the
 *	last call? Only for the register route. Any context. Optional
 * @fault_pending: slices with a client fault. In the fault interrupt's thread
 * @host_fault_pending: slices with a stage-2 fault. In the fault interrupt's thread
 * @fault_read: the slice's client fault; false if there is none
 * @host_fault_read: the slice's stage-2 fault; false if there is none
 * @host_fault_ack: repeat the access (@resume) or turn it into a client fault
 *
 * All @vram ops are mandatory if the GPU has VRAM, and not called otherwise.
 *
 * @vram_alloc: allocate memory near the bank of @near_slice (-1: anywhere), or, if
 *	@contiguous, anywhere in one extent. It may not be zero: @vram_clear has to follow.
 *	@size is a multiple of 4 KiB; extents are of 2 MiB if @size is. tess_gpu.compose
 *	may be held. Error pointer: -ENOSPC, -ENOMEM, -ENODEV, -EBUSY
 * @vram_free: return memory, quickly; what was in it reaches nobody. Locks of the core and of
 *	front-ends may be held
 * @vram_clear: zero of memory what is not known to be zero since @vram_alloc. No lock is held.
 *	-ENODEV, -EBUSY
 * @vram_zero: zero a range of VRAM; visible to the GPU on return. No lock is held. -ENODEV,
 *	-EBUSY
 * @vram_read: read from an offset in VRAM. Locks of front-ends may be held. -ENODEV, -EBUSY
 * @vram_write: write to an offset in VRAM; visible to the GPU on return. Locks of front-ends may
 *	be held. -ENODEV, -EBUSY
 * @vram_free_bytes: unused bytes in whole blocks of @granule, which is 4 KiB or 2 MiB:
 *	a request that is a multiple of @granule succeeds if it is not larger. Atomic
 *
 * @as_create: make empty page tables. No lock is held. Error pointer. Their number has no
 *	limit but memory
 * @as_destroy: free them; no slice uses them. No lock is held
 * @as_map: as tess_as_map(); the range is checked. No lock is held
 * @as_unmap: as tess_as_unmap_dirty(), with @dirty, which is NULL if nobody asks; the range is
 *	checked. No lock is held
 * @as_written: optional: set the bits of those blocks of 2 MiB of a range of stage 2 that slices
 *	may have written to since the last call, or since they were mapped for writing. Slices may
 *	run with it: what they write before it returns may count to it alone. Nobody maps or unmaps
 *	anything in the range. No lock is held
 * @as_dirty: optional, with @as_dirty_end: as tess_as_dirty(); the range is checked. No lock held
 * @as_dirty_end: as tess_as_dirty_end(). No lock is held
 *
 * @ring_alloc: allocate a ring that is on no slice. No lock is held. Error pointer: -ENOMEM
 * @ring_start: enable a ring on a slice that is reset or was left by ring_destroy(); or, with @ctx
 *	(empty), leave the slice alone and make of @ctx the context of a client that has this ring
 *	enabled. Once for each ring. Allocates nothing: fences may wait for tess_slice.hw. -EIO,
 *	-ENODEV: the slice makes no access for the ring
 * @ring_destroy: stop the slice's client, if the ring is not parked, drop its work, free the
 *	ring. On return the slice makes no access for the ring or its jobs. Allocates nothing
 * @ring_submit: put job number @seq in the ring (there is room). The core holds a spinlock of
 *	the ring with interrupts off. On an error it is not there, and the next job gets this number
 * @ring_kick: jobs up to @seq are in the ring; called as ring_submit()
 * @ring_completed: number of the last job that is complete, 0 at first. What jobs up to this one
 *	wrote can be read on return. The GPU may lie: the core bears any number. Any context, no
 *	access to the device
 * @ring_arm: have the completion interrupt raised when the number of completed jobs reaches @seq,
 *	once; replaces what was armed before. Other interrupts may come. Return: as ring_completed()
 *	afterwards, so that either it is at @seq, or the interrupt comes. A full barrier in between.
 *	Any context, no access to the device
 * @ring_job: the job that a packet of the ring is of. Atomic
 * @ring_recover: as tess_ring_recover(), of the jobs up to @last. @saved: the ring is parked,
 *	with this context; NULL: it is on the slice. @seq 0: no job is dropped. After a fault
 *	DRM_TESSERA_CAUSE_CONTEXT_LOST the ring goes on behind its last completion. May sleep;
 *	other jobs may be put in the ring meanwhile, which are kicked after it. -EALREADY
 * @ring_spent: as tess_ring_spent(), with the ring's BUSY counter now. Any context
 * @ring_usage: busy cycles of a job from memory, as tess_ring_usage(), called as
 *	ring_submit()
 * @ring_hint: optional: a job that was put in the ring completes so many pictures, and its client
 *	asked for so many operations: for whoever gave this GPU to this machine. Called as
 *	ring_submit()
 *
 * @regs: registers for VMs; NULL: it has none, which goes with a GPU without @slice_stage2
 * @switching: exchange of clients; NULL: it cannot, and slices are not shared
 * @display: display heads; NULL: it has none
 */
struct tess_backend_ops {
	u64 (*time)(struct tess_backend *be);
	void (*rates)(struct tess_backend *be, unsigned int slice, struct tess_slice_rates *rates);

	int (*slice_reset)(struct tess_backend *be, unsigned int slice);
	void (*cut)(struct tess_backend *be);
	void (*lost)(struct tess_backend *be);
	int (*slice_setup)(struct tess_backend *be, unsigned int slice,
			   const struct tess_slice_setup *setup);
	int (*slice_stage2)(struct tess_backend *be, unsigned int slice, struct tess_hw_as *as);
	int (*client_get)(struct tess_backend *be, unsigned int slice,
			  enum tess_client_value what, u64 *val);
	int (*counters)(struct tess_backend *be, unsigned int slice, bool total,
			u64 counters[TESS_COUNTS]);
	void (*kick)(struct tess_backend *be, unsigned int slice, u64 wptr);
	phys_addr_t (*doorbell)(struct tess_backend *be, unsigned int slice);

	bool (*completion_take)(struct tess_backend *be, unsigned int slice);
	u64 (*fault_pending)(struct tess_backend *be);
	u64 (*host_fault_pending)(struct tess_backend *be);
	bool (*fault_read)(struct tess_backend *be, unsigned int slice, struct tess_fault *fault);
	bool (*host_fault_read)(struct tess_backend *be, unsigned int slice,
				struct tess_host_fault *hf);
	void (*host_fault_ack)(struct tess_backend *be, unsigned int slice, bool resume);

	struct tess_hw_vram *(*vram_alloc)(struct tess_backend *be, u64 size, int near_slice,
					   bool contiguous);
	void (*vram_free)(struct tess_backend *be, struct tess_hw_vram *vram);
	int (*vram_clear)(struct tess_backend *be, struct tess_hw_vram *vram);
	int (*vram_zero)(struct tess_backend *be, u64 offset, u64 size);
	int (*vram_read)(struct tess_backend *be, u64 offset, void *buf, size_t len);
	int (*vram_write)(struct tess_backend *be, u64 offset, const void *buf, size_t len);
	u64 (*vram_free_bytes)(struct tess_backend *be, u64 granule);

	struct tess_hw_as *(*as_create)(struct tess_backend *be, enum tess_as_stage stage);
	void (*as_destroy)(struct tess_hw_as *as);
	int (*as_map)(struct tess_hw_as *as, u64 va, u64 pa, u64 size, u32 prot);
	int (*as_unmap)(struct tess_hw_as *as, u64 va, u64 size, unsigned long *dirty);
	void (*as_written)(struct tess_hw_as *as, u64 va, u64 size, unsigned long *blocks);
	void (*as_dirty)(struct tess_hw_as *as, u64 va, u64 size, unsigned long *pages);
	void (*as_dirty_end)(struct tess_hw_as *as);

	struct tess_hw_ring *(*ring_alloc)(struct tess_backend *be);
	int (*ring_start)(struct tess_backend *be, struct tess_hw_ring *ring, unsigned int slice,
			  struct tess_hw_context *ctx);
	void (*ring_destroy)(struct tess_backend *be, struct tess_hw_ring *ring);
	int (*ring_submit)(struct tess_backend *be, struct tess_hw_ring *ring, u64 seq,
			   struct tess_hw_as *as, u64 cmd, u32 count);
	void (*ring_kick)(struct tess_backend *be, struct tess_hw_ring *ring, u64 seq);
	u64 (*ring_completed)(const struct tess_hw_ring *ring);
	u64 (*ring_arm)(struct tess_hw_ring *ring, u64 seq);
	u64 (*ring_job)(const struct tess_hw_ring *ring, u64 packet);
	int (*ring_recover)(struct tess_backend *be, struct tess_hw_ring *ring,
			    struct tess_hw_context *saved, u64 seq, u64 last,
			    bool (*cancel)(void *data, u64 seq), void *data);
	u64 (*ring_spent)(const struct tess_hw_ring *ring, u64 seq, u64 busy);
	u64 (*ring_usage)(struct tess_backend *be, struct tess_hw_ring *ring, u64 seq);
	void (*ring_hint)(struct tess_hw_ring *ring, u32 frames, u64 operations);

	const struct tess_reg_ops *regs;
	const struct tess_switch_ops *switching;
	const struct tess_display_ops *display;
};

/**
 * tess_gpu_register() - put a GPU in the pool
 * @be: back-end, ready for all ops, interrupts may come
 * @info: of the GPU, copied; @info->index is ignored
 * @slices: @info->slice_count entries, copied; kind TESS_KIND_NONE: cannot be used now
 *
 * All slices are reset. Front-ends are told before it returns.
 *
 * Return: 0; -EINVAL an op is missing or @info is nonsense (the kernel log says what); -ENOMEM; or
 * the error of a slice's reset if none can be used.
 */
int tess_gpu_register(struct tess_backend *be, const struct tess_gpu_info *info,
		      const struct tess_slice_info *slices);

/**
 * tess_gpu_drain() - a GPU is to leave the pool, and still works
 * @be: registered back-end; tess_gpu_unregister() follows in any case
 *
 * Front-ends move to other GPUs what these can have (gpu_drain()). Everything may be called
 * meanwhile, and interrupts are delivered. If the GPU stops to answer, that ends early.
 */
void tess_gpu_drain(struct tess_backend *be);

/**
 * tess_gpu_wedged() - a GPU that was lost does not come back by itself
 * @be: registered back-end whose op lost() was called
 *
 * Front-ends tell user space (gpu_wedged()). Process context.
 */
void tess_gpu_wedged(struct tess_backend *be);

/**
 * tess_gpu_unregister() - take a GPU out of the pool
 * @be: registered back-end; its interrupt handlers call the core no more
 *
 * Clients are told (gone()), front-ends leave the GPU, all slices are reset and all
 * objects of the back-end (page tables, rings, memory) are destroyed through its ops.
 * On return no op runs or will be called.
 */
void tess_gpu_unregister(struct tess_backend *be);

/**
 * tess_gpu_lost() - the device does not answer any more
 * @gpu: GPU
 *
 * Clients are told from a worker; tess_gpu_unregister() must follow in any case. Any
 * context, any number of times.
 */
void tess_gpu_lost(struct tess_gpu *gpu);

/**
 * tess_gpu_suspend() - the GPU is about to lose its power
 * @be: registered back-end
 *
 * All clients are parked, contexts and rings are in memory of the host, and the slices are reset.
 * On return no op is under way that does not know that, and the back-end saves its VRAM and
 * whatever else it has. Tasks of user space are frozen before. The GPU may be unregistered without
 * having been resumed.
 *
 * Process context.
 *
 * Return: 0; -EOPNOTSUPP the GPU cannot switch clients; -EBUSY one cannot be parked; -ENOMEM;
 * -EIO a slice does not stop; -ENODEV. On an error all goes on.
 */
int tess_gpu_suspend(struct tess_backend *be);

/**
 * tess_gpu_crashed() - the GPU forgot its clients, and may come back
 * @be: registered back-end, that answers nothing and accesses no memory
 *
 * As tess_gpu_suspend(), but that whoever was on a slice has lost what was in progress: that
 * client finds a fault DRM_TESSERA_CAUSE_CONTEXT_LOST when it goes on. Those that were parked lose
 * nothing.
 *
 * Process context.
 *
 * Return: 0; -EOPNOTSUPP the GPU cannot switch clients; -EBUSY one cannot be parked; -ENOMEM;
 * -ENODEV. On an error the GPU has to be unregistered.
 */
int tess_gpu_crashed(struct tess_backend *be);

/**
 * tess_gpu_resume() - the GPU is back
 * @be: registered back-end that was suspended, or crashed: all slices are as after slice_reset(),
 *	VRAM has its contents, and time goes on from where it stood
 *
 * All clients go on. If the GPU did not come back, tess_gpu_lost() is called before.
 */
void tess_gpu_resume(struct tess_backend *be);

/**
 * tess_gpu_in_use() - has a client other than the host's own a slice?
 * @gpu: GPU
 *
 * Return: true if one has.
 */
bool tess_gpu_in_use(struct tess_gpu *gpu);

/**
 * tess_gpu_completion_irq() - the completion vector was raised
 * @gpu: GPU
 *
 * Hard interrupt context; not concurrently for one GPU.
 */
void tess_gpu_completion_irq(struct tess_gpu *gpu);

/**
 * tess_gpu_fault_irq() - the fault vector was raised
 * @gpu: GPU
 *
 * Process context (threaded handler). Work is done per slice elsewhere.
 */
void tess_gpu_fault_irq(struct tess_gpu *gpu);

/**
 * tess_gpu_slice_event() - a slice reports what notify() or exchange() of tess_switch_ops armed
 * @gpu: GPU
 * @slice: number, below slice_count
 * @events: TESS_SLICE_EVENT_*
 *
 * Any context. Work is done elsewhere. Too many reports do no harm.
 */
void tess_gpu_slice_event(struct tess_gpu *gpu, unsigned int slice, u32 events);

/**
 * tess_gpu_reconfigure() - the slices of the GPU changed (the GPU is a vGPU)
 * @gpu: GPU
 * @slices: as in tess_gpu_register(), the same number
 *
 * Process context, does not wait for clients. Who has a slice keeps it, with its ring and
 * all work on it, also when its kind changes or becomes TESS_KIND_NONE: that work runs to
 * its end, and nobody else gets the slice. What is free and there goes to the elastic
 * client. All are told by config().
 */
void tess_gpu_reconfigure(struct tess_gpu *gpu, const struct tess_slice_info *slices);

#endif
