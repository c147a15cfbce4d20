// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of devices, as the kernel sends them */
#include <linux/netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uevent.h"

int event_socket(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool event_comes(int fd, const char *end, const char *word)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[4096], *at;

	while (poll(&p, 1, 5000) == 1) {
		ssize_t n = recv(fd, buf, sizeof(buf) - 1, 0);
		size_t len = n < 0 ? 0 : strnlen(buf, n);

		buf[n < 0 ? 0 : n] = 0;
		if (strncmp(buf, "change@", 7) || len < strlen(end) ||
		    strcmp(buf + len - strlen(end), end))
			continue;
		if (!word)
			return true;
		for (at = buf; at < buf + n; at += strlen(at) + 1) {
			if (!strcmp(at, word))
				return true;
		}
	}
	return false;
}
