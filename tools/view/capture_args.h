/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What capture.c and its kernel share. */
#ifndef VIEW_CAPTURE_ARGS_H
#define VIEW_CAPTURE_ARGS_H

#include <stdint.h>

/* A pointer for the kernel; for the host a GPU address */
#ifdef TESSERA_DEVICE_H
#define CAPTURE_PTR(type) type *
#else
#define CAPTURE_PTR(type) uint64_t
#endif

/* Lines of a tile, each of which a work-item compares (SHADOW_TILE) */
#define CAPTURE_LINES 64
/* Tiles from line to line of @changed (SHADOW_COLUMNS) */
#define CAPTURE_COLUMNS 128

/**
 * struct capture_args - tiles to compare, one work-group each
 * @picture: of the head
 * @last: copy of it, which is brought up to date
 * @changed: byte of each tile, set to 1 if it differed
 * @pitch: bytes from line to line, of both; a multiple of 4
 * @line: bytes of a line that are shown, a multiple of 4
 * @height: lines
 * @tile: bytes of a line of a tile, a multiple of 8
 * @column: of the first tile
 * @row: likewise
 */
struct capture_args {
	CAPTURE_PTR(const uint8_t) picture;
	CAPTURE_PTR(uint8_t) last;
	CAPTURE_PTR(uint8_t) changed;
	uint32_t pitch, line, height, tile, column, row;
};

#endif
