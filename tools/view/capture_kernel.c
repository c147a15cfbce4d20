// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which tiles of a picture differ from the copy? What differs is copied. Each word of the picture
 * is read once, as the guest may draw meanwhile.
 */
#include <tessera_device.h>

#include "capture_args.h"

/* Words of 64 bits, if both begin at such; the rest, or all, by 32 bits */
static int take(const uint8_t *from, uint8_t *to, uint32_t bytes, int wide)
{
	int differs = 0;
	uint32_t i = 0;

	for (; wide && i + 8 <= bytes; i += 8) {
		uint64_t word = *(const volatile uint64_t *)(from + i);

		if (word == *(uint64_t *)(to + i))
			continue;
		*(uint64_t *)(to + i) = word;
		differs = 1;
	}
	for (; i < bytes; i += 4) {
		uint32_t word = *(const volatile uint32_t *)(from + i);

		if (word == *(uint32_t *)(to + i))
			continue;
		*(uint32_t *)(to + i) = word;
		differs = 1;
	}
	return differs;
}

TESS_KERNEL(capture)
void capture(const struct capture_args *args)
{
	uint32_t column = args->column + tess_get_group_id(0);
	uint32_t row = args->row + tess_get_group_id(1);
	uint32_t x = column * args->tile, y = row * CAPTURE_LINES + tess_get_local_id(0);
	uint64_t at = (uint64_t)y * args->pitch + x;
	uint32_t bytes;

	if (y >= args->height || x >= args->line)
		return;
	bytes = args->line - x < args->tile ? args->line - x : args->tile;
	if (take(args->picture + at, args->last + at, bytes, args->pitch % 8 == 0))
		args->changed[row * CAPTURE_COLUMNS + column] = 1;
}
