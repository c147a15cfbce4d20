// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of kernel clients.
 *
 * DOC: rings
 *
 * A job is always the same number of packets, so that job n starts at packet
 * (n - 1) * JOB_PACKETS, and a read index tells which job it is in:
 *
 *	TIMESTAMP	counters before, to the job's slot
 *	SET_VM		address space of the process
 *	INDIRECT	its packets
 *	SET_VM		none: what follows is by bus address again
 *	TIMESTAMP	counters after
 *	FENCE		number n to the completion record
 *
 * To drop a job in which the ring stands, the read index is moved to the SET_VM behind
 * INDIRECT: the GPU then reports the number itself and no number is ever written by two.
 * To drop one that has not been reached, its INDIRECT becomes a NOP.
 */
#include <drm/tessera_packet.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <tessera/hw/tess_mem.h>

#include "base/chip.h"
#include "context.h"
#include "mem/as.h"
#include "mem/pt.h"
#include "ring.h"

#define RING_LOG2	9
#define RING_PACKETS	BIT(RING_LOG2)

enum job_packet {
	JOB_START,
	JOB_SET_VM,
	JOB_INDIRECT,
	JOB_UNSET_VM,
	JOB_END,
	JOB_FENCE,
	JOB_PACKETS,
};

#define RING_JOBS	(RING_PACKETS / JOB_PACKETS)

/**
 * union ring_packet - a packet of the ring
 * @raw: all of it
 * @set_vm: SET_VM
 * @indirect: INDIRECT
 * @timestamp: TIMESTAMP
 * @fence: FENCE
 */
union ring_packet {
	u8 raw[DRM_TESSERA_PKT_SIZE];
	struct tess_pkt_set_vm set_vm;
	struct tess_pkt_indirect indirect;
	struct tess_pkt_timestamp timestamp;
	struct tess_pkt_fence fence;
};

/**
 * struct ring_slot - counters around a job
 * @start: before
 * @end: after
 */
struct ring_slot {
	struct tess_counter_block start;
	struct tess_counter_block end;
};

/**
 * struct ring_memory - what the GPU accesses
 * @packets: ring
 * @rec: completion record
 * @slots: job n's is number n modulo RING_JOBS
 */
struct ring_memory {
	union ring_packet packets[RING_PACKETS];
	struct tess_completion_record rec;
	struct ring_slot slots[RING_JOBS];
};

static_assert(IS_ALIGNED(offsetof(struct ring_memory, rec), TESS_COMPLETION_RECORD_SIZE));

/**
 * struct tess_chip_ring - a ring
 * @hw: for the core
 * @mem: shared with the GPU
 * @dma: its bus address
 * @turns: it can be parked
 * @vm: number of the address space of the last job
 */
struct tess_chip_ring {
	struct tess_hw_ring hw;
	struct ring_memory *mem;
	dma_addr_t dma;
	bool turns;
	u64 vm;
};

static struct tess_chip_ring *to_ring(struct tess_hw_ring *hw)
{
	return container_of(hw, struct tess_chip_ring, hw);
}

/* ---- jobs ---- */

static union ring_packet *job_packet(struct tess_chip_ring *ring, u64 seq, enum job_packet n)
{
	u64 index = (seq - 1) * JOB_PACKETS + n;

	return &ring->mem->packets[index % RING_PACKETS];
}

static struct ring_slot *job_slot(struct tess_chip_ring *ring, u64 seq)
{
	return &ring->mem->slots[seq % RING_JOBS];
}

/* Bus address of a part of the ring's memory */
static u64 part_dma(struct tess_chip_ring *ring, const void *part)
{
	return ring->dma + (part - (const void *)ring->mem);
}

static void put_timestamp(union ring_packet *p, u64 address)
{
	p->timestamp = (struct tess_pkt_timestamp){
		.header = cpu_to_le16(DRM_TESSERA_PKT_TIMESTAMP),
		.flags = cpu_to_le16(DRM_TESSERA_TIMESTAMP_COUNTERS),
		.address = cpu_to_le64(address),
	};
}

static void put_set_vm(union ring_packet *p, const struct tess_chip_as *as, bool flush)
{
	p->set_vm = (struct tess_pkt_set_vm){
		.header = cpu_to_le16(DRM_TESSERA_PKT_SET_VM),
		.flags = cpu_to_le16(flush ? DRM_TESSERA_SET_VM_FLUSH : 0),
		.asid = cpu_to_le16(as ? as->asid : 0),
		.root = cpu_to_le64(as ? tess_chip_as_root(as) : 0),
	};
}

