// SPDX-License-Identifier: MIT
/**
 * DOC: ELF programs
 *
 * A program is what a stock linker makes of "-pie --no-dynamic-linker": segments and
 * relocations that only add the load address. Anything that would need a dynamic
 * linker is refused with a message that names it, since a program with an unresolved
 * symbol would fault much later at an address that tells nothing.
 *
 * The file is untrusted: each offset is checked against the file and each address
 * against the segments before it is used, and nothing is looked up in section headers
 * but symbol names, which a stripped program lacks. Kernels are declared in notes
 * (device/tessera_device.h), which survive stripping.
 */
#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "image_priv.h"

#define PAGE 4096ull
#define MAX_SEGMENTS 64

int tess_image_refuse(struct parse *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->why, p->why_size, fmt, ap);
	va_end(ap);
	return -ENOEXEC;
}

const void *tess_image_bytes(const struct tess_image *img, uint64_t offset, uint64_t size)
{
	if (offset > img->data_size || size > img->data_size - offset)
		return NULL;
	return img->data + offset;
}

const void *tess_image_file_bytes(const struct tess_image *img, uint64_t addr, uint64_t size)
{
	unsigned int i;

	for (i = 0; i < img->segment_count; i++) {
		const struct tess_image_segment *s = &img->segments[i];
		uint64_t start = img->base + s->start;

		if (addr >= start && addr - start <= s->file_size &&
		    size <= s->file_size - (addr - start))
			return tess_image_bytes(img, s->file_offset + (addr - start), size);
	}
	return NULL;
}

const char *tess_image_string(const struct tess_image *img, uint64_t offset, uint64_t end)
{
	if (end > img->data_size || offset >= end || !memchr(img->data + offset, 0, end - offset))
		return NULL;
	return (const char *)img->data + offset;
}

static int check_ident(struct parse *p)
{
	const Elf64_Ehdr *eh = &p->ehdr;

	if (memcmp(eh->e_ident, ELFMAG, SELFMAG))
		return tess_image_refuse(p, "not an ELF file");
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB)
		return tess_image_refuse(p, "not a 64-bit little-endian ELF file");
	if (eh->e_machine != EM_RISCV)
		return tess_image_refuse(p, "made for machine %u, not for RISC-V (%u)",
					 eh->e_machine, EM_RISCV);
	return 0;
}

static int check_header(struct parse *p)
{
	const Elf64_Ehdr *eh = &p->ehdr;
	int ret;

	ret = check_ident(p);
	if (ret)
		return ret;
	if (eh->e_type == ET_REL)
		return tess_image_refuse(p, "is an object file: link it (tessera-cc without -c)");
	if (eh->e_type == ET_EXEC)
		return tess_image_refuse(p, "is linked to a fixed address: compile with -fPIE and "
					    "link with -pie");
	if (eh->e_type != ET_DYN)
		return tess_image_refuse(p, "ELF type %u is not a position-independent executable",
					 eh->e_type);
	if ((eh->e_flags & EF_RISCV_FLOAT_ABI) != EF_RISCV_FLOAT_ABI_DOUBLE)
		return tess_image_refuse(p, "not compiled for the lp64d ABI (-mabi=lp64d)");
	if (eh->e_flags & EF_RISCV_RVE)
		return tess_image_refuse(p, "compiled for RV64E, which has too few registers");
	if (eh->e_phentsize != sizeof(Elf64_Phdr) || !eh->e_phnum)
		return tess_image_refuse(p, "has no program headers");
	return 0;
}

static int add_segment(struct parse *p, const Elf64_Phdr *ph)
{
	struct tess_image *img = p->img;
	struct tess_image_segment *s = &img->segments[img->segment_count];

	if (!ph->p_memsz)
		return 0;
	if (ph->p_filesz > ph->p_memsz || !tess_image_bytes(img, ph->p_offset, ph->p_filesz))
		return tess_image_refuse(p, "a segment lies outside of the file");
	if (ph->p_vaddr + ph->p_memsz < ph->p_vaddr)
		return tess_image_refuse(p, "a segment wraps around the address space");
	if (img->segment_count && ph->p_vaddr < p->end)
		return tess_image_refuse(p, "segments overlap or are not in ascending order");
	if (!img->segment_count)
		img->base = ph->p_vaddr & ~(PAGE - 1);
	p->end = ph->p_vaddr + ph->p_memsz;
	if (p->end - img->base > TESS_IMAGE_MAX)
		return tess_image_refuse(p, "spans more than %llu MiB of memory",
					 TESS_IMAGE_MAX >> 20);
	s->start = ph->p_vaddr - img->base;
	s->size = ph->p_memsz;
	s->file_offset = ph->p_offset;
	s->file_size = ph->p_filesz;
	s->prot = (ph->p_flags & PF_R ? TESS_IMAGE_READ : 0) |
		  (ph->p_flags & PF_W ? TESS_IMAGE_WRITE : 0) |
		  (ph->p_flags & PF_X ? TESS_IMAGE_EXEC : 0);
	img->segment_count++;
	return 0;
}

