// SPDX-License-Identifier: GPL-2.0-or-later
/* Registers: what a guest sees of its slices, and nonsense written to them */
#include <sys/ioctl.h>

#include "harness.h"
#include "vgpu.h"

FIXTURE(regs)
{
	struct vgpu v;
	char uuid[37];
};

FIXTURE_SETUP(regs)
{
	mdev_remove_all();
	ASSERT_EQ(0, mdev_create("C2", self->uuid));
	ASSERT_EQ(0, vgpu_open(&self->v, self->uuid));
}

FIXTURE_TEARDOWN(regs)
{
	vgpu_close(&self->v);
	EXPECT_EQ(0, mdev_remove(self->uuid));
}

TEST_F(regs, global)
{
	struct vgpu *v = &self->v;
	struct ring r;
	uint64_t time;

	EXPECT_EQ(TESS_ID_VALUE, reg32(v, TESS_REG_ID));
	EXPECT_EQ(1, reg32(v, TESS_REG_VERSION) >> 16);
	EXPECT_EQ(TESS_CAPS_VGPU, reg32(v, TESS_REG_CAPS) &
					  (TESS_CAPS_VGPU | TESS_CAPS_STAGE2 | TESS_CAPS_CONTEXT));
	/* Units come with the engines of slices, so a client may know of them. */
	EXPECT_EQ(TESS_CAPS_TEX | TESS_CAPS_ROP | TESS_CAPS_RAY,
		  reg32(v, TESS_REG_CAPS) & (TESS_CAPS_TEX | TESS_CAPS_ROP | TESS_CAPS_RAY));
	EXPECT_EQ(TESS_CAPS_INVALIDATE,
		  reg32(v, TESS_REG_CAPS) & (TESS_CAPS_INVALIDATE | TESS_CAPS_TRAFFIC));
	EXPECT_EQ(2, reg32(v, TESS_REG_SLICE_COUNT));
	EXPECT_EQ(3, reg64(v, TESS_REG_SLICE_MASK));
	EXPECT_EQ(TESS_ENGINE_COMPUTE | TESS_ENGINE_COPY, reg32(v, TESS_REG_ENGINE_MASK));
	EXPECT_EQ(0, reg32(v, TESS_REG_HEAD_MASK));
	EXPECT_EQ(2 * reg64(v, TESS_REG_BANK_SIZE), reg64(v, TESS_REG_VRAM_SIZE));
	EXPECT_EQ(DRM_TESSERA_GROUP_SLOTS | 8 << 8 | 64 << 16 | (uint32_t)TESS_RING_LOG2_MAX << 24,
		  reg32(v, TESS_REG_LIMITS));
	EXPECT_NE(0, reg32(v, TESS_REG_CLOCK_KHZ));
	EXPECT_LE(1, reg64(v, TESS_REG_GENERATION));
	EXPECT_EQ(0, reg64(v, TESS_REG_FAULT_PENDING));
	EXPECT_EQ(0, reg64(v, TESS_REG_HFAULT_PENDING));
	EXPECT_EQ(0, reg64(v, TESS_REG_EVENT_PENDING));
	time = reg64(v, TESS_REG_TIME);
	/* It passes at least while something runs */
	ring_start(&r, v, 0);
	ring_fill(&r, DATA_GPA, DATA_SIZE, 0);
	EXPECT_EQ(0, ring_finish(&r));
	EXPECT_LT(time, reg64(v, TESS_REG_TIME));
}

TEST_F(regs, halves)
{
	struct vgpu *v = &self->v;
	uint64_t base = RING_GPA(1);

	EXPECT_EQ((uint32_t)reg64(v, TESS_REG_VRAM_SIZE), reg32(v, TESS_REG_VRAM_SIZE));
	EXPECT_EQ(0, reg32(v, TESS_REG_VRAM_SIZE + 4));
	client_reg32_write(v, 0, TESS_SREG_RING_BASE, (uint32_t)base);
	EXPECT_EQ(0, client_reg64(v, 0, TESS_SREG_RING_BASE));
	client_reg32_write(v, 0, TESS_SREG_RING_BASE + 4, base >> 32);
	EXPECT_EQ(base, client_reg64(v, 0, TESS_SREG_RING_BASE));
	EXPECT_EQ(base >> 32, client_reg32(v, 0, TESS_SREG_RING_BASE + 4));
}

