// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * picture UUID HEAD: what a head of a vGPU shows, as PPM, as viewers have it. For heads that no VMM
 * shows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "views.h"

#define XRGB8888 0x34325258

static int write_ppm(const struct tessera_view_look *l, const uint8_t *shown)
{
	uint32_t x, y;

	printf("P6\n%u %u\n255\n", l->width, l->height);
	for (y = 0; y < l->height; y++) {
		const uint8_t *line = shown + (size_t)y * l->pitch;

		for (x = 0; x < l->width; x++) {
			putchar(line[x * 4 + 2]);
			putchar(line[x * 4 + 1]);
			putchar(line[x * 4]);
		}
	}
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct tessera_view_look l;
	const uint8_t *shown;
	unsigned int head;
	int fd;

	if (argc != 3)
		return 2;
	head = (unsigned int)atoi(argv[2]);
	fd = view_open(argv[1]);
	if (fd < 0 || view_look(fd, head, &l) != VIEW_SHOWN || l.format != XRGB8888) {
		fprintf(stderr, "head %u shows no picture of XRGB8888\n", head);
		return 1;
	}
	shown = view_map(fd, head, l.size);
	if (shown == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	return write_ppm(&l, shown);
}
