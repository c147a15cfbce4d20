// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hostile programs: truncated at each length, and changed at random. The parser may
 * accept or refuse; ASan and UBSan watch that it stays inside of the file and of the
 * memory that it asked for.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "files.h"
#include "image.h"
#include "sim.h"
#include "tap.h"
#include "tessera.h"

#define ROUNDS 60000

static uint64_t state = 88172645463325252ull;

static uint64_t random64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* The same through the library, which maps each segment for the GPU */
static void load(const unsigned char *data, size_t size, unsigned int *bad)
{
	static struct tess_device *dev;
	struct tess_program *prog;
	int ret;

	if (!data) {
		tess_close(dev);
		return;
	}
	if (!dev) {
		sim_reset();
		*bad += !!tess_open(NULL, &dev);
	}
	ret = tess_program_load(dev, "hostile.elf", data, size, &prog);
	*bad += ret != 0;
	if (!ret)
		tess_program_unload(prog);
}

/* Returns 1 if it was accepted; @bad counts answers that are neither. */
static unsigned int try(const unsigned char *data, size_t size, unsigned int *bad)
{
	struct tess_image img;
	char why[100] = "";
	uint64_t page;
	void *mem;
	int ret;

	ret = tess_image_parse(&img, data, size, why, sizeof(why));
	if (ret) {
		*bad += ret != -ENOEXEC || !why[0];
		return 0;
	}
	/* Memory of exactly that size, only as much as a test can afford */
	mem = img.size <= 4 << 20 ? calloc(1, img.size) : NULL;
	if (mem) {
		tess_image_load(&img, mem, random64() & ~4095ull);
		for (page = 0; page < img.size; page += 4096)
			tess_image_page_prot(&img, page);
		tess_image_lookup(&img, random64() % img.size);
	}
	free(mem);
	tess_image_fini(&img);
	if (random64() % 16 == 0)
		load(data, size, bad);
	return 1;
}

static void test_truncated(const unsigned char *good, size_t size)
{
	unsigned int bad = 0, accepted = 0;
	size_t n;

	for (n = 0; n < size; n++) {
		unsigned char *cut = malloc(n ? n : 1);

		memcpy(cut, good, n);
		accepted += try(cut, n, &bad);
		free(cut);
	}
	/* Without the section headers at its end a program is complete. */
	ok(!bad, "%zu truncated programs, %u of them usable", size, accepted);
}

/* Interesting values at interesting places: headers, notes, dynamic section */
static void mutate(unsigned char *data, size_t size)
{
	static const uint64_t values[] = { 0,	       1,     7,	  8,	      24,
					   4095,       4096,  0x7fffffff, 0x80000000, 0xffffffff,
					   1ull << 63, ~0ull, ~0ull - 7,  65536 };
	size_t at = random64() % size, width = 1u << random64() % 4;
	uint64_t value = values[random64() % (sizeof(values) / sizeof(values[0]))];

	if (random64() % 4)
		at = random64() % (size < 1536 ? size : 1536);
	if (random64() % 2)
		at &= ~7ull;
	if (random64() % 3 == 0)
		value = random64() % (2 * size);
	if (at + width > size)
		width = size - at;
	memcpy(data + at, &value, width);
}

static void test_mutated(const unsigned char *good, size_t size)
{
	unsigned int round, n, bad = 0, accepted = 0;

	for (round = 0; round < ROUNDS; round++) {
		unsigned char *data = malloc(size);

		memcpy(data, good, size);
		for (n = random64() % 6; n; n--)
			mutate(data, size);
		accepted += try(data, size, &bad);
		free(data);
	}
	ok(!bad, "%u mutated programs, %u of them accepted", round, accepted);
	ok(accepted && accepted < round, "some were good, some were not");
}

static void test_noise(void)
{
	unsigned int round, bad = 0, accepted = 0;

	for (round = 0; round < 2000; round++) {
		size_t i, size = random64() % 700;
		unsigned char *data = malloc(size + 1);

		for (i = 0; i < size; i++)
			data[i] = (unsigned char)random64();
		if (size > SELFMAG && round % 2)
			memcpy(data, ELFMAG, SELFMAG);
		accepted += try(data, size, &bad);
		free(data);
	}
	ok(!bad && !accepted, "%u files of noise are refused", round);
}

int main(int argc, char **argv)
{
	size_t size;
	unsigned char *good = read_file(argv[argc - 1], "kernels.elf", &size);

	test_truncated(good, size);
	test_mutated(good, size);
	test_noise();
	load(NULL, 0, NULL);
	ok(!sim.leaks, "nothing is left in the kernel");
	free(good);
	return done();
}
