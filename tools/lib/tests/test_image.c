// SPDX-License-Identifier: GPL-2.0-or-later
/* Parsing of good programs, and one refusal for each rule. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "files.h"
#include "image.h"
#include "tap.h"

static const char *dir;

static const struct tess_image_kernel *kernel(const struct tess_image *img, const char *name)
{
	unsigned int i;

	for (i = 0; i < img->kernel_count; i++) {
		if (!strcmp(img->kernels[i].name, name))
			return &img->kernels[i];
	}
	return NULL;
}

static void test_good(void)
{
	const struct tess_image_kernel *k;
	const struct tess_image_symbol *s;
	struct tess_image img;
	char why[200];
	size_t size;
	unsigned char *data = read_file(dir, "kernels.elf", &size);

	ok(!tess_image_parse(&img, data, size, why, sizeof(why)), "kernels.elf is accepted");
	ok(img.kernel_count == 5, "five kernels are declared, found %u", img.kernel_count);
	k = kernel(&img, "mix");
	ok(k && k->private_bytes == 8000 && k->local_bytes == 32, "what mix declares is known");
	k = kernel(&img, "saxpy");
	ok(k && k->private_bytes == 1024 && !k->local_bytes, "the defaults too");
	s = k ? tess_image_lookup(&img, k->entry + 2) : NULL;
	ok(s && !strcmp(s->name, "saxpy") && s->start == k->entry, "an address leads to its name");
	ok(!tess_image_lookup(&img, 0), "an address outside of functions to none");
	ok(k && tess_image_page_prot(&img, k->entry & ~4095ull) ==
			   (TESS_IMAGE_READ | TESS_IMAGE_EXEC),
	   "code is not writable");
	ok(img.rela_count >= 3, "%u relocations", (unsigned int)img.rela_count);
	tess_image_fini(&img);
	free(data);
}

static void test_load(void)
{
	struct tess_image img;
	uint64_t value, base = 0x12340000;
	char why[200];
	size_t size;
	unsigned char *data = read_file(dir, "kernels.elf", &size), *mem;
	Elf64_Rela rela;

	if (tess_image_parse(&img, data, size, why, sizeof(why)))
		return;
	mem = calloc(1, img.size);
	tess_image_load(&img, mem, base);
	memcpy(&rela, data + img.rela_offset, sizeof(rela));
	memcpy(&value, mem + rela.r_offset - img.base, sizeof(value));
	ok(value == base + (uint64_t)rela.r_addend, "a pointer is relocated");
	ok(!memcmp(mem + img.segments[0].start, data + img.segments[0].file_offset,
		   img.segments[0].file_size),
	   "the first segment is there");
	free(mem);
	tess_image_fini(&img);
	free(data);
}

static void refuse_file(const char *name, const char *word)
{
	struct tess_image img;
	char why[200] = "";
	size_t size;
	unsigned char *data = read_file(dir, name, &size);

	ok(tess_image_parse(&img, data, size, why, sizeof(why)) == -ENOEXEC && strstr(why, word),
	   "%s: %s", name, why);
	free(data);
}

static void test_stripped(void)
{
	struct tess_image img;
	char why[200];
	size_t size;
	unsigned char *data = read_file(dir, "stripped.elf", &size);

	ok(!tess_image_parse(&img, data, size, why, sizeof(why)) && img.kernel_count == 5 &&
		   !img.symbol_count,
	   "a stripped program still declares its kernels");
	tess_image_fini(&img);
	free(data);
}

/* kernels.elf with one change, and a word of the message that it must cause */
struct change {
	const char *what;
	void (*make)(unsigned char *data);
	const char *word;
};

static Elf64_Ehdr *header(unsigned char *data)
{
	return (Elf64_Ehdr *)(void *)data;
}

static Elf64_Phdr *phdr(unsigned char *data, uint32_t type)
{
	Elf64_Phdr *ph = (Elf64_Phdr *)(void *)(data + header(data)->e_phoff);

	while (ph->p_type != type)
		ph++;
	return ph;
}

