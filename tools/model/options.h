/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line of tessera-model. */
#ifndef TESS_MODEL_OPTIONS_H
#define TESS_MODEL_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include <tessera/hw/tess_regs.h>

#include "log.h"

/**
 * struct options - what the command line says
 * @nr_slices: number of slices
 * @kinds: of each slice
 * @bank_size: VRAM of a slice
 * @clock_khz: cycles per millisecond of wall time at most, 0: no limit
 * @threads: that slices run in
 * @serial: PCI serial number
 * @stuck, @damage, @refuse: of each slice: see struct gpu_desc
 * @slow_us: for which it pauses before and after it replies, if the GPU is served
 * @socket: path of the socket, or NULL
 * @serve: device file that takes the GPU instead, or NULL
 * @take: number of the kernel's GPU that is served from now on; -1: a new one
 * @log_file: path, "-" or NULL for standard error
 * @log_level: most verbose level
 */
struct options {
	unsigned int nr_slices;
	uint8_t kinds[TESS_MAX_SLICES];
	uint64_t bank_size;
	uint64_t clock_khz;
	unsigned int threads;
	uint64_t serial;
	uint32_t stuck[TESS_MAX_SLICES];
	uint32_t damage[TESS_MAX_SLICES];
	uint32_t refuse[TESS_MAX_SLICES];
	unsigned int slow_us;
	const char *socket;
	const char *serve;
	int take;
	const char *log_file;
	enum log_level log_level;
};

/** enum options_result - what to do next */
enum options_result {
	OPTIONS_RUN,
	OPTIONS_EXIT,
	OPTIONS_BAD,
};

/**
 * options_parse() - parse the command line
 * @o: filled
 * @argc: as for main()
 * @argv: as for main()
 * @out: for --help and --version
 * @err: for messages
 */
enum options_result options_parse(struct options *o, int argc, char **argv, FILE *out, FILE *err);

#endif /* TESS_MODEL_OPTIONS_H */
