/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The GPU: slices, registers and time, without the bus that it sits on.
 *
 * Nothing here knows vfio-user: main.c puts the GPU behind a socket, the tests
 * drive it directly. One thread owns a GPU, and calls all of this; @gpu_bus.dma_ptr and
 * @gpu_bus.told are called in other threads, too. Specification: Documentation/hw/.
 */
#ifndef TESS_MODEL_GPU_H
#define TESS_MODEL_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include <tessera/hw/tess_regs.h>

#define GPU_CLOCK_KHZ 4000 /* nominal clock */
#define GPU_STEP_CYCLES 512 /* the slices advance together by this */
#define GPU_STEP_MAX 65536 /* longest step */
#define GPU_EPOCH_MAX 8192 /* cycles after which slices in several threads meet */

struct gpu;
struct log;

/**
 * struct gpu_bus - what the GPU needs from the bus
 * @dma_ptr: host address of bus address @addr for @len bytes that do not cross
 *	a page, NULL if there is no memory or no right @prot (PROT_*)
 * @irq: raise MSI-X vector @vector
 * @wall: GPU time by the nominal clock, or NULL: time stands still while nothing runs
 * @restart: the GPU's time is @now, by a reset or because the host set it: @wall goes on from
 *	there. NULL if it need not
 * @told: memory says from now on that the time is @now, or an access of a register will tell that
 *	it is, so no clock may be behind that. NULL if nobody has one
 * @opaque: first argument of all
 */
struct gpu_bus {
	void *(*dma_ptr)(void *opaque, uint64_t addr, uint64_t len, int prot);
	void (*irq)(void *opaque, unsigned int vector);
	uint64_t (*wall)(void *opaque);
	void (*restart)(void *opaque, uint64_t now);
	void (*told)(void *opaque, uint64_t now);
	void *opaque;
};

/**
 * struct gpu_desc - a GPU
 * @nr_slices: 1 to TESS_MAX_SLICES
 * @kinds: enum tess_slice_kind of each
 * @bank_size: bytes of VRAM per slice, a multiple of 4 KiB
 * @stuck: for each slice, how often a DISPATCH makes it unable to halt until a host
 *	RESET, to test hosts; UINT32_MAX: always
 * @damage: for each slice, how many contexts with work in them it damages as it saves
 *	them, to test hosts; UINT32_MAX: all
 * @refuse: for each slice, how many host RESETs it ignores after a DISPATCH, to test
 *	hosts; UINT32_MAX: all
 * @threads: that slices run in, the owner's one among them, up to CREW_THREADS_MAX; 0 and 1: in
 *	that one alone, where all is as if one slice followed the other
 * @vram: host memory of @nr_slices * @bank_size bytes
 * @vram_fd: its memory file, to give pages back when they are zeroed, or -1
 * @bus: the bus
 * @log: messages, or NULL
 */
struct gpu_desc {
	unsigned int nr_slices;
	unsigned int threads;
	uint8_t kinds[TESS_MAX_SLICES];
	uint32_t stuck[TESS_MAX_SLICES];
	uint32_t damage[TESS_MAX_SLICES];
	uint32_t refuse[TESS_MAX_SLICES];
	uint64_t bank_size;
	void *vram;
	int vram_fd;
	struct gpu_bus bus;
	struct log *log;
};

/**
 * enum gpu_state - what a GPU needs next
 * @GPU_IDLE: nothing until a register is written
 * @GPU_WAITING: time: all slices that have work wait for a memory word, or only
 *	timers run. Look again after a while
 * @GPU_RUNNING: steps
 */
enum gpu_state {
	GPU_IDLE,
	GPU_WAITING,
	GPU_RUNNING,
};

/** gpu_create() - make a GPU in its power-on state; NULL if @desc is bad or out of memory */
struct gpu *gpu_create(const struct gpu_desc *desc);
void gpu_destroy(struct gpu *g);

/** gpu_reset() - power-on state: registers, time and VRAM */
void gpu_reset(struct gpu *g);

/** gpu_reg_read() - read @size bytes at @off of BAR0; odd sizes and offsets read as zero */
uint64_t gpu_reg_read(struct gpu *g, uint32_t off, unsigned int size);

/** gpu_reg_write() - the same for writing; what cannot be written is ignored */
void gpu_reg_write(struct gpu *g, uint32_t off, uint64_t val, unsigned int size);

/** gpu_flush() - forget all host addresses that the bus gave out */
void gpu_flush(struct gpu *g);

enum gpu_state gpu_get_state(const struct gpu *g);

/** gpu_event_cycles() - cycles until a context operation ends or a timer reaches 0; UINT64_MAX: none */
uint64_t gpu_event_cycles(const struct gpu *g);

/** gpu_step_cycles() - how long the next step should be: it ends with the next event */
unsigned int gpu_step_cycles(const struct gpu *g);

/** gpu_step() - let all slices run for @cycles (1 to GPU_STEP_MAX) of GPU time */
void gpu_step(struct gpu *g, unsigned int cycles);

/** gpu_step_in_turn() - the same without other threads */
void gpu_step_in_turn(struct gpu *g, unsigned int cycles);

/**
 * gpu_run() - a step of GPU_STEP_CYCLES or to the next event, or several with threads
 * @enough: no more steps? Called after each of the owner's, with the GPU's time. Several end at the
 *	latest after GPU_EPOCH_MAX cycles, with an event, or when a slice has to tell the host
 *	something, waits, or has nothing more to do
 */
void gpu_run(struct gpu *g, bool (*enough)(void *opaque, uint64_t now), void *opaque);

/** gpu_idle_until() - let time pass in which nothing runs */
void gpu_idle_until(struct gpu *g, uint64_t now);

/** gpu_time() - GPU time in cycles */
uint64_t gpu_time(const struct gpu *g);

#endif /* TESS_MODEL_GPU_H */
