// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>

#include "report.h"

static const char *program = "tessera";
static bool json;

void report_start(const char *name, bool as_json)
{
	program = name;
	json = as_json;
}

void report_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

int report_error(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fflush(stdout);
	if (json) {
		printf("{\"error\": ");
		report_string(text);
		printf("}\n");
	} else {
		fprintf(stderr, "%s: %s\n", program, text);
	}
	return -1;
}
