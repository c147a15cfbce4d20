// SPDX-License-Identifier: MIT
/* What a program says about itself: kernels (notes) and functions (symbol table). */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "image_priv.h"
#include "note.h"

#define MAX_KERNELS 1024
#define MAX_PRIVATE (1u << 20)
#define MAX_LOCAL 65536u

static bool is_code(const struct tess_image *img, uint64_t offset)
{
	unsigned int i;

	for (i = 0; i < img->segment_count; i++) {
		const struct tess_image_segment *s = &img->segments[i];

		if ((s->prot & TESS_IMAGE_EXEC) && offset >= s->start &&
		    offset - s->start < s->size)
			return true;
	}
	return false;
}

static bool same_kernel(const struct tess_image *img, const char *name)
{
	unsigned int i;

	for (i = 0; i < img->kernel_count; i++) {
		if (!strcmp(img->kernels[i].name, name))
			return true;
	}
	return false;
}

/* @addr: where the descriptor, @size bytes at @offset of the file, is loaded */
static int add_kernel(struct parse *p, uint64_t addr, uint64_t offset, uint64_t size)
{
	struct tess_image *img = p->img;
	struct tess_image_kernel *k;
	struct tess_note_kernel desc;
	void *grown;

	if (size <= sizeof(desc))
		return tess_image_refuse(p, "a kernel's note is too short");
	if (img->kernel_count == MAX_KERNELS)
		return tess_image_refuse(p, "declares more than %u kernels", MAX_KERNELS);
	grown = realloc(img->kernels, (img->kernel_count + 1) * sizeof(*k));
	if (!grown)
		return -ENOMEM;
	img->kernels = grown;
	k = &img->kernels[img->kernel_count];
	memcpy(&desc, img->data + offset, sizeof(desc));
	k->name = tess_image_string(img, offset + sizeof(desc), offset + size);
	if (!k->name || !k->name[0])
		return tess_image_refuse(p, "a kernel's note has no name");
	if (same_kernel(img, k->name))
		return tess_image_refuse(p, "kernel \"%.64s\" is declared twice", k->name);
	k->entry = addr + (uint64_t)(int64_t)desc.entry - img->base;
	if (!is_code(img, k->entry) || (k->entry & 1))
		return tess_image_refuse(p, "kernel \"%.64s\" is not in the program's code",
					 k->name);
	k->private_bytes = desc.private_bytes ? desc.private_bytes : TESS_DEFAULT_PRIVATE;
	k->local_bytes = desc.local_bytes;
	k->units = desc.units;
	if (k->private_bytes > MAX_PRIVATE)
		return tess_image_refuse(p,
					 "kernel \"%.64s\" wants more than %u bytes of private "
					 "memory",
					 k->name, MAX_PRIVATE);
	if (k->local_bytes > MAX_LOCAL)
		return tess_image_refuse(p,
					 "kernel \"%.64s\" wants more than %u bytes of local "
					 "memory",
					 k->name, MAX_LOCAL);
	img->kernel_count++;
	return 0;
}

static uint64_t pad(uint64_t size)
{
	return (size + 3) & ~3ull;
}

int tess_image_read_notes(struct parse *p, const Elf64_Phdr *ph)
{
	struct tess_image *img = p->img;
	uint64_t at = 0, desc;
	Elf64_Nhdr nh;
	int ret;

	if (!tess_image_bytes(img, ph->p_offset, ph->p_filesz))
		return tess_image_refuse(p, "notes lie outside of the file");
	while (ph->p_filesz - at >= sizeof(nh)) {
		memcpy(&nh, img->data + ph->p_offset + at, sizeof(nh));
		at += sizeof(nh);
		desc = at + pad(nh.n_namesz);
		if (desc > ph->p_filesz || nh.n_descsz > ph->p_filesz - desc)
			return tess_image_refuse(p, "a note is longer than its segment");
		if (nh.n_type == TESS_NOTE_KERNEL && nh.n_namesz == sizeof(TESS_NOTE_NAME) &&
		    !memcmp(img->data + ph->p_offset + at, TESS_NOTE_NAME, nh.n_namesz)) {
			ret = add_kernel(p, ph->p_vaddr + desc, ph->p_offset + desc, nh.n_descsz);
			if (ret)
				return ret;
		}
		at = desc + pad(nh.n_descsz);
		if (at > ph->p_filesz)
			break;
	}
	return 0;
}

static bool read_section(const struct parse *p, uint64_t index, Elf64_Shdr *sh)
{
	uint64_t offset = p->ehdr.e_shoff + index * sizeof(*sh);
	const void *at = NULL;

	if (index < p->ehdr.e_shnum && offset >= p->ehdr.e_shoff)
		at = tess_image_bytes(p->img, offset, sizeof(*sh));
	if (!at)
		return false;
	memcpy(sh, at, sizeof(*sh));
	return true;
}

static void add_symbol(struct tess_image *img, const Elf64_Sym *sym, const Elf64_Shdr *names)
{
	struct tess_image_symbol *s = &img->symbols[img->symbol_count];

	if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_name >= names->sh_size ||
	    sym->st_value < img->base || !is_code(img, sym->st_value - img->base))
		return;
	s->name = tess_image_string(img, names->sh_offset + sym->st_name,
				    names->sh_offset + names->sh_size);
	if (!s->name || !s->name[0])
		return;
	s->start = sym->st_value - img->base;
	s->size = sym->st_size;
	img->symbol_count++;
}

static int read_symtab(struct parse *p, const Elf64_Shdr *sh)
{
	struct tess_image *img = p->img;
	uint64_t i, n = sh->sh_size / sizeof(Elf64_Sym);
	Elf64_Shdr names;
	Elf64_Sym sym;
	const uint8_t *at;

	at = tess_image_bytes(img, sh->sh_offset, sh->sh_size);
	if (!n || !at || !read_section(p, sh->sh_link, &names) ||
	    !tess_image_bytes(img, names.sh_offset, names.sh_size))
		return 0;
	img->symbols = calloc(n, sizeof(*img->symbols));
	if (!img->symbols)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		memcpy(&sym, at + i * sizeof(sym), sizeof(sym));
		add_symbol(img, &sym, &names);
	}
	return 0;
}

/* Names only make messages better: a program with a broken table of them still runs. */
int tess_image_read_symbols(struct parse *p)
{
	Elf64_Shdr sh;
	unsigned int i;

	if (p->ehdr.e_shentsize != sizeof(sh))
		return 0;
	for (i = 0; i < p->ehdr.e_shnum; i++) {
		if (!read_section(p, i, &sh))
			return 0;
		if (sh.sh_type == SHT_SYMTAB)
			return read_symtab(p, &sh);
	}
	return 0;
}
