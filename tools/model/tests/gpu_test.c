// SPDX-License-Identifier: GPL-2.0-or-later
/* Making a GPU, its state and its time: what the other tests take for granted. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "tap.h"
#include "vfu/vfu.h"

#define BANK 0x10000

static uint64_t wall_cycles;

static void *no_memory(void *opaque, uint64_t addr, uint64_t len, int prot)
{
	(void)opaque;
	(void)addr;
	(void)len;
	(void)prot;
	return NULL;
}

static void no_irq(void *opaque, unsigned int vector)
{
	(void)opaque;
	(void)vector;
}

static uint64_t wall_start;
static uint64_t wall_begin;

static uint64_t wall(void *opaque)
{
	(void)opaque;
	return wall_begin + wall_cycles - wall_start;
}

static uint64_t told_time;

static void told(void *opaque, uint64_t now)
{
	(void)opaque;
	told_time = now;
}

static void restart(void *opaque, uint64_t now)
{
	(void)opaque;
	wall_start = wall_cycles;
	wall_begin = now;
}

static struct gpu_desc good_desc(unsigned int slices)
{
	struct gpu_desc d = {
		.nr_slices = slices,
		.bank_size = BANK,
		.vram_fd = -1,
		.bus = { .dma_ptr = no_memory, .irq = no_irq },
	};

	memset(d.kinds, TESS_KIND_RENDER, slices < TESS_MAX_SLICES ? slices : TESS_MAX_SLICES);
	d.vram_fd = vfu_memfd("vram", (size_t)TESS_MAX_SLICES * BANK, &d.vram);
	return d;
}

static bool makes(struct gpu_desc d)
{
	struct gpu *g = gpu_create(&d);
	bool made = g;

	gpu_destroy(g);
	return made;
}

static void test_create(void)
{
	struct gpu_desc good = good_desc(1), d;

	ok(makes(good), "one slice");
	ok(makes(good_desc(TESS_MAX_SLICES)), "64 slices");
	ok(!makes(good_desc(TESS_MAX_SLICES + 1)), "65 slices");
	ok(!makes(good_desc(0)), "no slice");
	d = good;
	d.kinds[0] = TESS_KIND_NONE;
	ok(!makes(d), "no kind");
	d.kinds[0] = TESS_KIND_MIXED + 1;
	ok(!makes(d), "unknown kind");
	d = good;
	d.bank_size = 0;
	ok(!makes(d), "no bank");
	d.bank_size = 100;
	ok(!makes(d), "bank of no whole pages");
	d.bank_size = 1ULL << 41;
	ok(!makes(d), "bank beyond the addresses");
	d = good;
	d.vram = NULL;
	ok(!makes(d), "no VRAM");
	d = good;
	d.bus.irq = NULL;
	ok(!makes(d), "no bus");
	gpu_destroy(NULL);
}

/* With 64 slices all masks and pages are in use. */
static void test_64(void)
{
	struct gpu_desc d = good_desc(TESS_MAX_SLICES);
	struct gpu *g = gpu_create(&d);

	ok(gpu_reg_read(g, TESS_REG_SLICE_MASK, 8) == ~0ULL, "SLICE_MASK of 64 slices");
	ok(gpu_reg_read(g, TESS_CLIENT_PAGE(63) + TESS_SREG_KIND, 4) == TESS_KIND_RENDER &&
		   gpu_reg_read(g, TESS_HOST_PAGE(63) + TESS_HREG_THROTTLE, 4) == 1024,
	   "pages of slice 63");
	gpu_reg_write(g, TESS_HOST_PAGE(63) + TESS_HREG_CTX_OP, TESS_CTX_SAVE, 4);
	ok(gpu_reg_read(g, TESS_REG_EVENT_PENDING, 8) == 1ULL << 63, "bit 63 of EVENT_PENDING");
	ok(gpu_reg_read(g, TESS_COMPOSITION_PAGE + 0x80 + 63 * 48, 4) == 63,
	   "entry 63 of the composition page");
	gpu_destroy(g);
}

