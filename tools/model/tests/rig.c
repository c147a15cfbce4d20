// SPDX-License-Identifier: GPL-2.0-or-later
/* The bench of rig.h. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *rig_dma_ptr(void *opaque, uint64_t addr, uint64_t len, int prot)
{
	struct rig *r = opaque;

	if (r->on_dma)
		r->on_dma(r, addr, prot & PROT_WRITE);
	if (r->no_dma || (r->read_only && prot & PROT_WRITE))
		return NULL;
	if (addr < RIG_SYS || addr - RIG_SYS > RIG_SYS_SIZE - len)
		return NULL;
	return r->sys + (addr - RIG_SYS);
}

static void rig_irq(void *opaque, unsigned int vector)
{
	struct rig *r = opaque;

	r->irqs[vector]++;
}

static struct rig *make(enum rig_fault fault, unsigned int slice, uint32_t times,
			unsigned int threads)
{
	struct rig *r = calloc(1, sizeof(*r));
	struct gpu_desc d = {
		.nr_slices = RIG_SLICES,
		.threads = threads,
		.kinds = { TESS_KIND_COMPUTE, TESS_KIND_RENDER, TESS_KIND_MIXED,
			   TESS_KIND_COMPUTE },
		.bank_size = RIG_BANK,
		.vram_fd = -1,
		.bus = { .dma_ptr = rig_dma_ptr, .irq = rig_irq, .opaque = r },
	};

	if (r) {
		r->vram = aligned_alloc(TESS_PAGE_SIZE, RIG_SLICES * RIG_BANK);
		/* Pages that a test does not touch cost nothing. */
		r->sys = calloc(1, RIG_SYS_SIZE);
		d.vram = r->vram;
		switch (fault) {
		case RIG_STUCK:
			d.stuck[slice] = times;
			break;
		case RIG_DAMAGE:
			d.damage[slice] = times;
			break;
		case RIG_REFUSE:
			d.refuse[slice] = times;
			break;
		}
		r->gpu = r->sys ? gpu_create(&d) : NULL;
	}
	if (!r || !r->gpu) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	r->tables = RIG_TABLES;
	for (unsigned int n = 0; n < RIG_SLICES; n++)
		rig_ring(r, n);
	return r;
}

static unsigned int default_threads(void)
{
	const char *n = getenv("TESSERA_THREADS");

	return n ? (unsigned int)strtoul(n, NULL, 10) : 1;
}

struct rig *rig_new(void)
{
	return rig_new_faulty(RIG_STUCK, 0, 0);
}

struct rig *rig_new_threads(unsigned int threads)
{
	return make(RIG_STUCK, 0, 0, threads);
}

struct rig *rig_new_faulty(enum rig_fault fault, unsigned int slice, uint32_t times)
{
	return make(fault, slice, times, default_threads());
}

void rig_free(struct rig *r)
{
	gpu_destroy(r->gpu);
	free(r->vram);
	free(r->sys);
	free(r);
}

