/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random programs: integer, floating point, memory, atomics, forward branches. */
#ifndef TESS_MODEL_TESTS_PROGRAM_H
#define TESS_MODEL_TESTS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRAM_BODY 48u /* random instructions */
#define PROGRAM_S2 18
#define PROGRAM_S3 19
#define PROGRAM_S4 20
#define PROGRAM_S5 21
#define PROGRAM_S6 22

/**
 * struct program - a program in the making
 * @words: instructions
 * @n: number of them
 * @apart: harts touch nothing in common, so their order cannot matter
 * @timeless: nothing that depends on time: no clock, no stack pointer
 * @units: with instructions of units: s3 is a texture, s4 a target, s5 a record, s6 the place
 *	of a block
 */
struct program {
	uint32_t words[PROGRAM_BODY + 48];
	unsigned int n;
	bool apart;
	bool timeless;
	bool units;
};

/* Other programs than those from seed 1. */
void program_seed(uint64_t s);

/* A reproducible random number below @n. */
uint32_t program_pick(uint32_t n);

void program_emit(struct program *p, uint32_t word);

/*
 * PROGRAM_BODY instructions. They read and write 256 bytes at s0, and the double
 * word at s1 by atomics; they write a1 to a7, t1, t2 and floating-point registers.
 */
void program_body(struct program *p);

#endif
