// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nth.h"
#include "vgpu.h"

#define FAIL_NTH "/proc/thread-self/fail-nth"
#define DEBUGFS "/sys/kernel/debug/"
/* More than any call makes */
#define LIMIT 2000

int nth_setup(void)
{
	static const char *const settings[][2] = {
		{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
		{ DEBUGFS "failslab/verbose", "0" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/min-order", "0" },
		{ DEBUGFS "fail_page_alloc/verbose", "0" },
	};
	unsigned int i;
	int ret = 0;

	/* It takes long: what it does is seen meanwhile */
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(settings) / sizeof(*settings) && !ret; i++)
		ret = file_write(settings[i][0], settings[i][1]);
	return ret;
}

/* Where a function of the kernel itself begins, and the next one: 0, -ENOENT */
static int find_function(const char *function, unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long addr;
	char name[256];

	if (!f)
		return -errno;
	*start = *end = 0;
	/* They are in the order of their addresses */
	while (!*end && fscanf(f, "%lx %*c %255[^\n]", &addr, name) == 2) {
		if (*start && addr > *start)
			*end = addr;
		else if (!strcmp(name, function))
			*start = addr;
	}
	fclose(f);
	return *end ? 0 : -ENOENT;
}

static int put_address(const char *attr, const char *file, unsigned long addr)
{
	char path[64], text[24];

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", attr, file);
	snprintf(text, sizeof(text), "0x%lx", addr);
	return file_write(path, text);
}

int nth_spare(const char *function)
{
	static const char *const attrs[] = { "failslab", "fail_page_alloc" };
	unsigned long start, end;
	unsigned int i;
	int ret = find_function(function, &start, &end);

	for (i = 0; i < 2 && !ret; i++) {
		ret = put_address(attrs[i], "reject-start", start);
		if (!ret)
			ret = put_address(attrs[i], "reject-end", end);
	}
	return ret;
}

/* Run with the n-th allocation failing; @failed: there was an n-th one */
static int run_failing(const struct nth_op *op, void *data, unsigned int n, bool *failed)
{
	int fd = open(FAIL_NTH, O_RDWR | O_CLOEXEC), rc;
	char text[16] = "";

	snprintf(text, sizeof(text), "%u", n);
	if (fd < 0 || pwrite(fd, text, strlen(text), 0) < 0) {
		printf("# " FAIL_NTH ": %s\n", strerror(errno));
		exit(1);
	}
	rc = op->run(data);
	memset(text, 0, sizeof(text));
	if (pread(fd, text, sizeof(text) - 1, 0) < 0 || pwrite(fd, "0", 1, 0) < 0)
		exit(1);
	*failed = text[0] == '0';
	close(fd);
	return rc;
}

static bool is_wrong(const struct nth_op *op, unsigned int n, const char *what, int rc)
{
	if (rc)
		printf("# %s, allocation %u: %s: %s\n", op->name, n, what,
		       rc < 0 ? strerror(-rc) : "wrong");
	return rc;
}

/* One try; negative: something was wrong, 0: there is no n-th allocation */
static int try_once(const struct nth_op *op, void *data, int (*books)(void *data), unsigned int n)
{
	bool failed;
	int rc;

	if (is_wrong(op, n, "cannot prepare", op->prepare ? op->prepare(data) : 0))
		return -1;
	rc = run_failing(op, data, n, &failed);
	if (failed && rc && (rc == -ENOMEM || rc == op->also))
		rc = op->run(data);
	if (is_wrong(op, n, failed ? "after it failed" : "without a failure", rc) ||
	    is_wrong(op, n, "undone", op->undo ? op->undo(data) : 0) ||
	    is_wrong(op, n, "the books", books(data)))
		return -1;
	return failed;
}

int nth_try(const struct nth_op *op, void *data, int (*books)(void *data))
{
	unsigned int n;
	int ret;

	for (n = 1; n < LIMIT; n++) {
		ret = try_once(op, data, books, n);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
	}
	printf("# %s: %u allocations failed\n", op->name, n - 1);
	return n < LIMIT ? (int)n - 1 : -1;
}