static void put_indirect(union ring_packet *p, u64 cmd, u32 count)
{
	p->indirect = (struct tess_pkt_indirect){
		.header = cpu_to_le16(DRM_TESSERA_PKT_INDIRECT),
		.count = cpu_to_le32(count),
		.address = cpu_to_le64(cmd),
	};
}

static void put_fence(union ring_packet *p, u64 seq)
{
	p->fence = (struct tess_pkt_fence){
		.header = cpu_to_le16(DRM_TESSERA_PKT_FENCE),
		.flags = cpu_to_le16(DRM_TESSERA_FENCE_IRQ),
		.seq = cpu_to_le64(seq),
	};
}

static void put_nop(union ring_packet *p)
{
	memset(p, 0, sizeof(*p));
	p->fence.header = cpu_to_le16(DRM_TESSERA_PKT_NOP);
}

/*
 * Must translations be dropped before a job? Those of an address space that had the id before may
 * be there. A ring that takes turns finds none but its own; but which one of the rings of a slice
 * is the first to use the id is not known in advance.
 */
static bool job_flushes(struct tess_chip_ring *ring, struct tess_chip_as *as)
{
	bool stale = tess_chip_as_use(as, ring->hw.slice), other = ring->vm != as->number;

	ring->vm = as->number;
	return stale || (ring->turns && other);
}

int tess_chip_ring_submit(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq,
			  struct tess_hw_as *hw_as, u64 cmd, u32 count)
{
	struct tess_chip_as *as = to_tess_chip_as(hw_as);
	struct tess_chip_ring *ring = to_ring(hw);
	struct ring_slot *slot = job_slot(ring, seq);
	bool flush = job_flushes(ring, as);

	memset(slot, 0, sizeof(*slot));
	put_timestamp(job_packet(ring, seq, JOB_START), part_dma(ring, &slot->start));
	put_set_vm(job_packet(ring, seq, JOB_SET_VM), as, flush);
	put_indirect(job_packet(ring, seq, JOB_INDIRECT), cmd, count);
	put_set_vm(job_packet(ring, seq, JOB_UNSET_VM), NULL, false);
	put_timestamp(job_packet(ring, seq, JOB_END), part_dma(ring, &slot->end));
	put_fence(job_packet(ring, seq, JOB_FENCE), seq);
	return 0;
}

/* The only one that writes there; the host of a vGPU reads it */
void tess_chip_ring_hint(struct tess_hw_ring *hw, u32 frames, u64 operations)
{
	struct tess_completion_record *rec = &to_ring(hw)->mem->rec;

	WRITE_ONCE(rec->frames, cpu_to_le64(le64_to_cpu(rec->frames) + frames));
	WRITE_ONCE(rec->operations, cpu_to_le64(le64_to_cpu(rec->operations) + operations));
}

void tess_chip_ring_kick(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq)
{
	dma_wmb();
	be->ops->kick(be, hw->slice, seq * JOB_PACKETS);
}

u64 tess_chip_ring_completed(const struct tess_hw_ring *hw)
{
	const struct tess_chip_ring *ring = container_of_const(hw, struct tess_chip_ring, hw);
	u64 seq = le64_to_cpu(READ_ONCE(ring->mem->rec.seq));

	/* What the job wrote is read after its number */
	virt_rmb();
	return seq;
}

u64 tess_chip_ring_arm(struct tess_hw_ring *hw, u64 seq)
{
	WRITE_ONCE(to_ring(hw)->mem->rec.event, cpu_to_le64(seq));
	/* Pairs with the GPU, which writes seq, then reads event */
	virt_mb();
	return tess_chip_ring_completed(hw);
}

static u64 slot_cycles(const struct ring_slot *slot, u64 end)
{
	u64 start = le64_to_cpu(READ_ONCE(slot->start.busy));

	/* GPU time is never 0: without it the job has not begun */
	return READ_ONCE(slot->start.time) && end > start ? end - start : 0;
}

u64 tess_chip_ring_usage(struct tess_backend *be, struct tess_hw_ring *hw, u64 seq)
{
	const struct ring_slot *slot = job_slot(to_ring(hw), seq);

	return slot_cycles(slot, le64_to_cpu(READ_ONCE(slot->end.busy)));
}

static u64 read_busy(struct tess_chip *chip, unsigned int slice)
{
	return tess_chip_read64(chip, TESS_CLIENT_PAGE(slice),
			       TESS_SREG_COUNTERS + TESS_COUNTER_BUSY);
}

u64 tess_chip_ring_spent(const struct tess_hw_ring *hw, u64 seq, u64 busy)
{
	const struct tess_chip_ring *ring = container_of_const(hw, struct tess_chip_ring, hw);

	return slot_cycles(&ring->mem->slots[seq % RING_JOBS], busy);
}