TEST_F(regs, odd_accesses)
{
	struct vgpu *v = &self->v;
	uint8_t bytes[16] = { 0 };

	/* Narrow ones read zero and change nothing */
	EXPECT_EQ(1, region_read(v, TESS_BAR_REGS, TESS_REG_ID, bytes, 1));
	EXPECT_EQ(0, bytes[0]);
	EXPECT_EQ(2, region_read(v, TESS_BAR_REGS, TESS_REG_ID + 2, bytes, 2));
	EXPECT_EQ(0, bytes[0] | bytes[1]);
	/* A 32-bit register takes no 64-bit access */
	EXPECT_EQ(0, reg64(v, TESS_REG_ID));
	EXPECT_EQ(0, reg32(v, 0x0f0));
	reg32_write(v, TESS_REG_ID, 0x12345678);
	reg64_write(v, TESS_REG_SLICE_MASK, ~0ULL);
	EXPECT_EQ(TESS_ID_VALUE, reg32(v, TESS_REG_ID));
	EXPECT_EQ(3, reg64(v, TESS_REG_SLICE_MASK));
	/* A read across registers is cut into aligned pieces */
	EXPECT_EQ(16, region_read(v, TESS_BAR_REGS, TESS_REG_SLICE_MASK, bytes, 16));
	EXPECT_EQ(3, bytes[0]);
}

TEST_F(regs, what_is_not_there)
{
	struct vgpu *v = &self->v;
	unsigned int n;

	for (n = 0; n < TESS_MAX_SLICES; n++) {
		EXPECT_EQ(0, reg32(v, TESS_HOST_PAGE(n) + TESS_HREG_CONTROL));
		EXPECT_EQ(0, reg64(v, TESS_HOST_PAGE(n) + TESS_HREG_STAGE2_ROOT));
		EXPECT_EQ(0, reg64(v, TESS_DOORBELL_PAGE(n)));
	}
	for (n = 2; n < TESS_MAX_SLICES; n++)
		EXPECT_EQ(0, client_reg32(v, n, TESS_SREG_KIND));
	EXPECT_EQ(TESS_KIND_COMPUTE, client_reg32(v, 0, TESS_SREG_KIND));
	/* Stage 2 cannot be turned off, nor a slice of somebody else be halted */
	for (n = 0; n < TESS_MAX_SLICES; n++) {
		reg32_write(v, TESS_HOST_PAGE(n) + TESS_HREG_CONTROL, 0);
		reg64_write(v, TESS_HOST_PAGE(n) + TESS_HREG_STAGE2_ROOT, 0);
		reg32_write(v, TESS_HOST_PAGE(n) + TESS_HREG_RESET, 1);
	}
	EXPECT_EQ(0, client_reg32(v, 0, TESS_SREG_STATUS));
}

TEST_F(regs, fault_is_reported)
{
	struct vgpu *v = &self->v;
	uint8_t bad[DRM_TESSERA_PKT_SIZE] = { 0x55 };
	int fd = vgpu_eventfd(v, TESS_IRQ_FAULT);
	struct ring r;

	ASSERT_LE(0, fd);
	ring_start(&r, v, 1);
	ring_put(&r, bad);
	ring_kick(&r);
	EXPECT_EQ(DRM_TESSERA_CAUSE_ILLEGAL_PACKET, wait_fault(v, 1));
	EXPECT_EQ(1, eventfd_wait(fd, 5000));
	EXPECT_EQ(2, reg64(v, TESS_REG_FAULT_PENDING));
	EXPECT_EQ(0, client_reg64(v, 1, TESS_SREG_FAULT_PACKET));
	EXPECT_EQ(1, mdev_stat(self->uuid, "client_faults"));
	client_reg32_write(v, 1, TESS_SREG_FAULT_ACK, TESS_FAULT_ACK_ABORT);
	EXPECT_EQ(0, reg64(v, TESS_REG_FAULT_PENDING));
	EXPECT_EQ(0, client_reg32(v, 1, TESS_SREG_STATUS) & TESS_STATUS_FAULTED);
	/* A fault that repeats is told again */
	ring_reset(&r);
	ring_start(&r, v, 1);
	ring_put(&r, bad);
	ring_kick(&r);
	EXPECT_EQ(DRM_TESSERA_CAUSE_ILLEGAL_PACKET, wait_fault(v, 1));
	EXPECT_EQ(1, eventfd_wait(fd, 5000));
	EXPECT_EQ(2, reg64(v, TESS_REG_FAULT_PENDING));
	ring_reset(&r);
	EXPECT_EQ(0, reg64(v, TESS_REG_FAULT_PENDING));
	close(fd);
}

