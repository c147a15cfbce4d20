// SPDX-License-Identifier: MIT
/**
 * DOC: programs on the GPU
 *
 * Each kernel is a program of libtessera for each shape of work-groups that it was run with. It
 * stays on the GPU until the cl_program goes. What the ELF file says on top of what libtessera
 * wants to know is read here: how much stack its functions use, and whether they print.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

#include "../device/launch.h"
#include "common_driver.h"
#include "pocl_file_util.h"

#define LAUNCHER_SUFFIX "_workgroup_argbuffer"
#define PRINTS_SYMBOL "__pocl_printf"

/**
 * struct tess_cl_program - what a cl_program has on one device
 * @lock: protects @binaries
 * @binaries: its kernels
 */
struct tess_cl_program {
	pthread_mutex_t lock;
	LIST_HEAD(, tess_cl_binary) binaries;
};

/* ---- the ELF file, which this process has made or was given by the program ---- */

/**
 * struct elf - a file
 * @data: content
 * @size: bytes
 * @sections: of it, @count
 * @count: how many
 */
struct elf {
	const char *data;
	uint64_t size;
	const Elf64_Shdr *sections;
	unsigned int count;
};

static bool inside(const struct elf *e, uint64_t offset, uint64_t size)
{
	return offset <= e->size && size <= e->size - offset;
}

static bool open_elf(struct elf *e, const char *data, uint64_t size)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)data;

	*e = (struct elf){ .data = data, .size = size };
	if (size < sizeof(*h) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_shentsize != sizeof(Elf64_Shdr) ||
	    h->e_shoff % 8 || !inside(e, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr)))
		return false;
	e->sections = (const Elf64_Shdr *)(data + h->e_shoff);
	e->count = h->e_shnum;
	return h->e_shstrndx < e->count;
}

static const char *string(const struct elf *e, const Elf64_Shdr *strings, uint64_t offset)
{
	const char *s = e->data + strings->sh_offset + offset;

	if (!inside(e, strings->sh_offset, strings->sh_size) || offset >= strings->sh_size ||
	    !memchr(s, 0, strings->sh_size - offset))
		return "";
	return s;
}

static const Elf64_Shdr *section(const struct elf *e, const char *name)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)e->data;
	unsigned int i;

	for (i = 0; i < e->count; i++) {
		const Elf64_Shdr *s = &e->sections[i];

		if (!strcmp(string(e, &e->sections[h->e_shstrndx], s->sh_name), name) &&
		    inside(e, s->sh_offset, s->sh_size))
			return s;
	}
	return NULL;
}

static bool has_symbol(const struct elf *e, const char *name)
{
	const Elf64_Shdr *s = section(e, ".symtab");
	const Elf64_Sym *sym;
	uint64_t i;

	if (!s || s->sh_link >= e->count || s->sh_offset % 8)
		return false;
	sym = (const Elf64_Sym *)(e->data + s->sh_offset);
	for (i = 0; i < s->sh_size / sizeof(*sym); i++) {
		if (!strcmp(string(e, &e->sections[s->sh_link], sym[i].st_name), name))
			return true;
	}
	return false;
}

/*
 * The compiler notes what each function puts on the stack: an address and a ULEB128. There is no
 * recursion in OpenCL, so that no function is there twice, and the sum is enough for any chain
 * of calls.
 */
static bool sum_stack(const struct elf *e, uint64_t *sum)
{
	const Elf64_Shdr *s = section(e, ".stack_sizes");
	uint64_t at, value;
	unsigned int shift;
	uint8_t byte;

	*sum = 0;
	if (!s)
		return false;
	for (at = 8; at < s->sh_size; at += 8) {
		value = 0;
		shift = 0;
		do {
			byte = (uint8_t)e->data[s->sh_offset + at++];
			value |= (uint64_t)(byte & 0x7f) << shift;
			shift += 7;
		} while (byte & 0x80 && shift < 35 && at < s->sh_size);
		*sum += value;
	}
	return true;
}

/* ---- loading ---- */

