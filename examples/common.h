/* SPDX-License-Identifier: MIT */
/*
 * What all examples share: options, opening the GPU, loading the kernels, and the
 * line that says how it went. An example is worth reading without this.
 */
#ifndef EXAMPLES_COMMON_H
#define EXAMPLES_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tessera.h>

/*
 * The compiled kernels, NAME.elf, are part of the example's program: it can be
 * copied anywhere. Gives NAME_elf and NAME_elf_end.
 */
#define EXAMPLE_KERNELS(name)                                                       \
	__asm__(".section .rodata\n"                                                \
		".balign 16\n"                                                      \
		".global " #name "_elf\n" #name "_elf: .incbin \"" #name ".elf\"\n" \
		".global " #name "_elf_end\n" #name "_elf_end: .byte 0\n"           \
		".previous\n");                                                     \
	extern const unsigned char name##_elf[], name##_elf_end[]

/**
 * struct option_def - an option of one example
 * @name: "size" for --size
 * @help: what it is
 * @number: set to the option's number, with suffix K or M if given; or NULL
 * @text: set to the option's text; or NULL
 */
struct option_def {
	const char *name;
	const char *help;
	uint64_t *number;
	const char **text;
};

/**
 * struct example - an example that runs
 * @name: name of the program
 * @summary: one line for --help
 * @operands: what follows the options in the usage line, "" for nothing
 * @options: own options, ended by an empty one
 * @elf: compiled kernels, NULL if there are none
 * @elf_end: end of them
 * @device: --device
 * @slices: --slices, 0 for all
 * @verify: results are to be checked: not --no-verify
 * @json: --json
 * @dev: open GPU
 * @prog: loaded kernels
 * @dispatches: operations that ran
 * @total: what they cost together
 * @extra: more of the result, members of a JSON object
 */
struct example {
	const char *name;
	const char *summary;
	const char *operands;
	const struct option_def *options;
	const unsigned char *elf;
	const unsigned char *elf_end;
	const char *device;
	uint64_t slices;
	bool verify;
	bool json;
	struct tess_device *dev;
	struct tess_program *prog;
	unsigned long dispatches;
	struct tess_counters total;
	char extra[512];
};

/*
 * Parse the options, open the GPU, load the kernels. Returns the index of the first
 * operand in @argv. Prints a message and exits with 1, or 2 for a usage error.
 */
int example_start(struct example *ex, int argc, char **argv);

/* A kernel of @ex->elf. Exits if there is none. */
const struct tess_kernel *example_kernel(struct example *ex, const char *name);

/* A buffer and its CPU address. Exits on failure. */
void *example_buffer(struct example *ex, uint64_t size, unsigned int flags,
		     struct tess_buffer **buf);

/* Run a dispatch on @ex->slices slices and add up what it cost. Exits on failure. */
void example_run(struct example *ex, struct tess_dispatch *d, struct tess_counters *counters);

/* The same for a copy or fill. */
void example_transfer(struct example *ex, struct tess_transfer *t, struct tess_counters *counters);

/* Shader cores of the slices that a dispatch of @ex uses */
uint32_t example_cores(struct example *ex);

/* Add to @ex->extra, as printf(): "\"key\": 1". */
void example_extra(struct example *ex, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print a JSON string, with its quotes. */
void example_json_string(const char *text);

/*
 * Say how it went, close the GPU and return the exit status: 0 if there are no
 * @mismatches. To stderr if @quiet: then stdout has other output.
 */
int example_finish(struct example *ex, unsigned long mismatches, bool quiet);

/* Print "NAME: message" and exit with @status. */
void example_die(const struct example *ex, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));

/* Pseudo-random numbers, the same in each run */
uint32_t example_random(uint64_t *state);

#endif