/* Pages of the memory file are given back by a reset and read as zero. */
static void test_vram_file(void)
{
	struct gpu_desc d = good_desc(4);
	struct gpu *g = gpu_create(&d);
	uint8_t *vram = d.vram;

	memset(vram, 0xaa, 4 * BANK);
	gpu_reg_write(g, TESS_HOST_PAGE(2) + TESS_HREG_SCRUB, 1, 4);
	ok(vram[2 * BANK - 1] == 0xaa && !vram[2 * BANK] && !vram[3 * BANK - 1] &&
		   vram[3 * BANK] == 0xaa,
	   "SCRUB of a memory file");
	gpu_reset(g);
	ok(!vram[0] && !vram[4 * BANK - 1], "reset of a memory file");
	gpu_destroy(g);
}

static void test_time(void)
{
	struct gpu_desc d = good_desc(2);
	struct gpu *g;

	g = gpu_create(&d);
	gpu_step(g, 0);
	gpu_step(g, GPU_STEP_MAX + 1);
	ok(gpu_time(g) == 0, "steps of no or too many cycles are ignored");
	gpu_step(g, GPU_STEP_MAX);
	ok(gpu_time(g) == GPU_STEP_MAX && gpu_reg_read(g, TESS_REG_TIME, 8) == GPU_STEP_MAX,
	   "a step moves time");
	wall_cycles = 1000000;
	ok(gpu_reg_read(g, TESS_REG_TIME, 8) == GPU_STEP_MAX, "no clock: time stands still");
	gpu_idle_until(g, 5);
	ok(gpu_time(g) == GPU_STEP_MAX, "time does not go back");
	gpu_destroy(g);

	d.bus.wall = wall;
	d.bus.restart = restart;
	d.bus.told = told;
	wall_cycles = 77;
	g = gpu_create(&d);
	wall_cycles += 1000000;
	gpu_reg_write(g, TESS_CLIENT_PAGE(1) + TESS_SREG_CONTROL, TESS_CONTROL_ENABLE, 4);
	ok(gpu_time(g) == 1000000, "a clock: idle time comes before a write");
	ok(told_time == 1000000, "and is told before whoever wrote can look at a clock");
	ok(gpu_reg_read(g, TESS_CLIENT_PAGE(1) + TESS_SREG_COUNTERS, 8) == 0,
	   "and does not count for the slice that it enables");
	wall_cycles += 2000000;
	ok(gpu_reg_read(g, TESS_REG_TIME, 8) == 3000000, "a clock: TIME follows it while idle");
	wall_cycles += 1000000;
	ok(gpu_reg_read(g, TESS_CLIENT_PAGE(1) + TESS_SREG_COUNTERS, 8) == 3000000 &&
		   gpu_reg_read(g, TESS_CLIENT_PAGE(0) + TESS_SREG_COUNTERS, 8) == 0,
	   "CYCLES of the slice that is enabled");
	gpu_reg_write(g, TESS_REG_RESET, TESS_RESET_KEY, 4);
	ok(gpu_reg_read(g, TESS_REG_TIME, 8) == 0, "a clock: RESET begins time again at 0");
	wall_cycles += 500;
	ok(gpu_reg_read(g, TESS_REG_TIME, 8) == 500, "and it follows the clock from there");
	gpu_reg_write(g, TESS_REG_TIME, 7000000000, 8);
	ok(gpu_reg_read(g, TESS_REG_TIME, 8) == 7000000000, "a host sets it forward");
	wall_cycles += 500;
	ok(gpu_reg_read(g, TESS_REG_TIME, 8) == 7000000500, "and it follows the clock from there");
	gpu_reg_write(g, TESS_REG_TIME, 3, 8);
	gpu_step(g, 10);
	ok(gpu_time(g) == 13 && gpu_reg_read(g, TESS_REG_TIME, 8) == 13, "and back");
	gpu_destroy(g);
}

int main(void)
{
	test_create();
	test_64();
	test_vram_file();
	test_time();
	return done();
}
