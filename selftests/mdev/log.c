// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's log, by /dev/kmsg: each read() is one message */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

/* Of a message, with its prefix and the names of its device */
#define RECORD_MAX 8192

int log_mark(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (lseek(fd, 0, SEEK_END) < 0) {
		close(fd);
		return -EIO;
	}
	return fd;
}

bool log_says(int mark, const char *what)
{
	char record[RECORD_MAX + 1];
	bool found = false;
	ssize_t n;

	/* EPIPE: messages were overwritten before they were read */
	while (!found && ((n = read(mark, record, RECORD_MAX)) > 0 || (n < 0 && errno == EPIPE))) {
		record[n > 0 ? n : 0] = 0;
		found = strstr(record, what);
	}
	close(mark);
	return found;
}
