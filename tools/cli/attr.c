// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: files of sysfs
 *
 * All accesses are relative to an open directory, so that a GPU that goes and another
 * that comes under its name are not mixed up. Nothing is taken for granted about the
 * content: a test's tree, or a container's, may have anything in it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"

#define INDEX_MAX 65535

int attr_read(int dir, const char *name, char *buf, size_t size)
{
	ssize_t got;
	size_t len = 0;
	int fd, rc = 0;

	buf[0] = '\0';
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	while (len < size - 1 && (got = read(fd, buf + len, size - 1 - len)) != 0) {
		if (got > 0)
			len += (size_t)got;
		else if (errno != EINTR) {
			rc = -errno;
			break;
		}
	}
	close(fd);
	buf[rc ? 0 : len] = '\0';
	return rc;
}

void attr_text(int dir, const char *name, char *buf, size_t size)
{
	char text[ATTR_MAX];

	attr_read(dir, name, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	text_clean(text);
	snprintf(buf, size, "%s", text);
}

struct num attr_num(int dir, const char *name)
{
	char text[ATTR_MAX];

	return attr_read(dir, name, text, sizeof(text)) ? NUM_UNKNOWN : num_parse(text);
}

int attr_write(int dir, const char *name, const char *text)
{
	char line[ATTR_MAX];
	int fd, len, rc = 0;
	ssize_t put;

	len = snprintf(line, sizeof(line), "%s\n", text);
	if (len < 0 || (size_t)len >= sizeof(line))
		return -EINVAL;
	fd = openat(dir, name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_TRUNC);
	if (fd < 0)
		return -errno;
	put = write(fd, line, (size_t)len);
	if (put != len)
		rc = put < 0 ? -errno : -EIO;
	close(fd);
	return rc;
}

int attr_dir(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int attr_each(int dir, int (*func)(int dir, const char *name, void *ctx), void *ctx)
{
	struct dirent **list;
	int i, n, fd, rc = 0;

	n = scandirat(dir, ".", &list, not_hidden, versionsort);
	if (n < 0)
		return -errno;
	for (i = 0; i < n; i++) {
		/* What is no directory, or went meanwhile, does not count */
		fd = rc ? -1 : attr_dir(dir, list[i]->d_name);
		if (fd >= 0) {
			rc = func(fd, list[i]->d_name, ctx);
			close(fd);
		}
		free(list[i]);
	}
	free(list);
	return rc;
}

int attr_index(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	long index;
	char *end;

	if (strncmp(name, prefix, len) || name[len] < '0' || name[len] > '9')
		return -1;
	/* One spelling for each: not "gpu01" */
	if (name[len] == '0' && name[len + 1])
		return -1;
	index = strtol(name + len, &end, 10);
	return *end || index > INDEX_MAX ? -1 : (int)index;
}
