/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESS_LIB_TESTS_FILES_H
#define TESS_LIB_TESTS_FILES_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Read DIR/NAME into memory of exactly its size, so that ASan sees each byte too far. */
static inline unsigned char *read_file(const char *dir, const char *name, size_t *size)
{
	unsigned char *data = NULL;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		exit((perror(path), 1));
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	if (!data || fread(data, 1, *size, f) != *size)
		exit((perror(path), 1));
	fclose(f);
	return data;
}

#endif
