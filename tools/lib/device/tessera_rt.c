// SPDX-License-Identifier: MIT
/*
 * What compilers call without being asked, also in freestanding code. Linked into
 * each kernel program that needs it.
 */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* Unaligned words are legal and as fast as aligned ones. */
struct word {
	uint64_t v;
} __attribute__((packed, may_alias));

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	for (; n >= 8; n -= 8, d += 8, s += 8)
		((struct word *)d)->v = ((const struct word *)s)->v;
	while (n--)
		*d++ = *s++;
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= n)
		return memcpy(dst, src, n);
	for (; n >= 8; n -= 8)
		((struct word *)(d + n - 8))->v = ((const struct word *)(s + n - 8))->v;
	while (n--)
		d[n] = s[n];
	return dst;
}

void *memset(void *dst, int value, size_t n)
{
	unsigned char *d = dst;
	uint64_t pattern = (unsigned char)value * 0x0101010101010101ull;

	for (; n >= 8; n -= 8, d += 8)
		((struct word *)d)->v = pattern;
	while (n--)
		*d++ = (unsigned char)value;
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a;
	const unsigned char *y = b;

	for (; n; n--, x++, y++) {
		if (*x != *y)
			return *x - *y;
	}
	return 0;
}
