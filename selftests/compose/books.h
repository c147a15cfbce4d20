/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The books of the pool: what vGPUs say that they have, and what the pool says. */
#ifndef TESS_SELFTESTS_COMPOSE_BOOKS_H
#define TESS_SELFTESTS_COMPOSE_BOOKS_H

#include "shape.h"

#define BOOKS_SLICES TESS_MAX_SLICES
#define BOOKS_TYPES 32

/**
 * struct books - a pool without vGPUs
 * @slices: of the GPU
 * @vram_free: bytes
 * @pins: pages held by the kernel, for anybody
 * @types: number of types of vGPUs
 * @available: instances of each type that could be made
 * @names: of the types
 */
struct books {
	unsigned int slices;
	long long vram_free;
	long long pins;
	unsigned int types;
	int available[BOOKS_TYPES];
	char names[BOOKS_TYPES][32];
};

/* Of a GPU on which there is no vGPU but the host's own */
void books_open(struct books *b);
/*
 * Count and print what does not add up: slices, members of shared slices, VRAM, vGPUs. Nothing
 * may be changing meanwhile.
 */
unsigned int books_wrong(const struct books *b);
/* The same, and that nothing is left of any vGPU */
unsigned int books_unclosed(const struct books *b);
/* Slices of the GPU that a vGPU has for itself, as the pool says */
unsigned int books_owned(const char *uuid, uint64_t *mask);
/* An attribute of the GPU in the class of the core: a number, or negative errno */
long long gpu_value(const char *file);

#endif
