// SPDX-License-Identifier: MIT
/*
 * SHA-256 of files, printed as sha256sum does, so that "sha256sum -c" can check them:
 * real input, work in pieces, state that stays on the GPU from dispatch to dispatch.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "sha256.h"
#include "sha256_cpu.h"

EXAMPLE_KERNELS(sha256);

/* Files in work at a time, and bytes of each that one dispatch hashes */
#define BATCH 64
#define PIECE (128u << 10)

/**
 * struct input - a file on the command line
 * @path: name
 * @stream: open file
 * @cpu: the same hash by the CPU
 * @digest: result, once @done
 * @slot: index of its struct sha256_file
 * @done: hashed completely
 */
struct input {
	const char *path;
	FILE *stream;
	struct sha256_cpu cpu;
	uint32_t digest[8];
	unsigned int slot;
	bool done;
};

/**
 * struct work - buffers of the GPU
 * @files: what each work-item does
 * @data: PIECE bytes for each file
 * @args: for the kernel
 */
struct work {
	struct sha256_file *files;
	uint8_t *data;
	struct sha256_args args;
};

static const struct option_def options[] = { { 0 } };

static void open_file(struct example *ex, struct work *w, struct input *in, unsigned int slot)
{
	in->stream = strcmp(in->path, "-") ? fopen(in->path, "rb") : stdin;
	if (!in->stream)
		example_die(ex, 1, "cannot open %s: %s", in->path, strerror(errno));
	in->slot = slot;
	sha256_cpu_init(&in->cpu);
	memset(&w->files[slot], 0, sizeof(w->files[slot]));
	memcpy(w->files[slot].state, in->cpu.h, sizeof(in->cpu.h));
	w->files[slot].data = (uint64_t)slot * PIECE;
}

/* The next piece of a file. A short one is the last, maybe an empty one. */
static void read_piece(struct example *ex, struct work *w, struct input *in)
{
	struct sha256_file *f = &w->files[in->slot];
	uint8_t *data = w->data + f->data;

	f->size = fread(data, 1, PIECE, in->stream);
	if (ferror(in->stream))
		example_die(ex, 1, "cannot read %s: %s", in->path, strerror(errno));
	f->total += f->size;
	f->last = f->size < PIECE;
	if (ex->verify)
		sha256_cpu_update(&in->cpu, data, f->size);
}

/* Collect the digest of a file that is complete. Returns 1 if the CPU disagrees. */
static unsigned long finish_file(struct example *ex, struct work *w, struct input *in)
{
	uint32_t want[8];

	memcpy(in->digest, w->files[in->slot].state, sizeof(in->digest));
	in->done = true;
	if (in->stream != stdin)
		fclose(in->stream);
	if (!ex->verify)
		return 0;
	sha256_cpu_final(&in->cpu, want);
	return !!memcmp(want, in->digest, sizeof(want));
}

static void dispatch(struct example *ex, struct work *w, uint32_t count)
{
	uint32_t group = count / example_cores(ex);

	/* Few files: one per shader core. Many: up to 16 per group, which run in lockstep. */
	w->args.count = count;
	group = group < 1 ? 1 : group > 16 ? 16 : group;
	example_run(ex,
		    &(struct tess_dispatch){
			    .kernel = example_kernel(ex, "sha256"),
			    .grid = { count },
			    .group = { group },
			    .args = &w->args,
			    .args_size = sizeof(w->args),
		    },
		    NULL);
}

/* Hash @n files, at most BATCH; those that end early leave their work-item idle. */
static unsigned long hash_batch(struct example *ex, struct work *w, struct input *in,
				unsigned int n)
{
	unsigned long mismatches = 0;
	unsigned int i, left = n;

	for (i = 0; i < n; i++)
		open_file(ex, w, &in[i], i);
	while (left) {
		for (i = 0; i < n; i++) {
			if (!in[i].done)
				read_piece(ex, w, &in[i]);
		}
		dispatch(ex, w, n);
		for (i = 0; i < n; i++) {
			struct sha256_file *f = &w->files[i];

			if (in[i].done || !f->last)
				continue;
			mismatches += finish_file(ex, w, &in[i]);
			f->size = 0;
			f->last = 0;
			left--;
		}
	}
	return mismatches;
}

static void print_digest(const uint32_t *digest)
{
	for (int i = 0; i < 8; i++)
		printf("%08x", digest[i]);
}

/* As sha256sum: a name with a line feed or a backslash is escaped and marked. */
static void print_line(const struct input *in)
{
	const char *p;

	if (strpbrk(in->path, "\n\\"))
		putchar('\\');
	print_digest(in->digest);
	printf("  ");
	for (p = in->path; *p; p++) {
		if (*p == '\n')
			printf("\\n");
		else if (*p == '\\')
			printf("\\\\");
		else
			putchar(*p);
	}
	putchar('\n');
}

static void print_json(const struct input *in, unsigned int n)
{
	printf("{\"files\": [");
	for (unsigned int i = 0; i < n; i++) {
		printf("%s{\"file\": ", i ? ", " : "");
		example_json_string(in[i].path);
		printf(", \"sha256\": \"");
		print_digest(in[i].digest);
		printf("\"}");
	}
	printf("], \"result\": ");
}

int main(int argc, char **argv)
{
	struct example ex = {
		.name = "sha256",
		.summary =
			"Prints SHA-256 checksums of files as sha256sum does (- is standard input).",
		.operands = "FILE...",
		.options = options,
		.elf = sha256_elf,
		.elf_end = sha256_elf_end,
	};
	struct tess_buffer *files_buf, *data_buf;
	unsigned long mismatches = 0;
	unsigned int i, n, slots;
	struct input *in;
	struct work w;
	int first, status;

	first = example_start(&ex, argc, argv);
	n = (unsigned int)(argc - first);
	if (!n)
		example_die(&ex, 2, "give at least one file (see --help)");
	in = calloc(n, sizeof(*in));
	if (!in)
		example_die(&ex, 1, "out of memory");
	slots = n < BATCH ? n : BATCH;
	w.files = example_buffer(&ex, slots * sizeof(*w.files), TESS_BUFFER_VRAM, &files_buf);
	w.data = example_buffer(&ex, (uint64_t)slots * PIECE, TESS_BUFFER_VRAM, &data_buf);
	w.args.files = tess_buffer_va(files_buf);
	w.args.data = tess_buffer_va(data_buf);
	for (i = 0; i < n; i++)
		in[i].path = argv[first + (int)i];
	for (i = 0; i < n; i += BATCH)
		mismatches += hash_batch(&ex, &w, in + i, n - i < BATCH ? n - i : BATCH);

	for (i = 0; i < n && !ex.json; i++)
		print_line(&in[i]);
	if (ex.json)
		print_json(in, n);
	status = example_finish(&ex, mismatches, true);
	if (ex.json)
		printf("}\n");
	free(in);
	return status;
}
