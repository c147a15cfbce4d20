/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two GPUs of a host: what the pool says of them, and taking one away. */
#ifndef TESS_SELFTESTS_MDEV_GPUS_H
#define TESS_SELFTESTS_MDEV_GPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "vgpu.h"

#define GPUS 2

/* A file of a GPU of the pool as text, without its newline: 0, negative errno */
int gpu_text(unsigned int gpu, const char *name, char *buf, size_t size);
/* The same as a number; negative errno */
long long gpu_value(unsigned int gpu, const char *name);
/* "gpu0" or "gpu1" */
const char *gpu_name_of(unsigned int gpu);
/* Number of the GPU below which mdev_create() makes mdevs */
unsigned int home_gpu(void);

/* By their PCI address: take the driver away and give it back; bound again, it is in the pool */
int gpu_unbind(const char *pci);
int gpu_bind(const char *pci);
/* Let the device answer, or read as all ones as if it had been pulled */
int gpu_answers(const char *pci, bool answers);

/**
 * struct books - what nobody has
 * @slices: of each GPU
 * @vram: of each GPU
 * @pins: pages that the kernel holds pinned
 */
struct books {
	long long slices[GPUS];
	long long vram[GPUS];
	long long pins;
};

void books_take(struct books *b);
/* Is all as it was then? */
bool books_balance(const struct books *b);
/* Slices of a GPU that somebody has since */
unsigned int slices_taken(const struct books *b, unsigned int gpu);

#define CROWD_MAX 16

/**
 * struct crowd - vGPUs that are only in the way
 * @uuid: of each
 * @nr: number of them
 */
struct crowd {
	char uuid[CROWD_MAX][37];
	unsigned int nr;
};

/* No compute slice is left on the GPU below which mdevs are made, but for some; false: failed */
bool crowd_home(struct crowd *c, unsigned int but);
bool crowd_leaves(struct crowd *c);

/**
 * struct pair - two GPUs, and a vGPU that one of them has, or both
 * @books: what nobody had at first
 * @home: number of the GPU below which mdevs are made
 * @away: number of the other
 * @pci: their addresses
 * @uuid: of the vGPU
 * @v: it, if @is_open
 * @is_open: a VMM has it
 * @event: eventfd of its config-change interrupt
 * @crowd: what is in its way
 */
struct pair {
	struct books books;
	unsigned int home, away;
	char pci[GPUS][64];
	char uuid[37];
	struct vgpu v;
	bool is_open;
	int event;
	struct crowd crowd;
};

/* No mdev is there, and the books are open: 0, -ENODEV if there is one GPU only */
int pair_begin(struct pair *p);
/* Close and remove all; false: something is missing, or left over */
bool pair_end(struct pair *p);
/* Open the vGPU @uuid, with its interrupt */
int pair_open(struct pair *p);
/* If it is open */
void pair_close(struct pair *p);

/* Let a composition fail at its step @step, counted from 1: "0" for none */
int compose_fail(const char *step);

/*
 * The next task that comes to a point (tessera/inject.h) waits there until this is called again:
 * "none" for none. -ENOENT: the modules are not built for tests
 */
int hold(const char *point);
/* Did one come, in some time? */
bool hold_taken(void);

#endif
