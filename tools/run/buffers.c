// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera.h>

#include "buffers.h"
#include "report.h"

/* Read a whole file; it may be a pipe. */
static int read_file(const char *path, void **data, uint64_t *size)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "rb") : stdin;
	size_t room = 0, n = 0;
	char *mem = NULL;

	if (!f)
		return report_error("cannot open %s: %s", path, strerror(errno));
	do {
		if (n == room) {
			char *grown = realloc(mem, room = room ? 2 * room : 65536);

			if (!grown) {
				free(mem);
				fclose(f);
				return report_error("%s does not fit into memory", path);
			}
			mem = grown;
		}
		n += fread(mem + n, 1, room - n, f);
	} while (!feof(f) && !ferror(f));
	if (ferror(f) || !n) {
		report_error(n ? "cannot read %s: %s" : "%s is empty or unreadable (%s)", path,
			     strerror(errno));
		free(mem);
		fclose(f);
		return -1;
	}
	fclose(f);
	*data = mem;
	*size = n;
	return 0;
}

static int make_memory(struct tess_device *dev, struct run_buffer *b, unsigned int flags)
{
	if (tess_buffer_create(dev, b->size, flags, TESS_NEAR_ANY, &b->buf) ||
	    !tess_buffer_map(b->buf))
		return report_error("%s", tess_strerror(dev));
	return 0;
}

static int make_buffer(struct tess_device *dev, const struct spec_arg *spec, unsigned int flags,
		       struct run_buffer *b)
{
	void *data = NULL;

	b->size = spec->size;
	if (spec->kind == SPEC_IN || spec->kind == SPEC_INOUT) {
		if (read_file(spec->file, &data, &b->size))
			return -1;
	}
	if (spec->kind == SPEC_IN)
		flags |= TESS_BUFFER_READONLY;
	if (make_memory(dev, b, flags)) {
		free(data);
		return -1;
	}
	if (data)
		memcpy(tess_buffer_map(b->buf), data, b->size);
	if (spec->kind == SPEC_INOUT)
		b->initial = data;
	else
		free(data);
	return 0;
}

static int add_arg(struct tess_device *dev, const struct tess_kernel *kernel,
		   const struct spec_arg *spec, unsigned int flags, struct run_buffer *b,
		   struct tess_args *args)
{
	int ret;

	switch (spec->kind) {
	case SPEC_VALUE:
		ret = tess_args_add(args, spec->value, spec->size, spec->size);
		break;
	case SPEC_LOCAL:
		ret = spec->size > UINT32_MAX ?
			      -EINVAL :
			      tess_args_add_local(args, kernel, (uint32_t)spec->size);
		break;
	default:
		if (make_buffer(dev, spec, flags, b))
			return -1;
		ret = tess_args_add_buffer(args, b->buf);
		break;
	}
	return ret ? report_error("%s", tess_strerror(NULL)) : 0;
}

int run_buffers_make(struct tess_device *dev, const struct tess_kernel *kernel,
		     const struct spec_arg *specs, unsigned int n, int in_system_memory,
		     struct run_buffer *bufs, struct tess_args *args)
{
	unsigned int i, flags = in_system_memory ? TESS_BUFFER_SYSTEM : TESS_BUFFER_VRAM;

	for (i = 0; i < n; i++) {
		if (add_arg(dev, kernel, &specs[i], flags, &bufs[i], args))
			return -1;
	}
	return 0;
}

void run_buffers_reset(const struct spec_arg *specs, unsigned int n, struct run_buffer *bufs)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct run_buffer *b = &bufs[i];

		if (b->initial)
			memcpy(tess_buffer_map(b->buf), b->initial, b->size);
		else if (b->buf && specs[i].kind != SPEC_IN)
			memset(tess_buffer_map(b->buf), 0, b->size);
	}
}

static int write_file(const char *path, const void *data, uint64_t size)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "wb") : stdout;
	bool bad;

	if (!f)
		return report_error("cannot write %s: %s", path, strerror(errno));
	bad = fwrite(data, 1, size, f) != size;
	bad |= fflush(f) != 0;
	if (f != stdout)
		bad |= fclose(f) != 0;
	return bad ? report_error("cannot write %s: %s", path, strerror(errno)) : 0;
}

int run_buffers_write(const struct spec_arg *specs, unsigned int n, struct run_buffer *bufs)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n; i++) {
		if (specs[i].kind == SPEC_OUT || specs[i].kind == SPEC_INOUT)
			ret |= write_file(specs[i].file, tess_buffer_map(bufs[i].buf),
					  bufs[i].size);
	}
	return ret;
}

void run_buffers_free(struct run_buffer *bufs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		tess_buffer_destroy(bufs[i].buf);
		free(bufs[i].initial);
	}
}
