// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into tesseractl: files below $FAKE_SYSFS are written by asking a test, which is
 * the kernel there, over the stream socket $FAKE_KERNEL: "PATH\0TEXT", answered by an errno
 * of 4 bytes. The socket of uevents is the datagram socket $FAKE_UEVENTS; its messages start
 * with the port of the sender, 4 bytes; the last one of all, that messages were lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define LOST UINT32_MAX

static struct sockaddr_un address_of(const char *variable)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", getenv(variable));
	return address;
}

/* Nothing is truncated that the kernel may refuse to change */
int openat(int dir, const char *name, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return (int)syscall(SYS_openat, dir, name, flags & ~O_TRUNC, mode);
}

/* Path of a file of the tree; false for all others */
static int path_of(int fd, char *path, size_t size)
{
	const char *root = getenv("FAKE_SYSFS");
	char link[64];
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	got = readlink(link, path, size - 1);
	if (got < 0 || !root)
		return 0;
	path[got] = '\0';
	return !strncmp(path, root, strlen(root));
}

static int32_t ask_kernel(const char *path, const void *text, size_t size)
{
	struct sockaddr_un address = address_of("FAKE_KERNEL");
	int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int32_t error = EIO;

	if (fd < 0 || syscall(SYS_connect, fd, &address, sizeof(address)))
		abort();
	if (syscall(SYS_write, fd, path, strlen(path) + 1) < 0 ||
	    syscall(SYS_write, fd, text, size) != (long)size)
		abort();
	shutdown(fd, SHUT_WR);
	if (read(fd, &error, sizeof(error)) != sizeof(error))
		abort();
	close(fd);
	return error;
}

ssize_t write(int fd, const void *text, size_t size)
{
	char path[4096];
	int32_t error;

	if (!path_of(fd, path, sizeof(path)))
		return syscall(SYS_write, fd, text, size);
	error = ask_kernel(path, text, size);
	if (!error)
		return (ssize_t)size;
	errno = error;
	return -1;
}

int socket(int domain, int type, int protocol)
{
	struct sockaddr_un address = address_of("FAKE_UEVENTS");
	int fd;

	if (domain != AF_NETLINK || protocol != NETLINK_KOBJECT_UEVENT)
		return (int)syscall(SYS_socket, domain, type, protocol);
	fd = (int)syscall(SYS_socket, AF_UNIX, type, 0);
	if (fd < 0 || syscall(SYS_bind, fd, &address, sizeof(address)))
		abort();
	return fd;
}

int bind(int fd, const struct sockaddr *address, socklen_t length)
{
	const struct sockaddr_nl *nl = (const void *)address;

	if (nl->nl_family != AF_NETLINK)
		return (int)syscall(SYS_bind, fd, address, length);
	return nl->nl_groups == 1 ? 0 : -1;
}

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct sockaddr_nl *from = msg->msg_name;
	char *data = msg->msg_iov[0].iov_base;
	ssize_t got = syscall(SYS_recvmsg, fd, msg, flags);
	uint32_t port;

	if (got < (ssize_t)sizeof(port))
		return got;
	memcpy(&port, data, sizeof(port));
	if (port == LOST) {
		errno = ENOBUFS;
		return -1;
	}
	*from = (struct sockaddr_nl){ .nl_family = AF_NETLINK, .nl_pid = port, .nl_groups = 1 };
	memmove(data, data + sizeof(port), (size_t)got - sizeof(port));
	return got - (ssize_t)sizeof(port);
}
