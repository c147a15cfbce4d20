/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_STRING_H
#define TESS_SELFTESTS_SHIM_STRING_H

#include <errno.h>
#include <string.h>
#include <sys/types.h>

static inline ssize_t strscpy(char *dst, const char *src, size_t size)
{
	size_t len = strnlen(src, size);

	if (!size)
		return -E2BIG;
	if (len == size)
		len--;
	memcpy(dst, src, len);
	dst[len] = 0;
	return src[len] ? -E2BIG : (ssize_t)len;
}

#endif
