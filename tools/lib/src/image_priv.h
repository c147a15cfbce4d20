/* SPDX-License-Identifier: MIT */
/* Between the files that parse an ELF program: image.c, image_dynamic.c, image_names.c. */
#ifndef TESS_LIB_IMAGE_PRIV_H
#define TESS_LIB_IMAGE_PRIV_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct tess_image;

/**
 * struct parse - a file that is being parsed
 * @img: result
 * @ehdr: its header
 * @end: address after the last segment so far
 * @why: reason to refuse it
 * @why_size: bytes of @why
 */
struct parse {
	struct tess_image *img;
	Elf64_Ehdr ehdr;
	uint64_t end;
	char *why;
	size_t why_size;
};

/* Note the reason and return -ENOEXEC. */
int tess_image_refuse(struct parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* @size bytes of the file at @offset, NULL if it has not so many. */
const void *tess_image_bytes(const struct tess_image *img, uint64_t offset, uint64_t size);

/* @size bytes of the file that are loaded at address @addr, NULL if there are none. */
const void *tess_image_file_bytes(const struct tess_image *img, uint64_t addr, uint64_t size);

/* The string at @offset of the file that ends before @end, or NULL. */
const char *tess_image_string(const struct tess_image *img, uint64_t offset, uint64_t end);

int tess_image_read_dynamic(struct parse *p, const Elf64_Phdr *ph);
int tess_image_read_notes(struct parse *p, const Elf64_Phdr *ph);
int tess_image_read_symbols(struct parse *p);

#endif