static Elf64_Dyn *dyn(unsigned char *data, int64_t tag)
{
	Elf64_Dyn *d = (Elf64_Dyn *)(void *)(data + phdr(data, PT_DYNAMIC)->p_offset);

	while (d->d_tag != tag)
		d++;
	return d;
}

static Elf64_Rela *rela(unsigned char *data)
{
	/* The relocations are in the first segment, whose addresses are file offsets. */
	return (Elf64_Rela *)(void *)(data + dyn(data, DT_RELA)->d_un.d_val);
}

static void make_magic(unsigned char *data)
{
	data[0] = 'X';
}

static void make_class(unsigned char *data)
{
	data[EI_CLASS] = ELFCLASS32;
}

static void make_machine(unsigned char *data)
{
	header(data)->e_machine = EM_X86_64;
}

static void make_object(unsigned char *data)
{
	header(data)->e_type = ET_REL;
}

static void make_soft_float(unsigned char *data)
{
	header(data)->e_flags &= ~(uint32_t)EF_RISCV_FLOAT_ABI;
}

static void make_rve(unsigned char *data)
{
	header(data)->e_flags |= EF_RISCV_RVE;
}

static void make_no_headers(unsigned char *data)
{
	header(data)->e_phnum = 0;
}

static void make_many_headers(unsigned char *data)
{
	header(data)->e_phnum = 65;
}

static void make_headers_outside(unsigned char *data)
{
	header(data)->e_phoff = ~0ull - 7;
}

static void make_interp(unsigned char *data)
{
	phdr(data, PT_GNU_STACK)->p_type = PT_INTERP;
}

static void make_tls(unsigned char *data)
{
	phdr(data, PT_GNU_STACK)->p_type = PT_TLS;
}

static void make_nothing(unsigned char *data)
{
	Elf64_Phdr *ph = (Elf64_Phdr *)(void *)(data + header(data)->e_phoff);
	unsigned int i;

	for (i = 0; i < header(data)->e_phnum; i++)
		ph[i].p_type = PT_NULL;
}

static void make_segment_outside(unsigned char *data)
{
	phdr(data, PT_LOAD)->p_offset = ~0ull;
}

static void make_segment_wrap(unsigned char *data)
{
	phdr(data, PT_LOAD)->p_vaddr = ~0ull - 100;
}

static void make_segment_order(unsigned char *data)
{
	phdr(data, PT_LOAD)->p_vaddr = 0x10000;
}

static void make_segment_huge(unsigned char *data)
{
	phdr(data, PT_LOAD)->p_memsz = TESS_IMAGE_MAX + 1;
}

static void make_needed(unsigned char *data)
{
	dyn(data, DT_DEBUG)->d_tag = DT_NEEDED;
}

static void make_constructors(unsigned char *data)
{
	Elf64_Dyn *d = dyn(data, DT_DEBUG);

	d->d_tag = DT_INIT_ARRAYSZ;
	d->d_un.d_val = 8;
}

static void make_text_relocs(unsigned char *data)
{
	dyn(data, DT_DEBUG)->d_tag = DT_TEXTREL;
}

static void make_plt_relocs(unsigned char *data)
{
	Elf64_Dyn *d = dyn(data, DT_DEBUG);

	d->d_tag = DT_PLTRELSZ;
	d->d_un.d_val = 24;
}

static void make_rela_entry(unsigned char *data)
{
	dyn(data, DT_RELAENT)->d_un.d_val = 16;
}

static void make_rela_outside(unsigned char *data)
{
	dyn(data, DT_RELASZ)->d_un.d_val = 24ull << 40;
}

static void make_rela_type(unsigned char *data)
{
	rela(data)->r_info = ELF64_R_INFO(0, R_RISCV_64);
}

