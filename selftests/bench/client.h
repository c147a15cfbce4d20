/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clients of the completion router: each a process with a vGPU of its own, VMM and
 * guest in one (vgpu.h), that arms its event index, completes FENCEs and waits for the
 * eventfd as KVM would.
 */
#ifndef TESS_SELFTESTS_CLIENT_H
#define TESS_SELFTESTS_CLIENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "vgpu.h"

#define CLIENTS_MAX 64
#define BATCH_MAX 32
#define SAMPLES 16384

/**
 * enum phase - what is measured at the moment
 * @PHASE_CALM: only what the clients do
 * @PHASE_EVENT: an attacker interrupts as often as it can, with a wrong event index
 * @PHASE_GARBAGE: an attacker fills its page of records with garbage
 * @PHASE_UNMAP: an attacker unmaps the page while the GPU writes to it
 * @PHASES: number of them
 */
enum phase {
	PHASE_CALM,
	PHASE_EVENT,
	PHASE_GARBAGE,
	PHASE_UNMAP,
	PHASES,
};

/**
 * struct tally - what a client saw, in memory shared with the parent
 * @ready: the vGPU is open
 * @completions: FENCEs
 * @interrupts: that were waited for
 * @lost: completions whose interrupt did not come
 * @misrouted: interrupts for which nothing was complete, or that came twice
 * @foreign: records that held a number of somebody else
 * @attacks: rounds of the attacker
 * @faults: of the attacker, caught by the GPU
 * @failed: errno of something that must not fail
 * @samples: latencies that were measured, per phase
 * @ns: the last SAMPLES of them
 */
struct tally {
	atomic_bool ready;
	uint64_t completions;
	uint64_t interrupts;
	uint64_t lost;
	uint64_t misrouted;
	uint64_t foreign;
	uint64_t attacks;
	uint64_t faults;
	int failed;
	unsigned int samples[PHASES];
	uint32_t ns[PHASES][SAMPLES];
};

/**
 * struct shared - between the parent and its clients
 * @go: all are ready
 * @stop: come to an end
 * @phase: enum phase
 * @tally: per client
 */
struct shared {
	atomic_bool go;
	atomic_bool stop;
	atomic_int phase;
	struct tally tally[];
};

/**
 * struct client - a client, in its own process
 * @index: number
 * @s: shared with all
 * @t: its tally
 * @v: vGPU
 * @r: its ring
 * @irq: eventfd of the completion vector
 * @random: state
 */
struct client {
	unsigned int index;
	struct shared *s;
	struct tally *t;
	struct vgpu v;
	struct ring r;
	int irq;
	uint64_t random;
};

int64_t now_ns(void);
uint32_t client_random(struct client *c);

/* Open a vGPU and start its ring; exits with a message if that fails */
void client_open(struct client *c, const char *uuid);

/* Complete @batch FENCEs with one interrupt at the end; false: it did not come */
bool client_round(struct client *c, unsigned int batch);

/* Open it so that the page of the records can be unmapped alone */
void attacker_open(struct client *c, const char *uuid);
/* Attack as the phase says until told to stop */
void attacker_run(struct client *c);

#endif
