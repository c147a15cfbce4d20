/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_SELFTESTS_SHIM_SPRINTF_H
#define TESS_SELFTESTS_SHIM_SPRINTF_H

#include <stdarg.h>
#include <stdio.h>

static inline int vscnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	int len = vsnprintf(buf, size, fmt, args);

	if (!size)
		return 0;
	return (size_t)len < size ? len : (int)size - 1;
}

__attribute__((format(printf, 3, 4))) static inline int scnprintf(char *buf, size_t size,
								  const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vscnprintf(buf, size, fmt, args);
	va_end(args);
	return len;
}

#endif
