// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: attr
 *
 * The attributes of a vGPU in sysfs. A write is one system call, because a write is one
 * transaction; what the kernel answers is the answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callout.h"

#define UUID_LENGTH 36

/* The name of a directory, and nothing that leads out of it */
static bool is_uuid(const char *text)
{
	return strlen(text) == UUID_LENGTH &&
	       strspn(text, "0123456789abcdefABCDEF-") == UUID_LENGTH;
}

int vgpu_open(const char *uuid)
{
	const char *sysfs = getenv("TESSERA_SYSFS");
	char path[PATH_MAX];
	int len, fd;

	if (!is_uuid(uuid))
		return -EINVAL;
	len = snprintf(path, sizeof(path), "%s/bus/mdev/devices/%s",
		       sysfs && *sysfs ? sysfs : "/sys", uuid);
	if (len >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int attr_open(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int attr_read(int dir, const char *name, char text[ATTR_SIZE])
{
	int fd = attr_open(dir, name, O_RDONLY);
	ssize_t len;
	int rc = 0;

	if (fd < 0)
		return fd;
	len = read(fd, text, ATTR_SIZE - 1);
	if (len < 0)
		rc = -errno;
	close(fd);
	if (rc)
		return rc;
	if (len && text[len - 1] == '\n')
		len--;
	text[len] = '\0';
	return 0;
}

int attr_write(int dir, const char *name, const char *text)
{
	int fd = attr_open(dir, name, O_WRONLY);
	ssize_t len;
	int rc = 0;

	if (fd < 0)
		return fd;
	len = write(fd, text, strlen(text));
	if (len < 0)
		rc = -errno;
	else if ((size_t)len != strlen(text))
		rc = -EIO;
	close(fd);
	return rc;
}
