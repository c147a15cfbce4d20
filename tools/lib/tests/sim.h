/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel driver and a GPU inside the test program: kmd_sim.c takes the place of
 * kmd_drm.c and keeps the objects of the uAPI, sim_gpu.c runs packets, kernels on the
 * model's ISA engine. Jobs run when they are submitted, so results do not depend on
 * time. Each object that the library forgets is counted.
 */
#ifndef TESS_LIB_TESTS_SIM_H
#define TESS_LIB_TESTS_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <drm/tessera_drm.h>

#define SIM_SLICES 8
#define SIM_CAPS_UNITS 0x380u /* the GPU knows of units; slices have them with TESS_HAS_RASTER */

/**
 * struct sim - what a test can set and see
 * @gpus: number of GPUs in the machine
 * @slice_mask: slices that are available. Change it with sim_compose()
 * @generation: of the composition
 * @caps: of the GPU
 * @setup: of the last dispatch
 * @cores: per slice
 * @engines: per slice
 * @vram_size: bytes. Change it, and @vram_free, before there are buffers
 * @vram_free: bytes
 * @revoke_at: before the submission of this number (from 1), @revoke goes away
 * @revoke: slices
 * @regain_at: before this submission they come back
 * @blind: submissions that are refused although their slices are there
 * @flicker: submissions that are refused by slices that were away only then
 * @deny_bind: VM_BIND fails with this error
 * @deny_damage: BO_DAMAGE fails with this error
 * @damage: of the last BO_DAMAGE
 * @deny_bo_at: BO_CREATE of this number (from 1) fails with -ENOMEM
 * @bos: BO_CREATEs so far, refused ones too
 * @stuck: jobs stay unfinished until sim_unstick()
 * @patient: a wait for such jobs without a time limit waits; otherwise -EDEADLK
 * @waiters: threads that wait
 * @hang_after: instructions after which a job counts as hung
 * @submits: submissions so far, refused ones too
 * @queues: kernel queues made so far
 * @priority: of the last one
 * @deps: dependencies of all submissions so far
 * @frames: hints of all submissions so far: pictures
 * @operations: the same: operations
 * @groups: work-groups that each slice ran
 * @leaks: objects that were left when a device was closed
 */
struct sim {
	unsigned int gpus;
	uint64_t slice_mask;
	uint64_t generation;
	uint32_t caps;
	uint16_t setup;
	uint32_t cores[SIM_SLICES];
	uint32_t engines[SIM_SLICES];
	uint64_t vram_size;
	uint64_t vram_free;
	uint64_t revoke_at;
	uint64_t revoke;
	uint64_t regain_at;
	unsigned int blind;
	unsigned int flicker;
	int deny_bind;
	int deny_damage;
	struct drm_tessera_bo_damage damage;
	uint64_t deny_bo_at;
	uint64_t bos;
	bool stuck;
	bool patient;
	unsigned int waiters;
	uint64_t hang_after;
	uint64_t submits;
	uint64_t queues;
	uint32_t priority;
	uint64_t deps;
	uint64_t frames;
	uint64_t operations;
	uint64_t groups[SIM_SLICES];
	unsigned int leaks;
};

extern struct sim sim;

/* A machine with one GPU of eight slices with 4, 4, 2, 2, 1, 1, 1, 1 cores */
void sim_reset(void);
void sim_unstick(void);

/* sim.waiters, for another thread */
unsigned int sim_waiters(void);

/* Give other slices to the vGPU; what is queued on those that go runs on */
void sim_compose(uint64_t slice_mask);

/* ---- between kmd_sim.c and sim_gpu.c ---- */

struct tess_kmd;

/* Host address of a page of the GPU, NULL if unmapped; @flags: DRM_TESSERA_BIND_* */
void *sim_translate(struct tess_kmd *kmd, uint32_t vm, uint64_t va, uint32_t *flags);

/* Time of the GPU: of the slice that got furthest */
uint64_t sim_time(void);

/*
 * Run a command buffer. Returns 0 or DRM_TESSERA_QUEUE_* and the fault in @state.
 */
uint32_t sim_run(struct tess_kmd *kmd, uint32_t vm, unsigned int slice, uint64_t cmd,
		 uint32_t count, struct drm_tessera_queue_state *state);

#endif