u64 tess_chip_ring_job(const struct tess_hw_ring *hw, u64 packet)
{
	return packet / JOB_PACKETS + 1;
}

/* ---- recovery ---- */

/**
 * struct recovery - arguments of tess_chip_ring_recover()
 * @seq: job to drop; 0: none
 * @last: last one that is in the ring
 * @cancel: is one behind @seq to do nothing? May be NULL
 * @data: for @cancel
 */
struct recovery {
	u64 seq;
	u64 last;
	bool (*cancel)(void *data, u64 seq);
	void *data;
};

/* The ring stands in the job @head: what it has fetched of it can't be changed */
static void cancel_jobs(struct tess_chip_ring *ring, const struct recovery *r, u64 head)
{
	u64 seq;

	for (seq = max(r->seq, head) + 1; r->cancel && seq <= r->last; seq++)
		if (r->cancel(r->data, seq))
			put_nop(job_packet(ring, seq, JOB_INDIRECT));
}

/* Where to go on, with the ring stopped at @rptr; -EALREADY if @seq is past its work */
static int drop_job(struct tess_chip_ring *ring, u64 seq, bool faulted, u64 *rptr)
{
	u64 head = *rptr / JOB_PACKETS + 1;
	enum job_packet at = *rptr % JOB_PACKETS;
	u64 base = (seq - 1) * JOB_PACKETS;

	if (seq < head)
		return -EALREADY;
	if (seq > head) {
		put_nop(job_packet(ring, seq, JOB_INDIRECT));
		return 0;
	}
	if (at > JOB_INDIRECT && !faulted)
		return -EALREADY;
	if (at <= JOB_INDIRECT)
		*rptr = base + JOB_UNSET_VM;
	else
		*rptr = base + max_t(unsigned int, at + 1, JOB_FENCE);
	return 0;
}

/*
 * The ring is stopped at @rptr, with its BUSY counter at @busy: make it ready to go on. The core
 * charges for the job before the GPU gets to its second TIMESTAMP, which writes nearly the same.
 */
static int recover_jobs(struct tess_chip_ring *ring, const struct recovery *r, bool faulted,
			u64 busy, u64 *rptr)
{
	u64 at = *rptr;
	int rc = 0;

	if (r->seq)
		rc = drop_job(ring, r->seq, faulted, rptr);
	if (*rptr != at)
		WRITE_ONCE(job_slot(ring, r->seq)->end.busy, cpu_to_le64(busy));
	cancel_jobs(ring, r, at / JOB_PACKETS + 1);
	dma_wmb();
	return rc;
}

/* Of a ring that is not where its registers say. It completes jobs in their order */
static u64 recover_lost(const struct tess_chip_ring *ring)
{
	return le64_to_cpu(READ_ONCE(ring->mem->rec.seq)) * JOB_PACKETS;
}

static void ring_write(struct tess_chip *chip, struct tess_chip_ring *ring)
{
	u32 page = TESS_CLIENT_PAGE(ring->hw.slice);

	tess_chip_write64(chip, page, TESS_SREG_RING_BASE, ring->dma);
	tess_chip_write32(chip, page, TESS_SREG_RING_LOG2, RING_LOG2);
	tess_chip_write64(chip, page, TESS_SREG_COMPLETION, part_dma(ring, &ring->mem->rec));
}

