// SPDX-License-Identifier: MIT
/* The dynamic section of a program: what a dynamic linker would do. */
#include <stdbool.h>
#include <string.h>

#include "image.h"
#include "image_priv.h"

/**
 * struct dynamic - entries of the dynamic section that matter
 * @rela: address of the relocations
 * @rela_size: their bytes
 * @rela_entry: bytes of one
 * @symtab: address of the dynamic symbols
 * @strtab: address of their names
 * @strtab_size: bytes of the names
 * @needed: a shared library is needed
 * @other_relocs: relocations of another form
 * @constructors: functions to call at start or end
 * @text_relocs: relocations in read-only segments
 */
struct dynamic {
	uint64_t rela;
	uint64_t rela_size;
	uint64_t rela_entry;
	uint64_t symtab;
	uint64_t strtab;
	uint64_t strtab_size;
	bool needed;
	bool other_relocs;
	bool constructors;
	bool text_relocs;
};

static void read_entry(struct dynamic *d, const Elf64_Dyn *dyn)
{
	uint64_t value = dyn->d_un.d_val;

	switch (dyn->d_tag) {
	case DT_RELA:
		d->rela = value;
		break;
	case DT_RELASZ:
		d->rela_size = value;
		break;
	case DT_RELAENT:
		d->rela_entry = value;
		break;
	case DT_SYMTAB:
		d->symtab = value;
		break;
	case DT_STRTAB:
		d->strtab = value;
		break;
	case DT_STRSZ:
		d->strtab_size = value;
		break;
	case DT_NEEDED:
		d->needed = true;
		break;
	case DT_RELSZ:
	case DT_PLTRELSZ:
	case DT_RELRSZ:
		d->other_relocs |= value != 0;
		break;
	case DT_INIT:
	case DT_FINI:
	case DT_INIT_ARRAYSZ:
	case DT_FINI_ARRAYSZ:
		d->constructors |= value != 0;
		break;
	case DT_TEXTREL:
		d->text_relocs = true;
		break;
	}
}

static const char *symbol_name(const struct tess_image *img, const struct dynamic *d,
			       uint64_t index)
{
	Elf64_Sym sym;
	const void *at;

	at = tess_image_file_bytes(img, d->symtab + index * sizeof(sym), sizeof(sym));
	if (!at)
		return "?";
	memcpy(&sym, at, sizeof(sym));
	at = tess_image_file_bytes(img, d->strtab, d->strtab_size);
	if (!at || sym.st_name >= d->strtab_size ||
	    !memchr((const char *)at + sym.st_name, 0, d->strtab_size - sym.st_name))
		return "?";
	return (const char *)at + sym.st_name;
}

static bool in_segment(const struct tess_image *img, uint64_t addr, uint64_t size)
{
	unsigned int i;

	for (i = 0; i < img->segment_count; i++) {
		const struct tess_image_segment *s = &img->segments[i];
		uint64_t start = img->base + s->start;

		if (addr >= start && addr - start <= s->size && size <= s->size - (addr - start))
			return true;
	}
	return false;
}

static int check_relocation(struct parse *p, const struct dynamic *d, const Elf64_Rela *rela)
{
	uint64_t type = ELF64_R_TYPE(rela->r_info);
	uint64_t sym = ELF64_R_SYM(rela->r_info);

	if (sym)
		return tess_image_refuse(p,
					 "undefined or preemptible symbol \"%.64s\" "
					 "(relocation type %llu)",
					 symbol_name(p->img, d, sym), (unsigned long long)type);
	if (type != R_RISCV_RELATIVE)
		return tess_image_refuse(p, "relocation type %llu is not R_RISCV_RELATIVE",
					 (unsigned long long)type);
	if (!in_segment(p->img, rela->r_offset, sizeof(uint64_t)))
		return tess_image_refuse(p, "a relocation lies outside of the segments");
	return 0;
}

static int read_relocations(struct parse *p, const struct dynamic *d)
{
	struct tess_image *img = p->img;
	Elf64_Rela rela;
	const uint8_t *at;
	uint64_t i;
	int ret;

	if (!d->rela_size)
		return 0;
	if (d->rela_entry != sizeof(rela) || d->rela_size % sizeof(rela))
		return tess_image_refuse(p, "relocations of an unknown size");
	at = tess_image_file_bytes(img, d->rela, d->rela_size);
	if (!at)
		return tess_image_refuse(p, "relocations lie outside of the file");
	for (i = 0; i < d->rela_size / sizeof(rela); i++) {
		memcpy(&rela, at + i * sizeof(rela), sizeof(rela));
		ret = check_relocation(p, d, &rela);
		if (ret)
			return ret;
	}
	img->rela_offset = (uint64_t)(at - img->data);
	img->rela_count = d->rela_size / sizeof(rela);
	return 0;
}

int tess_image_read_dynamic(struct parse *p, const Elf64_Phdr *ph)
{
	struct dynamic d = { 0 };
	const uint8_t *at;
	Elf64_Dyn dyn;
	uint64_t i;

	at = tess_image_bytes(p->img, ph->p_offset, ph->p_filesz);
	if (!at)
		return tess_image_refuse(p, "the dynamic section lies outside of the file");
	for (i = 0; i < ph->p_filesz / sizeof(dyn); i++) {
		memcpy(&dyn, at + i * sizeof(dyn), sizeof(dyn));
		if (dyn.d_tag == DT_NULL)
			break;
		read_entry(&d, &dyn);
	}
	if (d.needed)
		return tess_image_refuse(p, "needs shared libraries: link with -nostdlib");
	if (d.constructors)
		return tess_image_refuse(p, "has constructors or destructors, which nobody runs");
	if (d.text_relocs)
		return tess_image_refuse(p, "has relocations in read-only code: compile with "
					    "-fPIE, link with -z text");
	if (d.other_relocs)
		return tess_image_refuse(p, "has relocations other than R_RISCV_RELATIVE");
	return read_relocations(p, &d);
}
