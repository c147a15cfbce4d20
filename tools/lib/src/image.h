/* SPDX-License-Identifier: MIT */
#ifndef TESS_LIB_IMAGE_H
#define TESS_LIB_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define TESS_IMAGE_READ 0x1
#define TESS_IMAGE_WRITE 0x2
#define TESS_IMAGE_EXEC 0x4

/* Bytes of address space that a program may span */
#define TESS_IMAGE_MAX (64ull << 20)
#define TESS_DEFAULT_PRIVATE 1024u

/**
 * struct tess_image_segment - a part of the program in memory
 * @start: offset in the image
 * @size: bytes in memory
 * @file_offset: where its content is
 * @file_size: bytes of content; the rest is zero
 * @prot: TESS_IMAGE_*
 */
struct tess_image_segment {
	uint64_t start;
	uint64_t size;
	uint64_t file_offset;
	uint64_t file_size;
	uint32_t prot;
};

/**
 * struct tess_image_kernel - a kernel that TESS_KERNEL() declares
 * @entry: offset in the image of its first instruction
 * @private_bytes: private memory of a work-item
 * @local_bytes: local memory of a work-group
 * @units: that it can use
 * @name: in the file's bytes, terminated
 */
struct tess_image_kernel {
	uint64_t entry;
	uint32_t private_bytes;
	uint32_t local_bytes;
	uint32_t units;
	const char *name;
};

/**
 * struct tess_image_symbol - a function of the symbol table
 * @start: offset in the image
 * @size: bytes, 0 if unknown
 * @name: in the file's bytes, terminated
 */
struct tess_image_symbol {
	uint64_t start;
	uint64_t size;
	const char *name;
};

/**
 * struct tess_image - a parsed program
 * @data: bytes of the file; everything below points into them
 * @data_size: how many
 * @base: address in the file of the image's first byte, whole pages
 * @size: bytes of memory that it needs, whole pages
 * @rela_offset: file offset of the relocations
 * @rela_count: how many, all of them R_RISCV_RELATIVE
 */
struct tess_image {
	const uint8_t *data;
	size_t data_size;
	uint64_t base;
	uint64_t size;
	uint64_t rela_offset;
	uint64_t rela_count;
	struct tess_image_segment *segments;
	unsigned int segment_count;
	struct tess_image_kernel *kernels;
	unsigned int kernel_count;
	struct tess_image_symbol *symbols;
	unsigned int symbol_count;
};

/*
 * Parse the @size bytes @data of an ELF file, which must stay until
 * tess_image_fini(). Returns 0, -ENOEXEC with the reason in @why, or -ENOMEM.
 */
int tess_image_parse(struct tess_image *img, const void *data, size_t size, char *why,
		     size_t why_size);
void tess_image_fini(struct tess_image *img);

/*
 * Put the program into @mem, @img->size zeroed bytes that the GPU sees at @va.
 */
void tess_image_load(const struct tess_image *img, void *mem, uint64_t va);

/* TESS_IMAGE_* of the page at offset @page of the image, 0: in no segment. */
uint32_t tess_image_page_prot(const struct tess_image *img, uint64_t page);

/* The function that contains offset @at of the image, or NULL. */
const struct tess_image_symbol *tess_image_lookup(const struct tess_image *img, uint64_t at);

#endif
