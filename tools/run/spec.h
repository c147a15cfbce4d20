/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the texts on tessera-run's command line mean. Pure: touches no file and no GPU. */
#ifndef RUN_SPEC_H
#define RUN_SPEC_H

#include <stddef.h>
#include <stdint.h>

#define SPEC_MAX_ARGS 128

enum spec_kind {
	SPEC_IN, /* in:FILE */
	SPEC_OUT, /* out:FILE:SIZE */
	SPEC_INOUT, /* inout:FILE */
	SPEC_ZERO, /* zero:SIZE */
	SPEC_LOCAL, /* local:SIZE */
	SPEC_VALUE, /* u32:V and the like */
};

/**
 * struct spec_arg - an argument of the kernel
 * @kind: what it is
 * @file: IN, OUT, INOUT: name, allocated
 * @size: OUT, ZERO, LOCAL: bytes; VALUE: bytes of @value
 * @value: VALUE: as it is passed
 */
struct spec_arg {
	enum spec_kind kind;
	char *file;
	uint64_t size;
	uint8_t value[8];
};

/*
 * Each returns 0, or -1 with the reason in @why: a sentence without the text itself.
 */

/* A number of bytes, with suffix K, M or G if given; 0x... and 0... as in C. */
int spec_parse_size(const char *text, uint64_t *size, const char **why);

/* An unsigned number not above @max. */
int spec_parse_number(const char *text, uint64_t max, uint64_t *value, const char **why);

/* "X[,Y[,Z]]", each from 1 to @max */
int spec_parse_dims(const char *text, uint64_t max, uint32_t dims[3], const char **why);

/* An argument as of --arg. Free it with spec_free_arg(). */
int spec_parse_arg(const char *text, struct spec_arg *arg, const char **why);
void spec_free_arg(struct spec_arg *arg);

#endif
