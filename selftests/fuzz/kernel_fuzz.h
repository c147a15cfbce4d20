/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers of the kernel's side share; they run in a host VM. */
#ifndef TESS_SELFTESTS_FUZZ_KERNEL_H
#define TESS_SELFTESTS_FUZZ_KERNEL_H

#include <stdint.h>

#include "fuzz.h"

/**
 * struct episode - what one process does
 * @uuid: a vGPU of two vslices that is its own, blank
 * @state: of its random numbers
 * @ops: operations that it did, in memory that is shared with who judges
 * @reached: GPUs that it brought into the pool, or streams that were accepted, there too
 */
struct episode {
	const char *uuid;
	uint64_t state;
	unsigned long *ops;
	unsigned long *reached;
};

/* Does something hold that has to? Else the process ends, and says why */
#define HOLDS(cond)                                               \
	do {                                                      \
		if (!(cond))                                      \
			episode_fails(__FILE__, __LINE__, #cond); \
	} while (0)

__attribute__((noreturn)) void episode_fails(const char *file, int line, const char *what);

/* A guest and a VMM that do what they want with a vGPU */
void fuzz_guest(struct episode *e);
/* Strings into the attributes of a vGPU, while its guest works */
void fuzz_sysfs(struct episode *e);
/* Streams that become a vGPU */
void fuzz_saved(struct episode *e);
/* A process and the DRM node */
void fuzz_ioctl(struct episode *e);
/* A process that serves a GPU */
void fuzz_server(struct episode *e);

static inline uint32_t below(struct episode *e, uint32_t n)
{
	return fuzz_below(&e->state, n);
}

#endif
