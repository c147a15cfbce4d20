// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into tesseractl: a directory made below "instances" gets the files that it has
 * in tracefs, and is removed with them. Its trace_pipe is the file in $FAKE_TRACE_PIPE.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const dirs[] = { "options", "events", "events/tessera" };
static const char *const files[] = { "options/context-info", "trace_clock", "buffer_size_kb",
				     "tracing_on", "events/tessera/enable" };

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

int mkdirat(int dir, const char *name, mode_t mode)
{
	int i, fd;

	if (syscall(SYS_mkdirat, dir, name, mode))
		return -1;
	dir = openat(dir, name, O_DIRECTORY);
	for (i = 0; i < COUNT(dirs); i++)
		syscall(SYS_mkdirat, dir, dirs[i], 0700);
	for (i = 0; i < COUNT(files); i++) {
		fd = openat(dir, files[i], O_CREAT | O_WRONLY, 0600);
		close(fd);
	}
	if (symlinkat(getenv("FAKE_TRACE_PIPE"), dir, "trace_pipe"))
		abort();
	close(dir);
	return 0;
}

/* As in tracefs: events that are still on would be a leak */
static int is_off(int dir)
{
	char value = 0;
	int fd = openat(dir, "events/tessera/enable", O_RDONLY);

	if (fd < 0 || read(fd, &value, 1) != 1 || value != '0')
		return 0;
	close(fd);
	return 1;
}

int unlinkat(int at, const char *name, int flags)
{
	int i, dir = openat(at, name, O_DIRECTORY);

	if (dir >= 0 && !is_off(dir)) {
		errno = EBUSY;
		return -1;
	}
	for (i = 0; dir >= 0 && i < COUNT(files); i++)
		syscall(SYS_unlinkat, dir, files[i], 0);
	for (i = COUNT(dirs) - 1; dir >= 0 && i >= 0; i--)
		syscall(SYS_unlinkat, dir, dirs[i], AT_REMOVEDIR);
	syscall(SYS_unlinkat, dir, "trace_pipe", 0);
	close(dir);
	return (int)syscall(SYS_unlinkat, at, name, flags);
}
