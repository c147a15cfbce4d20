// SPDX-License-Identifier: GPL-2.0-or-later
/**
 * DOC: events of devices
 *
 * The netlink socket on which the kernel announces devices, read directly: what is wanted
 * is what the kernel says, at once, and also where no udevd runs. libudev's monitor of the
 * kernel's events does the same; its other one waits for udevd's rules. Any user may
 * listen. Only messages of the kernel (port 0) are taken, others can be sent by anybody.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uevent.h"

#define KERNEL_GROUP 1
#define RECEIVE_BUFFER (1 << 20)

int uevent_open(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	const int size = RECEIVE_BUFFER;
	int fd, rc;

	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (fd < 0)
		return -errno;
	/* Only root gets more than the limit; without it more can be lost, which is told */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (!bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

static void take_word(struct uevent *event, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		return;
	*value++ = '\0';
	text_clean(value);
	if (!strcmp(word, "ACTION"))
		event->action = value;
	else if (!strcmp(word, "DEVPATH"))
		event->devpath = value;
	else if (!strcmp(word, "SUBSYSTEM"))
		event->subsystem = value;
	else if (!strcmp(word, "TESSERA_EVENT"))
		event->tessera = value;
	else if (!strcmp(word, "TESSERA_GENERATION"))
		event->generation = num_parse(value);
}

bool uevent_parse(struct uevent *event, size_t length)
{
	size_t at, size;

	event->action = event->devpath = event->subsystem = event->tessera = "";
	event->generation = NUM_UNKNOWN;
	if (!length || length >= sizeof(event->buf))
		return false;
	event->buf[length] = '\0';
	/* The first one is ACTION@DEVPATH, which comes again as words */
	for (at = 0; at < length; at += size) {
		size = strlen(event->buf + at) + 1;
		if (at)
			take_word(event, event->buf + at);
	}
	return *event->action && *event->devpath;
}

int uevent_read(int fd, struct uevent *event)
{
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { .iov_base = event->buf, .iov_len = sizeof(event->buf) - 1 };
	struct msghdr msg = {
		.msg_name = &from,
		.msg_namelen = sizeof(from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t got = recvmsg(fd, &msg, 0);

	if (got < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (from.nl_pid || msg.msg_flags & MSG_TRUNC)
		return 0;
	return uevent_parse(event, (size_t)got);
}