static uint64_t random64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * Random values at random registers while another vGPU of the same GPU works: that one
 * must not notice, and this one must work again after a reset.
 */
TEST_F_TIMEOUT(regs, fuzz, 180)
{
	uint64_t seed = 0x243f6a8885a308d3ULL;
	struct vgpu *v = &self->v, other;
	char uuid[37];
	struct ring r, quiet;
	unsigned int n;

	ASSERT_EQ(0, mdev_create("R1", uuid));
	ASSERT_EQ(0, vgpu_open(&other, uuid));
	ring_start(&quiet, &other, 0);
	for (n = 0; n < 6000; n++) {
		uint32_t page = (uint32_t[]){ TESS_GLOBAL_PAGE,	   TESS_CLIENT_PAGE(0),
					      TESS_CLIENT_PAGE(1), TESS_DOORBELL_PAGE(0),
					      TESS_HOST_PAGE(0),   TESS_HOST_PAGE(3),
					      TESS_CLIENT_PAGE(5) }[random64(&seed) % 7];
		uint32_t off = page + (random64(&seed) % 0x180 & ~7U);
		uint64_t val = random64(&seed) >> random64(&seed) % 64;

		if (random64(&seed) & 1)
			reg64_write(v, off, val);
		else
			reg32_write(v, off + (val & 4), val);
		if (!(n % 500)) {
			ring_fill(&quiet, DATA_GPA, 256, n);
			ASSERT_EQ(0, ring_finish(&quiet));
			EXPECT_EQ(n, *(uint32_t *)ram_at(&other, DATA_GPA));
		}
	}
	ASSERT_EQ(0, ioctl(v->device, VFIO_DEVICE_RESET));
	ring_start(&r, v, 0);
	ring_fill(&r, DATA_GPA, 4096, 0xabcdef01);
	EXPECT_EQ(0, ring_finish(&r));
	EXPECT_EQ(0xabcdef01, *(uint32_t *)ram_at(v, DATA_GPA + 4092));
	vgpu_close(&other);
	EXPECT_EQ(0, mdev_remove(uuid));
}

/* Packets with nonsense in every field; each must end in a fault or be done */
TEST_F_TIMEOUT(regs, fuzz_packets, 180)
{
	static const uint8_t types[] = { DRM_TESSERA_PKT_DISPATCH, DRM_TESSERA_PKT_NOP,
					 DRM_TESSERA_PKT_SET_VM,   DRM_TESSERA_PKT_INDIRECT,
					 DRM_TESSERA_PKT_COPY,	   DRM_TESSERA_PKT_FILL,
					 DRM_TESSERA_PKT_FENCE,	   DRM_TESSERA_PKT_WAIT,
					 DRM_TESSERA_PKT_SIGNAL,   DRM_TESSERA_PKT_TIMESTAMP,
					 DRM_TESSERA_PKT_DRAW,	   0x33 };
	uint64_t seed = 0x13198a2e03707344ULL;
	struct vgpu *v = &self->v;
	unsigned int n, i;
	struct ring r;

	for (n = 0; n < 200; n++) {
		uint64_t pkt[8];

		ring_start(&r, v, 0);
		for (i = 0; i < 8; i++)
			pkt[i] = random64(&seed) % 3 ? 0 : random64(&seed) >> random64(&seed) % 64;
		pkt[0] = (pkt[0] & ~0xffULL) | types[n % sizeof(types)];
		ring_put(&r, pkt);
		ring_kick(&r);
		usleep(2000);
		ring_reset(&r);
		ASSERT_EQ(0, client_reg32(v, 0, TESS_SREG_STATUS) & TESS_STATUS_FAULTED);
	}
	ring_start(&r, v, 0);
	EXPECT_EQ(0, ring_finish(&r));
}

TEST_HARNESS_MAIN
