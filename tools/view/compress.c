// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: level of compression
 *
 * neatvnc 0.9 compresses with level 1 of zlib, and has no call for another one. Its calls of
 * deflateInit2() come here first, because the program is looked through before libraries are.
 */
#include <dlfcn.h>
#include <zlib.h>

#include "compress.h"

static int chosen = COMPRESS_USUAL;

void compress_set(unsigned int level)
{
	chosen = (int)level;
}

int deflateInit2_(z_streamp stream, int level, int method, int window, int memory, int strategy,
		  const char *version, int size)
{
	static int (*next)(z_streamp, int, int, int, int, int, const char *, int);

	(void)level;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "deflateInit2_");
	if (!next)
		return Z_STREAM_ERROR;
	return next(stream, chosen, method, window, memory, strategy, version, size);
}
