// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tess_kms_host.h"

#define ANSWER_MS 60000

bool tess_host_totals(struct tess_host_totals *t)
{
	const char *dir = getenv("TESSERA_ANSWERS");
	static unsigned int number;
	char path[PATH_MAX], line[256] = "";
	unsigned int i;
	int fd = -1;

	if (!dir)
		return false;
	/* Each test is a process */
	snprintf(path, sizeof(path), "%s/%d-%u", dir, getpid(), ++number);
	printf("# totals %s\n", path + strlen(dir) + 1);
	fflush(stdout);
	for (i = 0; i < ANSWER_MS / 10 && fd < 0; i++) {
		usleep(10000);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0 || read(fd, line, sizeof(line) - 1) <= 0)
		line[0] = '\0';
	if (fd >= 0)
		close(fd);
	return sscanf(line, "head=0 size=%ux%u shown=%llu damaged=%llu last=%u,%u-%u,%u", &t->width,
		      &t->height, &t->shown, &t->damaged, &t->last.x1, &t->last.y1, &t->last.x2,
		      &t->last.y2) == 8;
}

void tess_host_heads(unsigned int heads)
{
	printf("# heads %u\n", heads);
	fflush(stdout);
}

void tess_host_path(const char *path)
{
	printf("# path %s\n", path);
	fflush(stdout);
}
