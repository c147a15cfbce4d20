/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A GPU on a bench: no socket, memory that the test owns, interrupts that are
 * counted. Numbers of slices are the rig's: 0 and 3 compute, 1 render, 2 mixed.
 */
#ifndef TESS_MODEL_TESTS_RIG_H
#define TESS_MODEL_TESTS_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include <drm/tessera_packet.h>
#include <tessera/hw/tess_mem.h>
#include <tessera/hw/tess_regs.h>

#include "gpu.h"

#define RIG_SLICES 4
#define RIG_BANK (1ULL << 20)
#define RIG_SYS 0x10000000ULL /* bus address of the system memory */
#define RIG_SYS_SIZE (16ULL << 20)
#define RIG_RING(n) (RIG_SYS + (n) * 0x2000ULL) /* 128 packets each */
#define RIG_RECORD(n) (RIG_SYS + 0x10000 + (n) * 64ULL)
#define RIG_DATA (RIG_SYS + 0x20000) /* for tests, up to RIG_TABLES */
#define RIG_TABLES (RIG_SYS + (8ULL << 20)) /* page tables grow from here */
#define RIG_LOG2 7
#define RIG_VRAM(bank) (TESS_PA_VRAM + (bank) * RIG_BANK)

#define PTE_ALL (TESS_PTE_V | TESS_PTE_R | TESS_PTE_W | TESS_PTE_X | TESS_PTE_U)

/**
 * struct rig - the bench
 * @gpu: what is tested
 * @vram: memory of all banks
 * @sys: system memory
 * @no_dma: bus mastering is off
 * @read_only: the bus refuses writes
 * @on_dma: called when the GPU asks for memory, or NULL
 * @irqs: by vector
 * @tables: next free page for tables
 * @wptr: packets written, by slice
 */
struct rig {
	struct gpu *gpu;
	uint8_t *vram;
	uint8_t *sys;
	bool no_dma;
	bool read_only;
	void (*on_dma)(struct rig *r, uint64_t addr, bool write);
	unsigned int irqs[TESS_IRQ_COUNT];
	uint64_t tables;
	uint64_t wptr[RIG_SLICES];
};

/* A rig with rings set up and enabled. Exits if there is no memory. */
struct rig *rig_new(void);

/* The same with a number of threads; other rigs have TESSERA_THREADS of them, or one. */
struct rig *rig_new_threads(unsigned int threads);

/* What is wrong with a slice: see struct gpu_desc */
enum rig_fault { RIG_STUCK, RIG_DAMAGE, RIG_REFUSE };

/* The same; @slice misbehaves @times times. */
struct rig *rig_new_faulty(enum rig_fault fault, unsigned int slice, uint32_t times);
void rig_free(struct rig *r);

/* Set a slice's ring up again, after a reset. */
void rig_ring(struct rig *r, unsigned int n);

/* Host address of a physical address. */
void *rig_mem(struct rig *r, uint64_t pa);
uint64_t rig_read64(struct rig *r, uint64_t pa);
void rig_write64(struct rig *r, uint64_t pa, uint64_t val);

/* Registers: client page, host page, global page. */
uint64_t sreg(struct rig *r, unsigned int n, uint32_t reg);
uint64_t sreg64(struct rig *r, unsigned int n, uint32_t reg);
void sreg_write(struct rig *r, unsigned int n, uint32_t reg, uint64_t val);
void sreg_write64(struct rig *r, unsigned int n, uint32_t reg, uint64_t val);
uint64_t hreg(struct rig *r, unsigned int n, uint32_t reg);
uint64_t hreg64(struct rig *r, unsigned int n, uint32_t reg);
void hreg_write(struct rig *r, unsigned int n, uint32_t reg, uint64_t val);
void hreg_write64(struct rig *r, unsigned int n, uint32_t reg, uint64_t val);
uint64_t greg64(struct rig *r, uint32_t reg);
uint64_t counter(struct rig *r, unsigned int n, uint32_t c);

/* Write a packet (64 bytes) to the ring; nothing runs before the doorbell. */
void rig_push(struct rig *r, unsigned int n, const void *pkt);
void rig_doorbell(struct rig *r, unsigned int n);

/* Steps until nothing runs or @max steps; returns the number of steps. */
unsigned int rig_run(struct rig *r, unsigned int max);

/* Push, ring the bell, run; returns 0 or the fault's cause + 1. */
unsigned int rig_do(struct rig *r, unsigned int n, const void *pkt);

/* The same, then abort a fault, skip the packet and enable the ring again. */
unsigned int rig_try(struct rig *r, unsigned int n, const void *pkt);

/* Cause + 1 of a client fault that is pending, else 0. */
unsigned int rig_fault(struct rig *r, unsigned int n);
#define FAULT(name) (DRM_TESSERA_CAUSE_##name + 1u)

/* Abort the fault, skip what is in the ring, enable. */
void rig_recover(struct rig *r, unsigned int n);

/* An empty root table of stage 1 (4 KiB) or stage 2 (16 KiB). */
uint64_t rig_table(struct rig *r, unsigned int pages);

/*
 * Map one page of @level 0 (4 KiB) or 1 (2 MiB), making tables on the way.
 * Returns the physical address of the PTE.
 */
uint64_t rig_map(struct rig *r, uint64_t root, uint64_t va, uint64_t pa, uint64_t flags,
		 unsigned int level);

/* Map @pages 4 KiB pages with all rights. */
void rig_map_range(struct rig *r, uint64_t root, uint64_t va, uint64_t pa, unsigned int pages);

/* Run SET_VM. */
void rig_set_vm(struct rig *r, unsigned int n, uint64_t root);

/* Turn stage 2 on: all system memory and VRAM at their own addresses. Returns the root. */
uint64_t rig_stage2(struct rig *r, unsigned int n);

/* Packets with everything but the arguments at a good value. */
struct tess_pkt_copy pkt_copy(uint64_t dst, uint64_t src, uint64_t bytes);
struct tess_pkt_fill pkt_fill(uint64_t dst, uint64_t bytes, uint32_t pattern);
struct tess_pkt_fence pkt_fence(uint64_t seq, uint16_t flags);
struct tess_pkt_wait pkt_wait(uint64_t addr, uint16_t op, uint64_t value);
struct tess_pkt_signal pkt_signal(uint64_t addr, uint16_t op, uint64_t value);
struct tess_pkt_timestamp pkt_timestamp(uint64_t addr, uint16_t flags);
struct tess_pkt_indirect pkt_indirect(uint64_t addr, uint32_t count);
struct tess_pkt_set_vm pkt_set_vm(uint64_t root, uint16_t asid, uint16_t flags);
struct tess_pkt_dispatch pkt_dispatch(uint64_t entry, uint64_t kernarg, uint32_t grid,
				      uint16_t group);

#endif /* TESS_MODEL_TESTS_RIG_H */
