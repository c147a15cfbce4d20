// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: CRC-32C
 *
 * Eight bytes at a time: an image is up to 1.5 MiB, and is checked at each switch
 * between clients. By the instruction that x86 has for it, else with eight tables.
 */
#include "crc32c.h"

#include <endian.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* reflected */

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static uint32_t shift_byte(uint32_t crc)
{
	for (int bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
	return crc;
}

/* Row n: what a byte becomes that n other bytes follow. */
static void table_fill(void)
{
	for (uint32_t i = 0; i < 256; i++)
		table[0][i] = shift_byte(i);
	for (int n = 1; n < 8; n++)
		for (uint32_t i = 0; i < 256; i++)
			table[n][i] = table[n - 1][i] >> 8 ^ table[0][table[n - 1][i] & 0xff];
}

static uint32_t eight_bytes(uint32_t crc, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	v = le64toh(v) ^ crc;
	crc = 0;
	for (int n = 0; n < 8; n++)
		crc ^= table[7 - n][v >> 8 * n & 0xff];
	return crc;
}

static uint32_t bytes_by_table(uint32_t crc, const uint8_t *p, size_t size)
{
	pthread_once(&table_once, table_fill);
	for (; size >= 8; size -= 8, p += 8)
		crc = eight_bytes(crc, p);
	for (; size; size--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
	return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t bytes_by_insn(uint32_t crc, const uint8_t *p,
								size_t size)
{
	uint64_t v, wide = crc;

	for (; size >= 8; size -= 8, p += 8) {
		memcpy(&v, p, sizeof(v));
		wide = __builtin_ia32_crc32di(wide, v);
	}
	for (crc = (uint32_t)wide; size; size--, p++)
		crc = __builtin_ia32_crc32qi(crc, *p);
	return crc;
}

static bool have_insn(void)
{
	return __builtin_cpu_supports("sse4.2");
}
#else
static uint32_t bytes_by_insn(uint32_t crc, const uint8_t *p, size_t size)
{
	return bytes_by_table(crc, p, size);
}

static bool have_insn(void)
{
	return false;
}
#endif

uint32_t crc32c_by_table(uint32_t crc, const void *data, size_t size)
{
	return ~bytes_by_table(~crc, data, size);
}

uint32_t crc32c(uint32_t crc, const void *data, size_t size)
{
	if (!have_insn())
		return crc32c_by_table(crc, data, size);
	return ~bytes_by_insn(~crc, data, size);
}