void rig_ring(struct rig *r, unsigned int n)
{
	r->wptr[n] = 0;
	sreg_write64(r, n, TESS_SREG_RING_BASE, RIG_RING(n));
	sreg_write(r, n, TESS_SREG_RING_LOG2, RIG_LOG2);
	sreg_write64(r, n, TESS_SREG_COMPLETION, RIG_RECORD(n));
	sreg_write(r, n, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
}

void *rig_mem(struct rig *r, uint64_t pa)
{
	return pa >= TESS_PA_VRAM ? r->vram + (pa - TESS_PA_VRAM) : r->sys + (pa - RIG_SYS);
}

uint64_t rig_read64(struct rig *r, uint64_t pa)
{
	uint64_t val;

	memcpy(&val, rig_mem(r, pa), sizeof(val));
	return val;
}

void rig_write64(struct rig *r, uint64_t pa, uint64_t val)
{
	memcpy(rig_mem(r, pa), &val, sizeof(val));
}

uint64_t sreg(struct rig *r, unsigned int n, uint32_t reg)
{
	return gpu_reg_read(r->gpu, TESS_CLIENT_PAGE(n) + reg, 4);
}

uint64_t sreg64(struct rig *r, unsigned int n, uint32_t reg)
{
	return gpu_reg_read(r->gpu, TESS_CLIENT_PAGE(n) + reg, 8);
}

void sreg_write(struct rig *r, unsigned int n, uint32_t reg, uint64_t val)
{
	gpu_reg_write(r->gpu, TESS_CLIENT_PAGE(n) + reg, val, 4);
}

void sreg_write64(struct rig *r, unsigned int n, uint32_t reg, uint64_t val)
{
	gpu_reg_write(r->gpu, TESS_CLIENT_PAGE(n) + reg, val, 8);
}

uint64_t hreg(struct rig *r, unsigned int n, uint32_t reg)
{
	return gpu_reg_read(r->gpu, TESS_HOST_PAGE(n) + reg, 4);
}

uint64_t hreg64(struct rig *r, unsigned int n, uint32_t reg)
{
	return gpu_reg_read(r->gpu, TESS_HOST_PAGE(n) + reg, 8);
}

void hreg_write(struct rig *r, unsigned int n, uint32_t reg, uint64_t val)
{
	gpu_reg_write(r->gpu, TESS_HOST_PAGE(n) + reg, val, 4);
}

void hreg_write64(struct rig *r, unsigned int n, uint32_t reg, uint64_t val)
{
	gpu_reg_write(r->gpu, TESS_HOST_PAGE(n) + reg, val, 8);
}

uint64_t greg64(struct rig *r, uint32_t reg)
{
	return gpu_reg_read(r->gpu, reg, 8);
}

uint64_t counter(struct rig *r, unsigned int n, uint32_t c)
{
	return sreg64(r, n, TESS_SREG_COUNTERS + c);
}

void rig_push(struct rig *r, unsigned int n, const void *pkt)
{
	uint64_t i = r->wptr[n]++ & ((1 << RIG_LOG2) - 1);

	memcpy(rig_mem(r, RIG_RING(n) + i * DRM_TESSERA_PKT_SIZE), pkt, DRM_TESSERA_PKT_SIZE);
}

void rig_doorbell(struct rig *r, unsigned int n)
{
	gpu_reg_write(r->gpu, TESS_DOORBELL_PAGE(n), r->wptr[n], 8);
}

unsigned int rig_run(struct rig *r, unsigned int max)
{
	unsigned int steps = 0;

	while (steps < max && gpu_get_state(r->gpu) == GPU_RUNNING) {
		gpu_step(r->gpu, GPU_STEP_CYCLES);
		steps++;
	}
	return steps;
}

unsigned int rig_fault(struct rig *r, unsigned int n)
{
	if (!(sreg(r, n, TESS_SREG_STATUS) & TESS_STATUS_FAULTED))
		return 0;
	return (unsigned int)sreg(r, n, TESS_SREG_FAULT_CAUSE) + 1;
}

unsigned int rig_do(struct rig *r, unsigned int n, const void *pkt)
{
	rig_push(r, n, pkt);
	rig_doorbell(r, n);
	rig_run(r, 10000);
	return rig_fault(r, n);
}

void rig_recover(struct rig *r, unsigned int n)
{
	sreg_write(r, n, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_ABORT);
	sreg_write(r, n, TESS_SREG_CONTROL, 0);
	sreg_write64(r, n, TESS_SREG_RPTR, r->wptr[n]);
	sreg_write64(r, n, TESS_SREG_WPTR, r->wptr[n]);
	sreg_write(r, n, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
}

unsigned int rig_try(struct rig *r, unsigned int n, const void *pkt)
{
	unsigned int fault = rig_do(r, n, pkt);

	if (fault)
		rig_recover(r, n);
	return fault;
}

uint64_t rig_table(struct rig *r, unsigned int pages)
{
	uint64_t size = pages * (uint64_t)TESS_PAGE_SIZE;
	uint64_t table = (r->tables + size - 1) / size * size;

	r->tables = table + size;
	memset(rig_mem(r, table), 0, size);
	return table;
}

uint64_t rig_map(struct rig *r, uint64_t root, uint64_t va, uint64_t pa, uint64_t flags,
		 unsigned int level)
{
	uint64_t table = root;

	for (unsigned int l = TESS_PT_LEVELS - 1;; l--) {
		/* The root of stage 2 is indexed by the bits above, which are 0 in Sv39. */
		uint64_t index = l == 2 ? va >> 30 : va >> TESS_PT_SHIFT(l) & 511;
		uint64_t pte = table + index * 8;

		if (l == level) {
			rig_write64(r, pte, pa >> 12 << 10 | flags);
			return pte;
		}
		if (!rig_read64(r, pte))
			rig_write64(r, pte, rig_table(r, 1) >> 12 << 10 | TESS_PTE_V);
		table = rig_read64(r, pte) >> 10 << 12;
	}
}

void rig_map_range(struct rig *r, uint64_t root, uint64_t va, uint64_t pa, unsigned int pages)
{
	for (uint64_t off = 0; off < pages * (uint64_t)TESS_PAGE_SIZE; off += TESS_PAGE_SIZE)
		rig_map(r, root, va + off, pa + off, PTE_ALL, 0);
}

void rig_set_vm(struct rig *r, unsigned int n, uint64_t root)
{
	struct tess_pkt_set_vm p = pkt_set_vm(root, 1, DRM_TESSERA_SET_VM_FLUSH);

	rig_do(r, n, &p);
}

uint64_t rig_stage2(struct rig *r, unsigned int n)
{
	uint64_t root = rig_table(r, 4);

	for (uint64_t off = 0; off < RIG_SYS_SIZE; off += 2ULL << 20)
		rig_map(r, root, RIG_SYS + off, RIG_SYS + off, PTE_ALL, 1);
	for (uint64_t off = 0; off < RIG_SLICES * RIG_BANK; off += 2ULL << 20)
		rig_map(r, root, TESS_PA_VRAM + off, TESS_PA_VRAM + off, PTE_ALL, 1);
	hreg_write64(r, n, TESS_HREG_STAGE2_ROOT, root);
	hreg_write(r, n, TESS_HREG_CONTROL, TESS_HCONTROL_RUN | TESS_HCONTROL_STAGE2);
	return root;
}

struct tess_pkt_copy pkt_copy(uint64_t dst, uint64_t src, uint64_t bytes)
{
	return (struct tess_pkt_copy){
		.header = DRM_TESSERA_PKT_COPY,
		.rows = 1,
		.src = src,
		.dst = dst,
		.row_bytes = bytes,
	};
}

struct tess_pkt_fill pkt_fill(uint64_t dst, uint64_t bytes, uint32_t pattern)
{
	return (struct tess_pkt_fill){
		.header = DRM_TESSERA_PKT_FILL,
		.rows = 1,
		.dst = dst,
		.row_bytes = bytes,
		.pattern = pattern,
	};
}

struct tess_pkt_fence pkt_fence(uint64_t seq, uint16_t flags)
{
	return (struct tess_pkt_fence){ .header = DRM_TESSERA_PKT_FENCE,
					.flags = flags,
					.seq = seq };
}

struct tess_pkt_wait pkt_wait(uint64_t addr, uint16_t op, uint64_t value)
{
	return (struct tess_pkt_wait){
		.header = DRM_TESSERA_PKT_WAIT,
		.op = op,
		.address = addr,
		.value = value,
		.mask = ~0ULL,
	};
}

struct tess_pkt_signal pkt_signal(uint64_t addr, uint16_t op, uint64_t value)
{
	return (struct tess_pkt_signal){
		.header = DRM_TESSERA_PKT_SIGNAL,
		.op = op,
		.address = addr,
		.value = value,
	};
}

struct tess_pkt_timestamp pkt_timestamp(uint64_t addr, uint16_t flags)
{
	return (struct tess_pkt_timestamp){
		.header = DRM_TESSERA_PKT_TIMESTAMP,
		.flags = flags,
		.address = addr,
	};
}

struct tess_pkt_indirect pkt_indirect(uint64_t addr, uint32_t count)
{
	return (struct tess_pkt_indirect){
		.header = DRM_TESSERA_PKT_INDIRECT,
		.count = count,
		.address = addr,
	};
}

struct tess_pkt_set_vm pkt_set_vm(uint64_t root, uint16_t asid, uint16_t flags)
{
	return (struct tess_pkt_set_vm){
		.header = DRM_TESSERA_PKT_SET_VM,
		.flags = flags,
		.asid = asid,
		.root = root,
	};
}

struct tess_pkt_dispatch pkt_dispatch(uint64_t entry, uint64_t kernarg, uint32_t grid,
				      uint16_t group)
{
	return (struct tess_pkt_dispatch){
		.header = DRM_TESSERA_PKT_DISPATCH,
		.setup = 1,
		.wg_size = { group, 1, 1 },
		.grid_size = { grid, 1, 1 },
		.kernel_object = entry,
		.kernarg_address = kernarg,
	};
}
