/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pixels as a client wants them. Pure. */
#ifndef RFB_FORMAT_H
#define RFB_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a PIXEL_FORMAT (RFC 6143, 7.4) */
#define FORMAT_BYTES 16

/**
 * struct format - PIXEL_FORMAT of a client
 * @bytes: of a pixel: 1, 2 or 4
 * @compact: of a CPIXEL: @bytes, or 3 of 4
 * @skip: bytes of a pixel before those of its CPIXEL
 * @three: a TPIXEL is red, green, blue
 * @mapped: the client looks colours up in a map, which it has to be told
 * @plain: pixels are what they are here
 * @red: what each value of a colour is in a pixel whose first byte is the lowest
 * @green: the same
 * @blue: the same
 */
struct format {
	unsigned int bytes, compact, skip;
	bool three, mapped, plain;
	uint32_t red[256], green[256], blue[256];
};

/* The format of the pixels here, as a PIXEL_FORMAT: what clients get that ask for none */
extern const uint8_t format_own[FORMAT_BYTES];

/* Returns false if it makes no sense, or has more than 32 bits. */
bool format_set(struct format *format, const uint8_t wanted[FORMAT_BYTES]);

/* Colours of a client's map with three bits of red and green, and two of blue */
void format_map(unsigned int index, uint16_t colours[3]);

/* Each writes pixels, and returns where the next one would be. */
uint8_t *format_pixels(const struct format *format, uint8_t *to, const uint32_t *from,
		       size_t count);
uint8_t *format_cpixels(const struct format *format, uint8_t *to, const uint32_t *from,
			size_t count);
uint8_t *format_tpixels(const struct format *format, uint8_t *to, const uint32_t *from,
			size_t count);

#endif
