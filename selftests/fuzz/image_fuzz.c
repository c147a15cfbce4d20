// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DOC: Programs
 *
 * libtessera's loader and the texts of tessera-run. An ELF file is refused with a reason, or is
 * loaded into memory of exactly the size that it asks for, with segments, kernels and functions
 * that lie inside of it. The mutator puts values that fields want into a program that the
 * compiler made; where none is there yet, a small one is made up.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "image.h"

#define MEMORY_MAX (1U << 20)

static void check_segments(const struct tess_image *img)
{
	for (unsigned int i = 0; i < img->segment_count; i++) {
		const struct tess_image_segment *s = &img->segments[i];

		FUZZ_CHECK(s->start <= img->size && s->size <= img->size - s->start);
		FUZZ_CHECK(s->file_size <= s->size && s->file_offset <= img->data_size &&
			   s->file_size <= img->data_size - s->file_offset);
	}
}

static void check_names(const struct tess_image *img)
{
	const char *end = (const char *)img->data + img->data_size;
	size_t letters = 0;

	for (unsigned int i = 0; i < img->kernel_count; i++) {
		const char *name = img->kernels[i].name;

		FUZZ_CHECK(img->kernels[i].entry < img->size);
		FUZZ_CHECK(name < end && memchr(name, 0, (size_t)(end - name)));
		letters += strlen(name);
	}
	for (unsigned int i = 0; i < img->symbol_count; i++)
		letters += strlen(img->symbols[i].name);
	FUZZ_CHECK(letters < 1U << 30);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tess_image img;
	char why[100] = "";
	void *mem;
	int rc;

	rc = tess_image_parse(&img, data, size, why, sizeof(why));
	if (rc) {
		FUZZ_CHECK(rc == -ENOMEM || (rc == -ENOEXEC && why[0]), "%d", rc);
		return 0;
	}
	FUZZ_CHECK(img.size && img.size <= TESS_IMAGE_MAX && !(img.size & 4095));
	check_segments(&img);
	check_names(&img);
	mem = img.size <= MEMORY_MAX ? calloc(1, img.size) : NULL;
	if (mem)
		tess_image_load(&img, mem, 0x1234000);
	for (uint64_t at = 0; mem && at < img.size; at += 4096)
		FUZZ_CHECK(tess_image_page_prot(&img, at) <= 7);
	for (unsigned int i = 0; i < img.symbol_count && i < 64; i++)
		tess_image_lookup(&img, img.symbols[i].start);
	free(mem);
	tess_image_fini(&img);
	return 0;
}

/* The least that is a program: a header, one segment, and room */
static size_t make_elf(uint8_t *data, size_t max)
{
	struct {
		Elf64_Ehdr h;
		Elf64_Phdr p[4];
		uint8_t room[256];
	} e = {
		.h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				    EV_CURRENT },
		       .e_type = ET_DYN,
		       .e_machine = EM_RISCV,
		       .e_version = EV_CURRENT,
		       .e_ehsize = sizeof(Elf64_Ehdr),
		       .e_phoff = sizeof(Elf64_Ehdr),
		       .e_phentsize = sizeof(Elf64_Phdr),
		       .e_phnum = 4,
		       .e_shentsize = sizeof(Elf64_Shdr) },
		.p = { { .p_type = PT_LOAD,
			 .p_flags = PF_R | PF_X,
			 .p_memsz = sizeof(e),
			 .p_filesz = sizeof(e),
			 .p_align = 4096 },
		       { .p_type = PT_DYNAMIC, .p_filesz = 64, .p_memsz = 64 },
		       { .p_type = PT_NOTE, .p_filesz = 64, .p_memsz = 64 },
		       { .p_type = PT_NULL } },
	};

	e.p[1].p_offset = e.p[1].p_vaddr = offsetof(__typeof__(e), room);
	e.p[2].p_offset = e.p[2].p_vaddr = offsetof(__typeof__(e), room) + 64;
	if (max < sizeof(e))
		return 0;
	memcpy(data, &e, sizeof(e));
	return sizeof(e);
}

static void put_field(uint8_t *data, size_t size, uint64_t *state)
{
	uint64_t near[] = { size, 4096, 65536, sizeof(Elf64_Ehdr), TESS_IMAGE_MAX };
	uint64_t val = fuzz_value(state, near, 5);
	size_t width = 1U << fuzz_below(state, 4);
	size_t at =
		fuzz_below(state, (uint32_t)(fuzz_below(state, 3) && size > 1024 ? 1024 : size));

	at &= ~(width - 1);
	if (at + width <= size)
		memcpy(data + at, &val, width);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint64_t state = seed * 2ULL + 1;

	fuzz_random(&state);
	if (size < sizeof(Elf64_Ehdr)) {
		size = make_elf(data, max_size);
		return size ? size : LLVMFuzzerMutate(data, size, max_size);
	}
	if (fuzz_below(&state, 2))
		return LLVMFuzzerMutate(data, size, max_size);
	put_field(data, size, &state);
	return size;
}
