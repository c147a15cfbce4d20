/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all libFuzzer targets share: reading the input, checking properties, and mutating
 * inputs that are records of a fixed size.
 */
#ifndef TESS_SELFTESTS_FUZZ_H
#define TESS_SELFTESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What libFuzzer calls, and what it offers to mutators */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* A property that has to hold: ends the program as a sanitizer would */
#define FUZZ_CHECK(cond, ...)                                                  \
	do {                                                                   \
		if (!(cond))                                                   \
			fuzz_fail(__FILE__, __LINE__, #cond, " " __VA_ARGS__); \
	} while (0)

__attribute__((noreturn, format(printf, 4, 5))) void
fuzz_fail(const char *file, int line, const char *cond, const char *fmt, ...);

/**
 * struct fuzz_in - the input, as far as it is not read yet
 * @at: next byte
 * @left: number of bytes
 */
struct fuzz_in {
	const uint8_t *at;
	size_t left;
};

/* Little-endian number of @bytes bytes (1 to 8); behind the end there are zeros */
uint64_t fuzz_take(struct fuzz_in *in, unsigned int bytes);

/* The next @size bytes, or NULL if there are not as many */
const void *fuzz_record(struct fuzz_in *in, size_t size);

/* A number below @n, from a state that is not 0 */
uint32_t fuzz_below(uint64_t *state, uint32_t n);
uint64_t fuzz_random(uint64_t *state);

/* A value that some field may want: small, a power of two, all ones, near one of @near */
uint64_t fuzz_value(uint64_t *state, const uint64_t *near, unsigned int nr_near);

/**
 * struct fuzz_grammar - of inputs that are a head and records
 * @head: bytes before the first record
 * @record: bytes of a record
 * @make: fill a record with something plausible
 * @near: values that fields are about
 * @nr_near: number of them
 */
struct fuzz_grammar {
	size_t head;
	size_t record;
	void (*make)(uint8_t *record, uint64_t *state);
	const uint64_t *near;
	unsigned int nr_near;
};

/*
 * Mutate: make, remove, repeat or exchange records, put a value into one, or let libFuzzer
 * change bytes of one. For LLVMFuzzerCustomMutator().
 */
size_t fuzz_mutate(const struct fuzz_grammar *g, uint8_t *data, size_t size, size_t max,
		   unsigned int seed);

#endif