static int examine(struct tess_cl_binary *b, const char *data, uint64_t size)
{
	struct elf e;

	if (!open_elf(&e, data, size) || !sum_stack(&e, &b->stack))
		return -1;
	b->prints = has_symbol(&e, PRINTS_SYMBOL);
	return 0;
}

static int find_functions(struct tess_cl_binary *b, const char *kernel)
{
	char *name = malloc(strlen(kernel) + sizeof(LAUNCHER_SUFFIX));
	const struct tess_kernel *launcher;

	if (!name)
		return -1;
	strcpy(name, kernel);
	strcat(name, LAUNCHER_SUFFIX);
	launcher = tess_program_kernel(b->prog, name);
	b->entry = tess_program_kernel(b->prog, TESS_CL_ENTRY);
	free(name);
	if (!launcher || !b->entry)
		return -1;
	b->launcher = tess_kernel_va(launcher);
	return 0;
}

static void free_binary(struct tess_cl_binary *b)
{
	tess_program_unload(b->prog);
	free(b->path);
	free(b);
}

static int load(struct tess_cl_device *d, struct tess_cl_binary *b, const char *kernel)
{
	char *data = NULL;
	uint64_t size = 0;
	int ret;

	if (pocl_read_file(b->path, &data, &size))
		return CL_INVALID_PROGRAM_EXECUTABLE;
	ret = tess_program_load(d->tess, kernel, data, size, &b->prog);
	if (ret)
		tess_cl_report("%s", tess_strerror(d->tess));
	else
		ret = examine(b, data, size);
	if (!ret)
		ret = find_functions(b, kernel);
	free(data);
	return ret ? CL_INVALID_PROGRAM_EXECUTABLE : 0;
}

static int add(struct tess_cl_device *d, struct tess_cl_program *p, const char *path,
	       const char *kernel, struct tess_cl_binary **out)
{
	struct tess_cl_binary *b = calloc(1, sizeof(*b));
	int ret = CL_OUT_OF_HOST_MEMORY;

	if (!b)
		return ret;
	b->path = strdup(path);
	if (b->path)
		ret = load(d, b, kernel);
	if (ret) {
		free_binary(b);
		return ret;
	}
	LIST_INSERT_HEAD(&p->binaries, b, link);
	*out = b;
	return 0;
}

/* ---- what a cl_program has ---- */

static struct tess_cl_program *program_of(cl_program program, unsigned int index)
{
	struct tess_cl_program *p;

	POCL_LOCK_OBJ(program);
	p = program->data[index];
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (p)
			pthread_mutex_init(&p->lock, NULL);
		program->data[index] = p;
	}
	POCL_UNLOCK_OBJ(program);
	return p;
}

int tess_cl_binary_get(struct tess_cl_device *d, _cl_command_node *cmd, struct tess_cl_binary **out)
{
	cl_kernel kernel = cmd->command.run.kernel;
	struct tess_cl_program *p = program_of(kernel->program, cmd->program_device_i);
	char path[POCL_MAX_PATHNAME_LENGTH];
	struct tess_cl_binary *b;
	int ret;

	if (!p)
		return CL_OUT_OF_HOST_MEMORY;
	ret = tess_cl_compile(cmd, kernel, cmd->device, !cmd->command.run.force_generic_wg_func,
			      path);
	if (ret)
		return ret;
	pthread_mutex_lock(&p->lock);
	LIST_FOREACH(b, &p->binaries, link) {
		if (!strcmp(b->path, path))
			break;
	}
	if (!b)
		ret = add(d, p, path, kernel->name, &b);
	pthread_mutex_unlock(&p->lock);
	*out = b;
	return ret;
}

int tess_cl_free_program(cl_device_id device, cl_program program, unsigned int index)
{
	struct tess_cl_program *p = program->data[index];
	struct tess_cl_binary *b;

	pocl_driver_free_program(device, program, index);
	if (!p)
		return 0;
	while ((b = LIST_FIRST(&p->binaries))) {
		LIST_REMOVE(b, link);
		free_binary(b);
	}
	pthread_mutex_destroy(&p->lock);
	free(p);
	program->data[index] = NULL;
	return 0;
}
