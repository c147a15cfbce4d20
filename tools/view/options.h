/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line */
#ifndef VIEW_OPTIONS_H
#define VIEW_OPTIONS_H

#include <stdbool.h>

#include "serve.h"

/* With the zero at the end; clients may say longer ones, which are wrong */
#define OPTIONS_SECRET 256

/* Exit statuses */
#define OPTIONS_FAILED 1
#define OPTIONS_USAGE 2

/**
 * struct options - what was asked for
 * @vgpu: UUID, or how it begins
 * @head: number
 * @address: to listen on
 * @port: to listen on, as text
 * @resize: clients may choose the size of the picture
 * @anyone: let the network in without TLS and a password
 * @gpu: the GPU reads pictures where it can
 * @rate: pictures a second at most
 * @compression: level of zlib
 * @stats: file for counters, or NULL
 * @access: what clients have to do
 */
struct options {
	const char *vgpu;
	unsigned int head;
	const char *address;
	char port[8];
	bool resize, anyone, gpu;
	unsigned int rate, compression;
	const char *stats;
	struct serve_access access;
};

/* Returns false with an exit status, after it said what there is to say. */
bool options_parse(struct options *options, int argc, char **argv, int *status);

#endif
