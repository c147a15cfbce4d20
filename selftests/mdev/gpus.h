/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two GPUs of a host: what the pool says of them, and taking one away. */
#ifndef TESS_SELFTESTS_MDEV_GPUS_H
#define TESS_SELFTESTS_MDEV_GPUS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
