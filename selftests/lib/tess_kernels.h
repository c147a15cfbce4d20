/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels of a few instructions, assembled by hand so that tests of the driver need no
 * compiler. a0 holds the kernarg address; each one finds an address at its start.
 */
#ifndef _TESS_KERNELS_H_
#define _TESS_KERNELS_H_

#include <stdint.h>

enum tess_kernel {
	TESS_K_IDS, /* out[global id] = 3 * global id, 32-bit words, x only */
	TESS_K_LOAD, /* load a word from the address */
	TESS_K_STORE, /* store 0 to the address */
	TESS_K_JUMP, /* jump to the address */
	TESS_K_ILLEGAL, /* an illegal instruction */
	TESS_K_BREAK, /* ebreak */
	TESS_K_ECALL, /* ecall */
	TESS_K_LOOP, /* never ends */
	TESS_K_ADD, /* add 1 to the 64-bit word at the address, atomically */
	TESS_K_LR, /* lr.d from the address */
	TESS_K_DELAY, /* count the second kernarg word down to 0, then as ADD */
	TESS_K_WATCH, /* keep struct tess_watch at the address until it is told to stop */
	TESS_K_COUNT,
};

#define TESS_K_BYTES 64 /* room for each */

/**
 * struct tess_watch - whether a work-item stood still, in GPU cycles
 * @longest: time between two looks at the clock, the longest; can be reset to 0
 * @from: when that began
 * @beat: the last look
 * @stop: not 0: end
 */
struct tess_watch {
	uint64_t longest;
	uint64_t from;
	uint64_t beat;
	uint64_t stop;
};

/* Write all kernels, each at TESS_K_BYTES times its number */
void tess_kernels_write(void *code);

#endif
