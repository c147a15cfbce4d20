// SPDX-License-Identifier: GPL-2.0-or-later
#include <byteswap.h>
#include <endian.h>
#include <string.h>

#include "format.h"

const uint8_t format_own[FORMAT_BYTES] = { 32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0 };

/* Three bits of red, three of green, two of blue, the last ones in the highest bits */
static const uint8_t of_map[FORMAT_BYTES] = { 8, 8, 0, 1, 0, 7, 0, 7, 0, 3, 0, 3, 6 };

static unsigned int get16(const uint8_t *from)
{
	return (unsigned int)from[0] << 8 | from[1];
}

/* Returns the bits of a colour, 0: it makes no sense */
static uint32_t fill(uint32_t *table, unsigned int most, unsigned int shift, unsigned int bits,
		     bool big)
{
	unsigned int i;

	if (!most || (most & (most + 1)) || shift >= bits ||
	    (uint64_t)most << shift > 0xffffffffULL >> (32 - bits))
		return 0;
	for (i = 0; i < 256; i++) {
		uint32_t value = (i * most + 127) / 255 << shift;

		if (big)
			value = bits == 32 ? bswap_32(value) :
				bits == 16 ? bswap_16((uint16_t)value) :
					     value;
		table[i] = value;
	}
	return most << shift;
}

bool format_set(struct format *f, const uint8_t wanted[FORMAT_BYTES])
{
	bool mapped = !wanted[3], big;
	uint32_t red, green, blue, all;
	unsigned int bits;

	if (mapped && wanted[0] != 8)
		return false;
	if (mapped)
		wanted = of_map;
	bits = wanted[0];
	big = wanted[2];
	if (bits != 8 && bits != 16 && bits != 32)
		return false;
	red = fill(f->red, get16(wanted + 4), wanted[10], bits, big);
	green = fill(f->green, get16(wanted + 6), wanted[11], bits, big);
	blue = fill(f->blue, get16(wanted + 8), wanted[12], bits, big);
	if (!red || !green || !blue)
		return false;
	all = red | green | blue;
	f->mapped = mapped;
	f->bytes = f->compact = bits / 8;
	f->skip = 0;
	f->three = false;
	if (bits == 32 && wanted[1] <= 24 && (!(all >> 24) || !(all & 255))) {
		f->compact = 3;
		f->skip = (all >> 24 ? 1 : 0) ^ big;
		f->three = get16(wanted + 4) == 255 && get16(wanted + 6) == 255 &&
			   get16(wanted + 8) == 255 && wanted[1] == 24;
	}
	f->plain = bits == 32 && !big && red == 0xff0000 && green == 0xff00 && blue == 0xff;
	return true;
}

void format_map(unsigned int index, uint16_t colours[3])
{
	colours[0] = (uint16_t)((index & 7) * 65535 / 7);
	colours[1] = (uint16_t)((index >> 3 & 7) * 65535 / 7);
	colours[2] = (uint16_t)((index >> 6 & 3) * 65535 / 3);
}

static uint32_t convert(const struct format *f, uint32_t pixel)
{
	return f->red[pixel >> 16 & 255] | f->green[pixel >> 8 & 255] | f->blue[pixel & 255];
}

static uint8_t *put_converted(const struct format *f, uint8_t *to, const uint32_t *from,
			      size_t count, unsigned int skip, unsigned int bytes)
{
	size_t i;

	for (i = 0; i < count; i++, to += bytes) {
		uint32_t value = htole32(convert(f, from[i]) >> 8 * skip);

		memcpy(to, &value, bytes);
	}
	return to;
}

uint8_t *format_pixels(const struct format *f, uint8_t *to, const uint32_t *from, size_t count)
{
	if (f->plain) {
		memcpy(to, from, count * 4);
		return to + count * 4;
	}
	switch (f->bytes) {
	case 1:
		return put_converted(f, to, from, count, 0, 1);
	case 2:
		return put_converted(f, to, from, count, 0, 2);
	}
	return put_converted(f, to, from, count, 0, 4);
}

uint8_t *format_cpixels(const struct format *f, uint8_t *to, const uint32_t *from, size_t count)
{
	size_t i;

	if (f->compact != 3)
		return format_pixels(f, to, from, count);
	if (!f->plain)
		return put_converted(f, to, from, count, f->skip, 3);
	for (i = 0; i < count; i++, to += 3) {
		to[0] = (uint8_t)from[i];
		to[1] = (uint8_t)(from[i] >> 8);
		to[2] = (uint8_t)(from[i] >> 16);
	}
	return to;
}

uint8_t *format_tpixels(const struct format *f, uint8_t *to, const uint32_t *from, size_t count)
{
	size_t i;

	if (!f->three)
		return format_pixels(f, to, from, count);
	for (i = 0; i < count; i++, to += 3) {
		to[0] = (uint8_t)(from[i] >> 16);
		to[1] = (uint8_t)(from[i] >> 8);
		to[2] = (uint8_t)from[i];
	}
	return to;
}