static int read_program_header(struct parse *p, const Elf64_Phdr *ph)
{
	switch (ph->p_type) {
	case PT_LOAD:
		return add_segment(p, ph);
	case PT_INTERP:
		return tess_image_refuse(p, "needs a dynamic linker: link with "
					    "-Wl,--no-dynamic-linker");
	case PT_TLS:
		return tess_image_refuse(p, "has thread-local variables, which work-items lack");
	default:
		return 0;
	}
}

/* @read is called for each program header, copied since nothing aligns it in the file. */
static int for_each_header(struct parse *p, int (*read)(struct parse *p, const Elf64_Phdr *ph))
{
	Elf64_Phdr ph;
	const void *at;
	unsigned int i;
	int ret;

	for (i = 0; i < p->ehdr.e_phnum; i++) {
		at = tess_image_bytes(p->img, p->ehdr.e_phoff, (i + 1) * sizeof(ph));
		if (!at)
			return tess_image_refuse(p, "program headers lie outside of the file");
		memcpy(&ph, (const uint8_t *)at + i * sizeof(ph), sizeof(ph));
		ret = read(p, &ph);
		if (ret)
			return ret;
	}
	return 0;
}

static int read_segments(struct parse *p)
{
	struct tess_image *img = p->img;
	int ret;

	if (p->ehdr.e_phnum > MAX_SEGMENTS)
		return tess_image_refuse(p, "more than %u program headers", MAX_SEGMENTS);
	img->segments = calloc(p->ehdr.e_phnum, sizeof(*img->segments));
	if (!img->segments)
		return -ENOMEM;
	ret = for_each_header(p, read_program_header);
	if (ret)
		return ret;
	if (!img->segment_count)
		return tess_image_refuse(p, "has nothing to load");
	img->size = (p->end - img->base + PAGE - 1) & ~(PAGE - 1);
	return 0;
}

static int read_tables(struct parse *p, const Elf64_Phdr *ph)
{
	if (ph->p_type == PT_DYNAMIC)
		return tess_image_read_dynamic(p, ph);
	if (ph->p_type == PT_NOTE)
		return tess_image_read_notes(p, ph);
	return 0;
}

int tess_image_parse(struct tess_image *img, const void *data, size_t size, char *why,
		     size_t why_size)
{
	struct parse p = { .img = img, .why = why, .why_size = why_size };
	int ret;

	memset(img, 0, sizeof(*img));
	img->data = data;
	img->data_size = size;
	if (size < sizeof(p.ehdr))
		return tess_image_refuse(&p, "not an ELF file (only %zu bytes)", size);
	memcpy(&p.ehdr, data, sizeof(p.ehdr));
	ret = check_header(&p);
	if (!ret)
		ret = read_segments(&p);
	if (!ret)
		ret = for_each_header(&p, read_tables);
	if (!ret)
		ret = tess_image_read_symbols(&p);
	if (ret)
		tess_image_fini(img);
	return ret;
}

void tess_image_fini(struct tess_image *img)
{
	free(img->segments);
	free(img->kernels);
	free(img->symbols);
	img->segments = NULL;
	img->kernels = NULL;
	img->symbols = NULL;
	img->segment_count = 0;
	img->kernel_count = 0;
	img->symbol_count = 0;
}

static void relocate(const struct tess_image *img, uint8_t *mem, uint64_t va)
{
	const uint8_t *at = img->data + img->rela_offset;
	Elf64_Rela rela;
	uint64_t i, value;

	for (i = 0; i < img->rela_count; i++) {
		memcpy(&rela, at + i * sizeof(rela), sizeof(rela));
		value = va - img->base + (uint64_t)rela.r_addend;
		memcpy(mem + (rela.r_offset - img->base), &value, sizeof(value));
	}
}

void tess_image_load(const struct tess_image *img, void *mem, uint64_t va)
{
	unsigned int i;

	for (i = 0; i < img->segment_count; i++) {
		const struct tess_image_segment *s = &img->segments[i];

		if (s->file_size)
			memcpy((uint8_t *)mem + s->start, img->data + s->file_offset, s->file_size);
	}
	relocate(img, mem, va);
}

uint32_t tess_image_page_prot(const struct tess_image *img, uint64_t page)
{
	uint32_t prot = 0;
	unsigned int i;

	/* A linker may let two segments share a page: it then needs what both need. */
	for (i = 0; i < img->segment_count; i++) {
		const struct tess_image_segment *s = &img->segments[i];

		if (s->start < page + PAGE && s->start + s->size > page)
			prot |= s->prot;
	}
	return prot;
}

const struct tess_image_symbol *tess_image_lookup(const struct tess_image *img, uint64_t at)
{
	const struct tess_image_symbol *best = NULL;
	unsigned int i;

	for (i = 0; i < img->symbol_count; i++) {
		const struct tess_image_symbol *s = &img->symbols[i];

		if (s->start > at || (s->size && at - s->start >= s->size))
			continue;
		if (!best || s->start > best->start)
			best = s;
	}
	return best;
}
