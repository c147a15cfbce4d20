// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * job [TEXT]: a process that runs a job without an effect on the first GPU, and then, if TEXT is
 * given, has a buffer full of it until it is killed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tess_ctx.h"

#define PAGE 4096

int main(int argc, char **argv)
{
	struct tess_ctx ctx;
	size_t i;

	tess_ctx_open(&ctx);
	tess_begin(&ctx);
	tess_nop(&ctx);
	if (tess_ctx_run(&ctx))
		return 1;
	if (argc < 2) {
		tess_ctx_close(&ctx);
		puts("done");
		return 0;
	}
	for (i = 0; i < TESS_DATA_BYTES; i += PAGE)
		strcpy((char *)ctx.data + i, argv[1]);
	puts("holds");
	fflush(stdout);
	pause();
	return 0;
}