static int recover_resident(struct tess_chip *chip, struct tess_chip_ring *ring,
			    const struct recovery *r)
{
	u32 page = TESS_CLIENT_PAGE(ring->hw.slice);
	bool faulted, lost;
	u64 rptr, to;
	u32 status;
	int rc;

	tess_chip_write32(chip, page, TESS_SREG_CONTROL, 0);
	status = tess_chip_read32(chip, page, TESS_SREG_STATUS);
	rptr = tess_chip_read64(chip, page, TESS_SREG_RPTR);
	faulted = status & TESS_STATUS_FAULTED;
	lost = faulted && tess_chip_read32(chip, page, TESS_SREG_FAULT_CAUSE) ==
			  DRM_TESSERA_CAUSE_CONTEXT_LOST;
	if (!tess_chip_is_alive(chip))
		return -ENODEV;
	if (faulted)
		tess_chip_write32(chip, page, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_ABORT);

	to = lost ? recover_lost(ring) : rptr;
	rc = recover_jobs(ring, r, faulted, read_busy(chip, ring->hw.slice), &to);
	if (lost) {
		ring_write(chip, ring);
		tess_chip_write64(chip, page, TESS_SREG_WPTR, r->last * JOB_PACKETS);
	}
	if (to != rptr)
		tess_chip_write64(chip, page, TESS_SREG_RPTR, to);
	tess_chip_write32(chip, page, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	return rc;
}

/* What is in the middle of a job is left alone, unless that is the one that faulted */
static int recover_saved(struct tess_chip *chip, struct tess_chip_ring *ring,
			 struct tess_chip_context *ctx, const struct recovery *r)
{
	bool faulted = tess_chip_context_reg(ctx, TESS_SREG_STATUS, 4) & TESS_STATUS_FAULTED;
	u64 busy = tess_chip_context_reg(ctx, TESS_SREG_COUNTERS + TESS_COUNTER_BUSY, 8);
	u64 rptr = tess_chip_context_reg(ctx, TESS_SREG_RPTR, 8), to = rptr;
	int rc;

	if (faulted && tess_chip_context_reg(ctx, TESS_SREG_FAULT_CAUSE, 4) ==
		       DRM_TESSERA_CAUSE_CONTEXT_LOST) {
		to = recover_lost(ring);
		tess_chip_context_put_ring(ctx, ring->dma, RING_LOG2,
					   part_dma(ring, &ring->mem->rec));
	}
	rc = recover_jobs(ring, r, faulted, busy, &to);
	if (faulted || to != rptr)
		tess_chip_context_restart(chip, ring->hw.slice, ctx, to, r->last * JOB_PACKETS);
	return rc;
}

int tess_chip_ring_recover(struct tess_backend *be, struct tess_hw_ring *hw,
			   struct tess_hw_context *saved, u64 seq, u64 last,
			  bool (*cancel)(void *data, u64 seq), void *data)
{
	const struct recovery r = { .seq = seq, .last = last, .cancel = cancel, .data = data };
	struct tess_chip *chip = to_tess_chip(be);

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	return saved ? recover_saved(chip, to_ring(hw), to_tess_chip_context(saved), &r) :
		       recover_resident(chip, to_ring(hw), &r);
}

/* ---- life ---- */

static int ring_enable(struct tess_chip *chip, struct tess_chip_ring *ring)
{
	u32 page = TESS_CLIENT_PAGE(ring->hw.slice), status;

	if (READ_ONCE(chip->dead))
		return -ENODEV;
	tess_chip_write32(chip, page, TESS_SREG_RESET, 1);
	tess_chip_write32(chip, page, TESS_SREG_TLB_INVALIDATE, 1);
	ring_write(chip, ring);
	tess_chip_write32(chip, page, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
	status = tess_chip_read32(chip, page, TESS_SREG_STATUS);
	if (!tess_chip_is_alive(chip))
		return -ENODEV;
	return status & TESS_STATUS_ENABLED ? 0 : -EIO;
}

static void ring_stop(struct tess_chip *chip, unsigned int slice)
{
	u32 page = TESS_CLIENT_PAGE(slice);

	if (READ_ONCE(chip->dead))
		return;
	tess_chip_write32(chip, page, TESS_SREG_RESET, 1);
	tess_chip_write32(chip, page, TESS_SREG_TLB_INVALIDATE, 1);
	/* Posted: an answer means that nothing of the ring is accessed any more */
	tess_chip_is_alive(chip);
}

struct tess_hw_ring *tess_chip_ring_alloc(struct tess_backend *be)
{
	struct tess_chip_ring *ring;

	ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return ERR_PTR(-ENOMEM);
	ring->mem = dma_alloc_coherent(be->dev, sizeof(*ring->mem), &ring->dma, GFP_KERNEL);
	if (!ring->mem) {
		kfree(ring);
		return ERR_PTR(-ENOMEM);
	}
	ring->hw.capacity = RING_JOBS;
	ring->hw.parked = true;
	return &ring->hw;
}

int tess_chip_ring_start(struct tess_backend *be, struct tess_hw_ring *hw, unsigned int slice,
			 struct tess_hw_context *ctx)
{
	struct tess_chip *chip = to_tess_chip(be);
	struct tess_chip_ring *ring = to_ring(hw);
	int rc;

	ring->turns = ctx;
	hw->slice = slice;
	if (ctx) {
		tess_chip_context_start(chip, slice, to_tess_chip_context(ctx), ring->dma,
					RING_LOG2, part_dma(ring, &ring->mem->rec));
		return 0;
	}
	rc = ring_enable(chip, ring);
	if (rc)
		ring_stop(chip, slice);
	return rc;
}

void tess_chip_ring_destroy(struct tess_backend *be, struct tess_hw_ring *hw)
{
	struct tess_chip_ring *ring = to_ring(hw);

	if (!hw->parked)
		ring_stop(to_tess_chip(be), hw->slice);
	dma_free_coherent(be->dev, sizeof(*ring->mem), ring->mem, ring->dma);
	kfree(ring);
}
