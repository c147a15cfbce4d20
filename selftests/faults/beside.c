// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bystander: a vGPU at work until standard input ends, all of its results checked; "ready" says
 * that it works. Each line that comes in is answered when it got on since.
 */
#include <stdio.h>
#include <string.h>

#include "bystander.h"

int main(void)
{
	static struct bystander b;
	int ret = bystander_start(&b);
	bool good = true;
	char line[64];

	if (ret) {
		fprintf(stderr, "bystander: %s\n", strerror(-ret));
		return 1;
	}
	good = bystander_goes_on(&b, 1);
	puts(good ? "ready" : "stuck");
	fflush(stdout);
	while (good && fgets(line, sizeof(line), stdin)) {
		good = bystander_goes_on(&b, 2);
		puts(good ? "went on" : "stuck");
		fflush(stdout);
	}
	return bystander_end(&b) || !good;
}
