/* SPDX-License-Identifier: MIT */
#ifndef SHA256_H
#define SHA256_H

#include "gpu_ptr.h"

/**
 * struct sha256_file - a file in work, one per work-item
 * @state: hash so far
 * @data: offset of the next piece in the data buffer
 * @size: bytes of the piece, a multiple of 64 unless it is the last one
 * @total: bytes of the file up to the end of the piece
 * @last: not 0: the file ends with this piece
 */
struct sha256_file {
	uint32_t state[8];
	uint64_t data;
	uint64_t size;
	uint64_t total;
	uint64_t last;
};

struct sha256_args {
	GPU_PTR(struct sha256_file) files;
	GPU_PTR(const uint8_t) data;
	uint32_t count;
};

#endif
