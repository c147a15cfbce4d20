// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * victim TYPE: hold a vGPU with patterns in its VRAM and memory until standard input
 * ends, then say whether they are as they were. What else happens on the GPU meanwhile
 * must not reach it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgpu.h"

#define SEED 0x1c71a

static int watch(struct vgpu *v)
{
	uint64_t size = reg64(v, TESS_REG_VRAM_SIZE);
	uint8_t *vram = vgpu_mmap(v, TESS_BAR_VRAM, 0, size);
	char c;

	if (vram == MAP_FAILED)
		return -errno;
	pattern_fill(vram, size, SEED);
	pattern_fill(v->ram, RAM_SIZE, SEED + 1);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	if (pattern_check(vram, size, SEED) >= 0 ||
	    pattern_check(v->ram, RAM_SIZE, SEED + 1) >= 0) {
		puts("changed");
		return -EIO;
	}
	puts("unchanged");
	return 0;
}

int main(int argc, char **argv)
{
	char uuid[37];
	struct vgpu v;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: victim TYPE\n");
		return 2;
	}
	ret = mdev_create(argv[1], uuid);
	if (!ret) {
		ret = vgpu_open(&v, uuid);
		if (!ret) {
			ret = watch(&v);
			vgpu_close(&v);
		}
		mdev_remove(uuid);
	}
	if (ret)
		fprintf(stderr, "victim: %s\n", strerror(-ret));
	return ret ? 1 : 0;
}