static void make_rela_symbol(unsigned char *data)
{
	rela(data)->r_info = ELF64_R_INFO(0x7fffffff, R_RISCV_64);
}

static void make_rela_target(unsigned char *data)
{
	rela(data)->r_offset = ~0ull - 3;
}

static void make_note_short(unsigned char *data)
{
	Elf64_Nhdr *nh = (Elf64_Nhdr *)(void *)(data + phdr(data, PT_NOTE)->p_offset);

	nh->n_descsz = 4;
}

static void make_note_long(unsigned char *data)
{
	Elf64_Nhdr *nh = (Elf64_Nhdr *)(void *)(data + phdr(data, PT_NOTE)->p_offset);

	nh->n_descsz = 0xfffffff0;
}

static uint32_t *note_words(unsigned char *data)
{
	return (uint32_t *)(void *)(data + phdr(data, PT_NOTE)->p_offset + sizeof(Elf64_Nhdr) + 8);
}

static void make_note_entry(unsigned char *data)
{
	note_words(data)[0] = 0x7fffffff;
}

static void make_note_private(unsigned char *data)
{
	note_words(data)[1] = 0x7fffffff;
}

static void make_note_local(unsigned char *data)
{
	note_words(data)[2] = 0x10001;
}

static void make_note_name(unsigned char *data)
{
	note_words(data)[4] = 0;
}

static const struct change changes[] = {
	{ "magic", make_magic, "not an ELF" },
	{ "32 bit", make_class, "64-bit" },
	{ "machine", make_machine, "RISC-V" },
	{ "object file", make_object, "link it" },
	{ "soft float", make_soft_float, "lp64d" },
	{ "RV64E", make_rve, "RV64E" },
	{ "no program headers", make_no_headers, "program headers" },
	{ "too many program headers", make_many_headers, "more than 64" },
	{ "program headers outside", make_headers_outside, "outside" },
	{ "interpreter", make_interp, "dynamic linker" },
	{ "TLS", make_tls, "thread-local" },
	{ "no segments", make_nothing, "nothing to load" },
	{ "segment outside", make_segment_outside, "outside" },
	{ "segment that wraps", make_segment_wrap, "wraps" },
	{ "segments out of order", make_segment_order, "order" },
	{ "segment too large", make_segment_huge, "MiB" },
	{ "shared library", make_needed, "shared libraries" },
	{ "constructors", make_constructors, "constructors" },
	{ "text relocations", make_text_relocs, "read-only" },
	{ "PLT relocations", make_plt_relocs, "R_RISCV_RELATIVE" },
	{ "relocation size", make_rela_entry, "unknown size" },
	{ "relocations outside", make_rela_outside, "outside" },
	{ "relocation type", make_rela_type, "type 2" },
	{ "relocation symbol", make_rela_symbol, "symbol" },
	{ "relocation target", make_rela_target, "outside" },
	{ "note too short", make_note_short, "short" },
	{ "note too long", make_note_long, "longer" },
	{ "kernel outside of code", make_note_entry, "not in the program's code" },
	{ "private memory", make_note_private, "private" },
	{ "local memory", make_note_local, "local" },
	{ "no name", make_note_name, "no name" },
};

static void test_changes(void)
{
	struct tess_image img;
	char why[200];
	size_t i, size;
	int ret;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		unsigned char *data = read_file(dir, "kernels.elf", &size);

		why[0] = '\0';
		changes[i].make(data);
		ret = tess_image_parse(&img, data, size, why, sizeof(why));
		ok(ret == -ENOEXEC && strstr(why, changes[i].word), "%s: %s", changes[i].what, why);
		if (!ret)
			tess_image_fini(&img);
		free(data);
	}
}

int main(int argc, char **argv)
{
	(void)argc;
	dir = argv[1];
	test_good();
	test_load();
	test_stripped();
	refuse_file("undefined.elf", "\"sin\"");
	refuse_file("fixed.elf", "fixed address");
	test_changes();
	return done();
}
