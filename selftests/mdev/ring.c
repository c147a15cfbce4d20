// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings, as a guest driver makes them, and patterns in memory */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "vgpu.h"

#define RING_LOG2 6 /* one page */
/* For hosts that check themselves, on busy machines */
#define TIMEOUT_MS 60000
#define LOOK_MS 1000

void *ram_at(struct vgpu *v, uint64_t gpa)
{
	return v->ram + (gpa - RAM_GPA);
}

uint32_t client_reg32(struct vgpu *v, unsigned int vslice, uint32_t off)
{
	return reg32(v, TESS_CLIENT_PAGE(vslice) + off);
}

uint64_t client_reg64(struct vgpu *v, unsigned int vslice, uint32_t off)
{
	return reg64(v, TESS_CLIENT_PAGE(vslice) + off);
}

void client_reg32_write(struct vgpu *v, unsigned int vslice, uint32_t off, uint32_t val)
{
	reg32_write(v, TESS_CLIENT_PAGE(vslice) + off, val);
}

void client_reg64_write(struct vgpu *v, unsigned int vslice, uint32_t off, uint64_t val)
{
	reg64_write(v, TESS_CLIENT_PAGE(vslice) + off, val);
}

void ring_start(struct ring *r, struct vgpu *v, unsigned int vslice)
{
	memset(r, 0, sizeof(*r));
	r->v = v;
	r->vslice = vslice;
	r->log2 = RING_LOG2;
	r->pkts = ram_at(v, RING_GPA(vslice));
	r->rec = ram_at(v, RECORD_GPA(vslice));
	memset((void *)r->rec, 0, sizeof(*r->rec));
	client_reg64_write(v, vslice, TESS_SREG_RING_BASE, RING_GPA(vslice));
	client_reg32_write(v, vslice, TESS_SREG_RING_LOG2, r->log2);
	client_reg64_write(v, vslice, TESS_SREG_RPTR, 0);
	client_reg64_write(v, vslice, TESS_SREG_WPTR, 0);
	client_reg64_write(v, vslice, TESS_SREG_COMPLETION, RECORD_GPA(vslice));
	client_reg32_write(v, vslice, TESS_SREG_CONTROL, TESS_CONTROL_ENABLE);
}

void ring_put(struct ring *r, const void *pkt)
{
	size_t at = r->wptr++ & ((1U << r->log2) - 1);

	memcpy(r->pkts + at * DRM_TESSERA_PKT_SIZE, pkt, DRM_TESSERA_PKT_SIZE);
}

void ring_fill(struct ring *r, uint64_t dst, uint64_t bytes, uint32_t pattern)
{
	struct tess_pkt_fill pkt = {
		.header = DRM_TESSERA_PKT_FILL,
		.rows = 1,
		.dst = dst,
		.row_bytes = bytes,
		.dst_pitch = bytes,
		.pattern = pattern,
	};

	ring_put(r, &pkt);
}

void ring_await(struct ring *r, uint64_t address)
{
	struct tess_pkt_wait pkt = {
		.header = DRM_TESSERA_PKT_WAIT,
		.op = DRM_TESSERA_WAIT_EQ,
		.address = address,
		.value = 1,
		.mask = ~0ULL,
	};

	ring_put(r, &pkt);
}

void ring_copy(struct ring *r, uint64_t dst, uint64_t src, uint64_t bytes)
{
	struct tess_pkt_copy pkt = {
		.header = DRM_TESSERA_PKT_COPY,
		.rows = 1,
		.src = src,
		.dst = dst,
		.row_bytes = bytes,
		.src_pitch = bytes,
		.dst_pitch = bytes,
	};

	ring_put(r, &pkt);
}

void ring_set_vm(struct ring *r, uint64_t root)
{
	struct tess_pkt_set_vm pkt = {
		.header = DRM_TESSERA_PKT_SET_VM,
		.flags = DRM_TESSERA_SET_VM_FLUSH,
		.asid = 1,
		.root = root,
	};

	ring_put(r, &pkt);
}

void ring_kick(struct ring *r)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)(r->v->doorbells + r->vslice * PAGE) = r->wptr;
}

uint64_t ring_fence(struct ring *r, bool irq)
{
	struct tess_pkt_fence pkt = {
		.header = DRM_TESSERA_PKT_FENCE,
		.flags = irq ? DRM_TESSERA_FENCE_IRQ : 0,
		.seq = ++r->seq,
	};

	ring_put(r, &pkt);
	ring_kick(r);
	return r->seq;
}

long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int ring_wait(struct ring *r)
{
	long end = now_ms() + TIMEOUT_MS;

	while (r->rec->seq != r->seq) {
		if (client_reg32(r->v, r->vslice, TESS_SREG_STATUS) & TESS_STATUS_FAULTED)
			return -EFAULT;
		if (now_ms() > end)
			return -ETIME;
		usleep(200);
	}
	return 0;
}

int ring_wait_record(struct ring *r)
{
	long now = now_ms(), end = now + TIMEOUT_MS, look = now + LOOK_MS;

	for (; r->rec->seq != r->seq; now = now_ms()) {
		if (now > end)
			return -ETIME;
		if (now > look) {
			if (reg32(r->v, TESS_REG_ID) == UINT32_MAX)
				return -ENODEV;
			look = now + LOOK_MS;
		}
		usleep(100);
	}
	return 0;
}

int ring_finish(struct ring *r)
{
	ring_fence(r, false);
	return ring_wait(r);
}

void ring_reset(struct ring *r)
{
	client_reg32_write(r->v, r->vslice, TESS_SREG_RESET, 1);
}

int wait_fault(struct vgpu *v, unsigned int vslice)
{
	long end = now_ms() + TIMEOUT_MS;

	while (now_ms() < end) {
		if (client_reg32(v, vslice, TESS_SREG_STATUS) & TESS_STATUS_FAULTED)
			return client_reg32(v, vslice, TESS_SREG_FAULT_CAUSE);
		usleep(200);
	}
	return -1;
}

static uint32_t word(size_t i, uint32_t seed)
{
	return (uint32_t)(i * 2654435761U) ^ (seed * 0x9e3779b9U) ^ 0x5a5a5a5aU;
}

void pattern_fill(void *mem, size_t size, uint32_t seed)
{
	uint32_t *p = mem;
	size_t i;

	for (i = 0; i < size / 4; i++)
		p[i] = word(i, seed);
}

long pattern_check(const void *mem, size_t size, uint32_t seed)
{
	const uint32_t *p = mem;
	size_t i;

	for (i = 0; i < size / 4; i++) {
		if (p[i] != word(i, seed))
			return i * 4;
	}
	return -1;
}

long zero_check(const void *mem, size_t size)
{
	const uint64_t *p = mem;
	size_t i;

	for (i = 0; i < size / 8; i++) {
		if (p[i])
			return i * 8;
	}
	return -1;
}
