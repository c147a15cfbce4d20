// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "say.h"

void say(const char *format, ...)
{
	int error = errno;
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* In one piece: the processes of clients write there, too */
	dprintf(2, "tessera-view: %s\n", line);
	errno = error;
}
